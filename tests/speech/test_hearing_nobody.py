"""What is nobody's words, or Pace's own: it makes no turn, asks nobody and keeps nobody awake."""

from datetime import timedelta

import pytest

from pace.doors.voice.live import CUT_INS_LIMIT, VoiceState
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import CHUNK_SAMPLES, Heard
from pace.testing import ScriptedPlanner
from speech.living import (
    DONE,
    FIRST_SENTENCE,
    LOUD,
    QUIET,
    REPLY,
    SAID,
    Living,
    living,
    settled,
    typed,
)

pytestmark = pytest.mark.usefixtures("own_home")

PHANTOM = Heard(
    text="Thank you for watching!",
    language="en",
    no_speech=0.9,
    log_probability=-0.5,
    compression=1.0,
)
THANKS = Heard(
    text="Thank you.", language="en", no_speech=0.02, log_probability=-0.2, compression=1.0
)
FIVE_SECONDS, CLICK, MINUTE = 157, 7, 1876
"""Chunks."""
SHOUT = (20_000).to_bytes(2, "little") * CHUNK_SAMPLES
SPEAKING_DBFS = -20.0


async def test_a_cough_costs_nothing() -> None:
    """The sound is held at once, and goes on; nobody was cut and nothing was said."""
    async with living(ScriptedPlanner(REPLY), "When?", PHANTOM) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        on.speaker.played = 1.0
        await on.microphone.hear(LOUD, 3)
        assert on.speaker.is_paused
        await on.microphone.hear(LOUD, SAID)
        await on.microphone.hear(QUIET, DONE)
        await settled()
        assert not on.speaker.is_paused
        assert (await on.chat.memory()).open_turns == (on.rows[0].turn_id,)
        await on.over()
        assert await on.pairs() == [("When?", REPLY, False)]


async def test_its_own_voice_is_nobody_s_turn() -> None:
    """B137: with wrong letters, while it sounds and just after; a person in between is heard."""
    own = "The fery leaves at noon."
    planner = ScriptedPlanner(REPLY, "Good.")
    async with living(planner, "When?", own, own, "I will take a coat.") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        await on.say()
        await on.over()
        assert len(on.rows) == 1
        on.clock.advance(timedelta(seconds=1))
        await on.say()
        assert len(on.rows) == 1
        await on.say()
        await on.over()
        assert [pair[0] for pair in await on.pairs()] == ["When?", "I will take a coat."]


async def test_what_was_said_may_be_said_again_later() -> None:
    """B137: a person who repeats the reply long after its sound is a person."""
    async with living(ScriptedPlanner(REPLY, "Yes."), "When?", "The ferry leaves at noon?") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        await on.over()
        on.clock.advance(timedelta(seconds=3))
        await on.say()
        await on.over()
        assert len(await on.pairs()) == 2


async def test_an_open_microphone_closes_after_a_minute_without_a_turn() -> None:
    """Noise does not keep it open; a sound says so."""
    async with living(ScriptedPlanner(), PHANTOM) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.microphone.hear(QUIET, 900)
        await on.say()
        assert on.microphone.is_open
        await on.microphone.hear(QUIET, 950)
        await settled()
        assert (on.live.is_hands_free, on.microphone.is_open) == (False, False)
        assert on.told == ["Nobody spoke for a minute, so the microphone was closed."]
        assert on.speaker.given > 0


async def test_a_microphone_opened_for_one_turn_is_not_left_open() -> None:
    """Nobody came: the door closes."""
    async with living(ScriptedPlanner()) as on:
        on.live.talk()
        await settled()
        await on.microphone.hear(QUIET, MINUTE)
        await settled()
        assert (on.live.state, on.microphone.is_open) == (VoiceState.OFF, False)
        assert on.told == ["Nobody spoke for a minute, so the microphone was closed."]


async def test_a_held_key_is_somebody_there() -> None:
    """However long they think."""
    async with living(ScriptedPlanner("Noon."), "When?") as on:
        on.live.talk(held=True)
        await settled()
        await on.microphone.hear(QUIET, MINUTE)
        assert (on.microphone.is_open, on.told) == (True, [])
        await on.microphone.hear(LOUD, SAID)
        on.live.end_talk()
        await on.microphone.hear(QUIET)
        await settled()
        await on.over()
        assert await on.pairs() == [("When?", "Noon.", False)]


@pytest.mark.parametrize(("chunk", "heard"), [(QUIET, []), (LOUD, [PHANTOM])])
async def test_whoever_asked_to_be_heard_is_told_that_nothing_was(
    chunk: bytes, heard: list[Heard]
) -> None:
    """B134: silence or a phantom, where somebody pressed a key for it."""
    async with living(ScriptedPlanner(), *heard) as on:
        on.live.talk(held=True)
        await settled()
        await on.microphone.hear(chunk, SAID)
        on.live.end_talk()
        await on.microphone.hear(QUIET)
        await settled()
        assert on.told == ["No words were heard."]
        assert (on.live.state, on.rows) == (VoiceState.OFF, [])


async def cut_in(on: Living) -> None:
    """Somebody speaks over a reply."""
    on.speaker.played = FIRST_SENTENCE
    await on.say()


