"""A spoken word on an action: once or no, after the question has sounded, and nothing else."""

import json

import pytest

from pace.chat import RowStatus
from pace.ports import Approval, PlannerTraits, Risk
from pace.speech.ports import Heard
from pace.testing import FixedActions, Gate, ScriptedAction, ScriptedPlanner
from speech.living import QUIET, living, settled, typed

pytestmark = pytest.mark.usefixtures("own_home")

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


@pytest.mark.parametrize(("word", "is_answer"), [("Yes.", False), ("No.", True)])
async def test_a_yes_that_was_not_surely_heard_is_none(word: str, *, is_answer: bool) -> None:
    """Recognisers make a yes of a mumble; a no does no harm."""
    action = ScriptedAction("ring")
    unsure = Heard(text=word, language="en", no_speech=0.1, log_probability=-0.6, compression=1.0)
    planner = ScriptedPlanner(ASKED, traits=ENVELOPES)
    heard = ("Ring at ten.", unsure)
    async with living(planner, *heard, actions=FixedActions(action), flags=ACTING) as on:
        await on.listen()
        await on.say()
        await on.over()
        await on.say()
        await settled()
        assert (action.runs, on.rows[0].asks is None) == ([], is_answer)


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
        assert on.told == ["That was no clear answer. Say yes or no, or use the keys."]
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


@pytest.mark.parametrize("way", ["a key", "typed words"])
async def test_a_question_that_is_cut_is_closed(way: str) -> None:
    """Whatever is said to it afterwards, on any screen, its action never runs."""
    action = ScriptedAction("ring")
    other = json.dumps({"intent": "answer", "spokenText": "Hello."})
    planner = ScriptedPlanner(ASKED, *([other] if way == "typed words" else []), traits=ENVELOPES)
    async with living(planner, "Ring at ten.", actions=FixedActions(action), flags=ACTING) as on:
        await on.listen()
        await on.say()
        request = on.rows[0].asks
        assert request is not None
        if way == "typed words":
            await on.live.type(typed("Hello?"))
        else:
            await on.live.stop()
        assert on.rows[0].asks is None
        assert not on.chat.approvals.answer(request.call_id, Approval.ONCE)
        await settled()
        await on.over()
        assert action.runs == []
