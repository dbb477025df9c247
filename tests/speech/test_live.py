"""A conversation by voice as it is lived, over stand-ins for ears, mouth and devices."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pace.chat import RowStatus
from pace.doors.voice.live import VoiceState
from pace.errors import PlannerUnreachableError, RecogniserError
from pace.folders import Folders
from pace.history import PaceHistory
from pace.journal.rows import TurnSource
from pace.ports import PlannerTraits
from pace.speech.turn_taking import CHUNK
from pace.testing import Gate, ScriptedPlanner
from speech.living import (
    DONE,
    FIRST_SENTENCE,
    LOUD,
    QUIET,
    REMOTE,
    REPLY,
    SAID,
    living,
    settled,
)

pytestmark = pytest.mark.usefixtures("own_home")

PREPARES = PlannerTraits(
    name="scripted", model="script", context_tokens=8192, on_this_machine=True, prepares=True
)
MARKDOWN = "**Done** ✅ see [docs](https://x.y/z?q=1)\n```py\nprint(1)\n```\n| a | b |\n2 * 3 = 6"


async def test_what_is_said_is_a_turn_whose_reply_sounds() -> None:
    """From the first sound to the last, each state in its place."""
    async with living(ScriptedPlanner(REPLY), "When does the ferry leave?") as on:
        assert on.live.state is VoiceState.OFF
        on.live.hands_free(on=True)
        await settled()
        assert (on.live.state, on.microphone.is_open) == (VoiceState.OFF, True)
        await on.microphone.hear(QUIET)
        assert on.live.state is VoiceState.LISTENING
        await on.microphone.hear(LOUD, SAID)
        assert on.live.state is VoiceState.HEARING
        await on.microphone.hear(QUIET, 10)
        assert on.live.words == "When does the ferry leave?"
        await on.microphone.hear(QUIET, DONE)
        await settled()
        assert on.live.state is VoiceState.SPEAKING
        await on.over()
        assert on.live.state is VoiceState.LISTENING
        (row,) = on.rows
        assert (row.source, row.status) == (TurnSource.VOICE, RowStatus.ANSWERED)
        assert row.spoken is not None
        assert row.spoken.pause == 15 * CHUNK  # behind a whole sentence
        assert await on.pairs() == [("When does the ferry leave?", REPLY, False)]


async def test_push_to_talk_hears_one_turn() -> None:
    """Nothing is open before it and nothing after it."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        await on.microphone.hear(LOUD, SAID)
        on.live.talk()
        await settled()
        await on.say()
        assert not on.microphone.is_open
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_while_it_is_held_no_pause_ends_the_turn() -> None:
    """The release does."""
    async with living(ScriptedPlanner(REPLY), "When?", "When does it leave?") as on:
        on.live.talk(held=True)
        await settled()
        await on.microphone.hear(LOUD, SAID)
        await on.microphone.hear(QUIET, 2 * DONE)
        await on.microphone.hear(LOUD, SAID)
        assert on.rows == []
        on.live.end_talk()
        await on.microphone.hear(QUIET, 2)
        await settled()
        assert not on.microphone.is_open
        await on.over()
        assert await on.pairs() == [("When does it leave?", REPLY, False)]