async def test_nothing_goes_round_in_a_circle_unattended() -> None:
    """B137: turns that all began over Pace's voice end hands-free, whatever was understood."""
    planner = ScriptedPlanner(*[REPLY] * (CUT_INS_LIMIT + 1))
    misheard = [f"Number {number} of something else." for number in range(CUT_INS_LIMIT)]
    async with living(planner, "When?", *misheard) as on:
        await on.listen()
        await on.say()
        for number in range(CUT_INS_LIMIT):
            assert (on.live.is_hands_free, len(on.rows)) == (True, number + 1)
            await cut_in(on)
        assert (on.live.is_hands_free, on.live.is_open) == (False, False)
        assert on.told == [
            "Pace was cut in on again and again and may hear itself: hands-free is off."
        ]
        assert len(on.rows) == CUT_INS_LIMIT + 1


async def test_whoever_types_in_between_is_attended() -> None:
    """B137: the count begins anew with a key, a click, or a turn that waited for its own."""
    spoken, typed_in_between = 2 + 2 * (CUT_INS_LIMIT - 1), 2
    planner = ScriptedPlanner(*[REPLY] * (spoken + typed_in_between))
    async with living(planner, *[f"Number {number}." for number in range(spoken)]) as on:
        await on.listen()
        await on.say()
        for _ in range(2):
            for _ in range(CUT_INS_LIMIT - 1):
                await cut_in(on)
            await on.live.type(typed("Go on."))
            await settled()
        await on.over()
        await on.say()
        assert (on.live.is_hands_free, on.told) == (True, [])


@pytest.mark.parametrize(
    ("chunk", "times", "recognised"),
    [(QUIET, FIVE_SECONDS, 0), (LOUD, FIVE_SECONDS, 2), (SHOUT, CLICK, 1)],
)
async def test_silence_a_fan_and_a_click_are_nobody(
    chunk: bytes, times: int, recognised: int
) -> None:
    """B134: they ask nobody, and the idle time runs on from before; a person's thanks is a turn."""
    planner = ScriptedPlanner("Hello.", "My pleasure.")
    async with living(planner, "I am Ada.", *[PHANTOM] * recognised, THANKS) as on:
        await on.listen()
        await on.say()
        await on.over()
        on.clock.advance(timedelta(minutes=19, seconds=50))
        await on.microphone.hear(chunk, times)
        await on.microphone.hear(QUIET, DONE)
        await settled()
        assert (len(on.rows), len(planner.prompts), on.told) == (1, 1, [])
        on.clock.advance(timedelta(seconds=20))
        await on.say()
        await on.over()
        assert await on.pairs() == [("Thank you.", "My pleasure.", False)]
        assert [message.content for message in planner.prompts[1].messages[1:]] == ["Thank you."]


@pytest.mark.parametrize("later", [timedelta(), timedelta(seconds=1.4)])
async def test_pace_cannot_talk_with_itself(later: timedelta) -> None:
    """B137: however often its own last sentence comes back, with wrong letters or without."""
    echoes = ("It costs nine crowns.", "It costs nyne crouns.", "it cosds nine crown") * 3
    planner = ScriptedPlanner(REPLY, "Good bye.")
    async with living(planner, "When?", *echoes, *echoes, "Stop please.") as on:
        await on.listen()
        await on.say()
        for _ in echoes:
            await on.say()
        assert not on.speaker.is_paused
        await on.over()
        on.clock.advance(later)
        for _ in echoes:
            await on.say()
        assert (len(on.rows), len(planner.prompts)) == (1, 1)
        assert on.live.state is VoiceState.LISTENING
        await on.say()
        await on.over()
        assert [pair[0] for pair in await on.pairs()] == ["When?", "Stop please."]


async def test_a_person_gets_through_while_its_own_voice_comes_back() -> None:
    """B137: a word to stop, between two echoes of what sounds."""
    own = "The ferry leeves at noon."
    async with living(ScriptedPlanner(REPLY), "When?", own, "Stop please.") as on:
        await on.listen()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.say()
        assert on.live.state is VoiceState.SPEAKING
        await on.say()
        assert await on.pairs() == [("When?", "The ferry leaves at noon.", True)]


async def test_what_the_loudspeaker_gives_back_holds_nothing() -> None:
    """No chunk of it counts as speech, so that it is not even recognised; a shout above it does."""
    planner = ScriptedPlanner(REPLY, "At eight.")
    async with living(planner, "When?", "And back?", gate=EchoGate()) as on:
        await on.listen()
        await on.say()
        on.speaker.level, on.speaker.played = SPEAKING_DBFS, FIRST_SENTENCE
        await on.microphone.hear(LOUD, FIVE_SECONDS)
        assert (on.live.state, on.speaker.is_paused) == (VoiceState.SPEAKING, False)
        assert len(on.recogniser.sounds) == 1
        await on.microphone.hear(SHOUT, SAID)
        assert (on.live.state, on.speaker.is_paused) == (VoiceState.HEARING, True)
        await on.microphone.hear(QUIET, DONE)
        await settled()
        assert len(on.rows) == 2
