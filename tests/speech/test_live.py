"""A conversation by voice as it is lived, over stand-ins for ears, mouth and devices."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest

from pace.chat import RowStatus
from pace.doors.voice.live import VoiceState
from pace.errors import PlannerUnreachableError, RecogniserError
from pace.journal.rows import TurnSource
from pace.ports import Approval, PlannerTraits, Risk
from pace.speech.ports import Heard
from pace.speech.turn_taking import CHUNK
from pace.testing import FixedActions, Gate, ScriptedAction, ScriptedPlanner
from speech.living import DONE, LOUD, QUIET, SAID, living, settled, typed

PHANTOM = Heard(
    text="Thank you for watching!",
    language="en",
    no_speech=0.9,
    log_probability=-0.5,
    compression=1.0,
)
REPLY = "The ferry leaves at noon. It costs nine crowns."
FIRST_SENTENCE = 2.5
"""Seconds of it, as the scripted voice speaks."""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_HOME", str(tmp_path))


async def test_what_is_said_is_a_turn_whose_reply_sounds() -> None:
    """From the first sound to the last, each state in its place."""
    async with living(ScriptedPlanner(REPLY), "When does the ferry leave?") as on:
        assert on.live.state is VoiceState.OFF
        on.live.hands_free(on=True)
        await settled()
        assert (on.live.state, on.microphone.is_open) == (VoiceState.LISTENING, True)
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


async def test_whoever_cuts_in_is_heard_out_and_answered() -> None:
    """B136: what was cut is what was heard of it; the next prompt shows no more."""
    async with living(ScriptedPlanner(REPLY, "At eight."), "When?", "And back again?") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.say()
        await on.over()
        assert await on.pairs() == [
            ("When?", "The ferry leaves at noon.", True),
            ("And back again?", "At eight.", False),
        ]
        assert on.rows[0].unheard == " It costs nine crowns."
        assert "crowns" not in str(on.planner.prompts[1].messages)


@pytest.mark.parametrize("word", ["Stop.", "Wait!", "Stop, please."])
async def test_a_word_to_stop_stops_and_is_no_turn(word: str) -> None:
    """Nothing else is made of it."""
    async with living(ScriptedPlanner(REPLY), "When?", word) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.say()
        assert await on.pairs() == [("When?", "The ferry leaves at noon.", True)]
        assert on.live.state is VoiceState.LISTENING
        assert (await on.chat.memory()).open_turns == ()


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


async def test_whoever_goes_on_before_the_answer_adds_to_their_words() -> None:
    """B139: no part is lost, and no half of a sentence is answered."""
    gate = Gate()
    planner = ScriptedPlanner([gate, "Never."], "Press the button.")
    async with living(planner, "I need to reset", "my front door sensor.") as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        assert on.live.state is VoiceState.THINKING
        await on.say()
        await on.over()
        said = "I need to reset my front door sensor."
        assert await on.pairs() == [(said, "Press the button.", False)]
        assert [row.user_text for row in on.rows] == [said]


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


async def test_typed_words_cut_at_once_and_share_the_thread() -> None:
    """Speaking and typing are one conversation."""
    async with living(ScriptedPlanner(REPLY, "Two."), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        on.speaker.played = FIRST_SENTENCE
        await on.live.type(typed("How many?"))
        await settled()
        await on.over()
        assert await on.pairs() == [
            ("When?", "The ferry leaves at noon.", True),
            ("How many?", "Two.", False),
        ]
        assert [row.source for row in on.rows] == [TurnSource.VOICE, TurnSource.CHAT]


async def test_cut_before_any_sound_there_was_no_turn() -> None:
    """B136: it failed, and memory holds nothing of it."""
    async with living(ScriptedPlanner([Gate(), "Never."]), "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        assert await on.live.stop()
        assert await on.pairs() == []
        assert on.rows[0].status is RowStatus.FAILED
        assert not await on.live.stop()


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


async def test_a_microphone_that_fails_is_told_and_typing_goes_on() -> None:
    """One sentence, and the conversation goes on."""
    async with living(ScriptedPlanner("Yes.")) as on:
        on.live.hands_free(on=True)
        await settled()
        on.microphone.fail("The microphone is gone. Plug it in, or type.")
        await settled()
        assert on.told == ["The microphone is gone. Plug it in, or type."]
        assert on.live.state is VoiceState.OFF
        await on.live.type(typed("Are you there?"))
        await settled()
        await on.over()
        assert len(await on.pairs()) == 1


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


# --- a spoken word on an action

ENVELOPES = PlannerTraits(
    name="held", model="script", context_tokens=8192, on_this_machine=True, constrains=True
)
ASKED = json.dumps(
    {
        "intent": "action",
        "spokenText": "On it.",
        "payload": {"name": "ring", "args": {"what": "ten"}},
    }
)
ACTING: dict[str, object] = {"actions.enabled": True}


@pytest.mark.parametrize(
    ("answer", "runs"), [("Yes.", 1), ("No, thanks.", 0), ("Go ahead.", 1), ("Stop.", 0)]
)
async def test_a_question_is_asked_aloud_and_answered_aloud(answer: str, runs: int) -> None:
    """Once or not at all; the microphone opens for the answer and closes behind it."""
    action = ScriptedAction("ring")
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    heard = ("Ring at ten.", answer)
    async with living(planner, *heard, actions=FixedActions(action), flags=ACTING) as on:
        on.live.talk()
        await settled()
        await on.say()
        assert on.voice.spoken == ["On it.", "Pace would ring ten. Yes or no?"]
        assert not on.microphone.is_open
        await on.over()
        assert on.microphone.is_open
        await on.say()
        await on.over()
        assert len(action.runs) == runs
        assert not on.microphone.is_open
        assert len(on.rows) == 1


async def test_what_is_said_before_the_question_has_sounded_is_no_answer() -> None:
    """Whoever says yes to something else agreed to nothing."""
    action = ScriptedAction("ring")
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    heard = ("Ring at ten.", "Yes.", "Always!")
    async with living(planner, *heard, actions=FixedActions(action), flags=ACTING) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        await on.say()
        assert on.rows[0].asks is not None
        await on.over()
        await on.say()
        assert (on.rows[0].asks is not None, action.runs) == (True, [])
        assert on.told == ["That was no answer. Say yes or no, or use the keys."]
        on.chat.approvals.answer(on.rows[0].asks.call_id, Approval.NO)
        await settled()
        await on.over()


async def test_twenty_seconds_of_silence_are_a_no() -> None:
    """Counted from the end of the question."""
    action = ScriptedAction("ring")
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    async with living(planner, "Ring at ten.", actions=FixedActions(action), flags=ACTING) as on:
        on.live.talk()
        await settled()
        await on.say()
        await on.over()
        await on.microphone.hear(QUIET, 620)
        assert on.rows[0].asks is not None
        await on.microphone.hear(QUIET, 6)
        await settled()
        await on.over()
        assert action.runs == []
        assert on.rows[0].status is RowStatus.ANSWERED


async def test_the_highest_risk_is_never_allowed_aloud() -> None:
    """It is named, and waits for a key or a click."""
    action = ScriptedAction("ring", risk=Risk.HIGH)
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    heard = ("Ring at ten.", "Yes.")
    async with living(planner, *heard, actions=FixedActions(action), flags=ACTING) as on:
        on.live.hands_free(on=True)
        await settled()
        await on.say()
        await on.over()
        await on.say()
        assert (on.rows[0].asks is not None, action.runs) == (True, [])
        assert "needs your key" in on.voice.spoken[-1]
        assert await on.live.stop()
        assert action.runs == []


async def test_typing_at_an_open_question_is_a_no() -> None:
    """The reply is cut, and nothing runs."""
    action = ScriptedAction("ring")
    other = json.dumps({"intent": "answer", "spokenText": "Hello."})
    planner = ScriptedPlanner(ASKED, other, traits=ENVELOPES)
    async with living(planner, "Ring at ten.", actions=FixedActions(action), flags=ACTING) as on:
        on.live.talk()
        await settled()
        await on.say()
        await on.live.type(typed("Hello?"))
        await settled()
        await on.over()
        assert action.runs == []
        assert [row.status for row in on.rows][-1] is RowStatus.ANSWERED


async def test_what_was_begun_is_not_asked_for_again() -> None:
    """R11, R15: words whose action has begun are a turn, and no part of the next one."""
    gate = Gate()
    action = ScriptedAction("ring", gate, "Rang.")
    silent = json.dumps(
        {"intent": "action", "spokenText": "", "payload": {"name": "ring", "args": {"what": "ten"}}}
    )
    answer = json.dumps({"intent": "answer", "spokenText": "Good."})
    planner = ScriptedPlanner(silent, answer, traits=ENVELOPES)
    flags: dict[str, object] = {**ACTING, "actions.allowed": "ring"}
    heard = ("Ring at ten.", "And thank you.")
    async with living(planner, *heard, actions=FixedActions(action), flags=flags) as on:
        on.live.talk()
        await settled()
        await on.say()
        assert len(action.runs) == 1
        on.live.talk()
        await settled()
        await on.say()
        await on.over()
        assert [pair[0] for pair in await on.pairs()] == ["Ring at ten.", "And thank you."]
        assert len(action.runs) == 1


async def test_words_that_come_at_once_are_taken_one_after_the_other() -> None:
    """Typed while they are cut in on: each is a row, and the last one is answered."""
    planner = ScriptedPlanner([Gate(), "Never."], "Three.")
    async with living(planner, "When?") as on:
        on.live.talk()
        await settled()
        await on.say()
        async with asyncio.TaskGroup() as group:
            group.create_task(on.live.type(typed("How many?")))
            group.create_task(on.live.type(typed("How many boats?")))
        await settled()
        await on.over()
        assert await on.pairs() == [("How many boats?", "Three.", False)]
        assert [row.status for row in on.rows] == [
            *(RowStatus.FAILED, RowStatus.FAILED, RowStatus.ANSWERED)
        ]