async def test_talking_holds_the_sound_and_saying_nothing_lets_it_go_on() -> None:
    """A key that was pressed by mistake costs nothing."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        on.live.talk(held=True)
        await settled()
        assert on.speaker.is_paused
        on.live.end_talk()
        await on.microphone.hear(QUIET, 2)
        await settled()
        assert not on.speaker.is_paused
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_words_that_cannot_be_recognised_are_told() -> None:
    """They make no turn, and the microphone stays."""
    broken = RecogniserError("The recogniser base failed. Say it again.")
    async with living(ScriptedPlanner(), broken) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        assert on.told == [str(broken)]
        assert (await on.chat.memory()).open_turns == ()
        assert on.microphone.is_open


async def test_a_planner_that_is_not_there_is_told() -> None:
    """The thread stays as it was, and the next turn may come."""
    gone = PlannerUnreachableError("There is no planner. Is it running?")
    async with living(ScriptedPlanner([gone]), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        assert on.told == [str(gone)]
        assert on.live.state is VoiceState.OFF


async def test_muted_replies_are_text() -> None:
    """Nothing sounds, and nothing waits for it."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        on.chat.session.is_muted = True
        on.live.talk()
        await settled()
        await on.say()
        assert on.voice.spoken == []
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_a_reply_that_sounds_at_the_end_is_kept_as_heard() -> None:
    """Leaving cuts it, like any other word to stop."""
    async with living(ScriptedPlanner(REPLY), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        chat = on.chat
    rows = [row for row in chat.session.lines if hasattr(row, "reply_text")]
    assert rows[0].reply_text == "The ferry leaves at noon."


async def test_a_turn_is_in_time_from_its_first_sound() -> None:
    """The idle limit that passes while somebody speaks ends nothing."""
    async with living(ScriptedPlanner("Hello.", "Ada."), "I am Ada.", "Who am I?") as on:
        await on.listen()
        await on.say()
        await on.over()
        on.clock.advance(timedelta(minutes=19, seconds=50))
        await on.microphone.hear(LOUD, SAID)
        on.clock.advance(timedelta(seconds=30))
        await on.microphone.hear(QUIET, DONE)
        await settled()
        await on.over()
        assert [pair[0] for pair in await on.pairs()] == ["I am Ada.", "Who am I?"]
        assert "I am Ada." in str(on.planner.prompts[1].messages)


async def test_the_reply_is_begun_in_the_first_pause() -> None:
    """Before anybody knows that it is the last one; the turn asks for no other."""
    async with living(ScriptedPlanner(REPLY, traits=PREPARES), "When?") as on:
        await on.listen()
        await on.say_and_pause()
        await settled()
        assert [prompt.messages[-1].content for prompt in on.planner.prompts] == ["When?"]
        assert on.rows == []
        await on.microphone.hear(QUIET, DONE)
        await settled()
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_whoever_goes_on_is_replied_to_as_a_whole() -> None:
    """The reply that was begun to half a sentence is stopped at once, and never sounds."""
    whole = "When does the ferry leave?"
    planner = ScriptedPlanner(["At", Gate()], REPLY, traits=PREPARES)
    async with living(planner, "When?", whole) as on:
        await on.listen()
        await on.say_and_pause()
        await settled()
        assert planner.stopped == []
        await on.microphone.hear(LOUD, SAID)
        assert [prompt.messages[-1].content for prompt in planner.stopped] == ["When?"]
        await on.microphone.hear(QUIET, DONE)
        await settled()
        await on.over()
        assert await on.pairs() == [(whole, REPLY, False)]


async def test_half_a_sentence_leaves_no_machine() -> None:
    """A tier elsewhere is asked once the person is done, and not in a pause."""
    traits = replace(PREPARES, on_this_machine=False)
    async with living(ScriptedPlanner(REPLY, traits=traits), "When?") as on:
        await on.listen()
        await on.say_and_pause()
        await settled()
        assert on.live.words == "When?"
        assert on.planner.prompts == []
        await on.microphone.hear(QUIET, DONE)
        await settled()
        assert len(on.planner.prompts) == 1


async def test_who_gets_the_words_is_named_aloud_once() -> None:
    """Before the first reply, and again only when it is somebody else."""
    planner = ScriptedPlanner("One.", "Two.", "Three.")
    async with living(planner, "A?", "B?", "C?", flags=REMOTE) as on:
        await on.listen()
        for _ in range(2):
            await on.say()
            await on.over()
        named, *replies = on.voice.spoken
        assert "openai" in named
        assert "your words go to" in named
        assert replies == ["One.", "Two."]
        on.chat.settings_file.wish("planner.provider", "anthropic")
        on.chat.settings_file.wish("privacy.agreed", "direct:api.anthropic.com")
        await on.chat.apply()
        await on.say()
        await on.over()
        assert "anthropic" in on.voice.spoken[-2]
        assert on.voice.spoken[-1] == "Three."
        assert [pair[1] for pair in await on.pairs()] == ["One.", "Two.", "Three."]


async def test_a_reply_is_read_as_it_is_written_and_heard_as_it_is_said() -> None:
    """B135: no mark, address, code or sign is spoken; screen, memory and journal keep them all."""
    history = PaceHistory(Folders.of().history)
    async with living(ScriptedPlanner(MARKDOWN), "How far are you?", history=history) as on:
        await on.listen()
        await on.say()
        await on.over()
        spoken = " ".join(on.voice.spoken)
        assert all(said in spoken for said in ("Done", "see docs", "2 times 3 equals 6"))
        assert not any(mark in spoken for mark in ("**", "http", "x.y", "print", "|", "✅", "`"))
        assert [row.reply_text for row in on.rows] == [MARKDOWN]
        assert await on.pairs() == [("How far are you?", MARKDOWN, False)]
        await on.kept()
        assert [entry.turn.reply_text async for entry in history.entries()] == [MARKDOWN]
