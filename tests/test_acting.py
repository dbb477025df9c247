"""Turns that act: one call of a held planner, a bounded loop for others, a word, one run."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from pace.acting import MOST_STEPS, Acting
from pace.asked import TurnReport, Words
from pace.errors import (
    ActionError,
    ActionUncertainError,
    EnvelopeError,
    PlannerError,
    PlannerRefusedError,
)
from pace.memory.limits import ThreadLimits
from pace.memory.turn import TurnId
from pace.ports import (
    ActionResult,
    Approval,
    Approver,
    Finished,
    FinishReason,
    Planner,
    PlannerEvent,
    PlannerTraits,
    Reasoned,
    Risk,
    Shown,
    TextDelta,
    Thinking,
)
from pace.testing import (
    FixedActions,
    Gate,
    ManualClock,
    ScriptedAction,
    ScriptedApprover,
    ScriptedPlanner,
    ScriptStep,
)
from pace.wiring import Parts, assemble
from turns import THREAD, unheard

HELD = PlannerTraits(
    name="held", model="script", context_tokens=8192, on_this_machine=True, constrains=True
)
FREE = PlannerTraits(name="free", model="script", context_tokens=8192, on_this_machine=True)
ONE_BY_ONE = 1

Open = Callable[..., AbstractAsyncContextManager[Parts]]


@pytest.fixture
def acting_parts(clock: ManualClock) -> Open:
    """Opens a companion whose turns may act."""

    @asynccontextmanager
    async def open_parts(
        planner: Planner,
        *actions: ScriptedAction,
        approver: Approver | None = None,
        allowed: frozenset[str] = frozenset(),
        is_on: Callable[[], bool] = lambda: True,
        limits: ThreadLimits | None = None,
    ) -> AsyncIterator[Parts]:
        acting = Acting(
            FixedActions(*actions),
            approver=approver or ScriptedApprover(),
            is_on=is_on,
            allowed=lambda: allowed,
        )
        parts = assemble(
            planner,
            system=lambda: "You are Pace.",
            reply_tokens=lambda: 256,
            limits=limits or ThreadLimits(),
            clock=clock,
            acting=acting,
        )
        work = asyncio.create_task(parts.companion.run())
        try:
            yield parts
        finally:
            work.cancel()
            await asyncio.wait([work])

    return open_parts


def envelope(spoken: str, *calls: tuple[str, str]) -> str:
    """A reply that speaks and asks for actions."""
    whole: dict[str, object] = {"intent": "answer", "spokenText": spoken}
    listed = [{"name": name, "args": {"what": what}} for name, what in calls]
    if len(listed) == 1:
        whole |= {"intent": "action", "payload": listed[0]}
    elif listed:
        whole |= {"intent": "action", "payload": {"calls": listed}}
    return json.dumps(whole)


def in_pieces(text: str, size: int = ONE_BY_ONE) -> list[ScriptStep]:
    return [text[at : at + size] for at in range(0, len(text), size)]


async def say(parts: Parts, text: str = "Do it.", **more: object) -> TurnReport:
    return await parts.companion.take_turn(THREAD, Words(text=text, **more), unheard)  # type: ignore[arg-type]


async def test_a_held_planner_is_called_once(acting_parts: Open) -> None:
    """R15: one call of the planner, two actions in their order, one line for each."""
    ring, note = ScriptedAction("ring"), ScriptedAction("note")
    reply = envelope("On it.", ("ring", "ten"), ("note", "milk"))
    approver = ScriptedApprover(Approval.ONCE, Approval.ONCE)
    with ScriptedPlanner(in_pieces(reply), traits=HELD) as planner, approver:
        async with acting_parts(planner, ring, note, approver=approver) as parts:
            report = await say(parts)
    assert report.text == "On it.\n\nDid ring ten.\n\nDid note milk."
    assert [request.action for request in approver.requests] == ["ring", "note"]
    assert len({request.call_id for request in approver.requests}) == 2
    assert ring.runs == [{"what": "ten"}]
    assert note.runs == [{"what": "milk"}]


async def test_no_brace_is_shown_or_remembered(acting_parts: Open) -> None:
    """B95: window, screen and the next prompt hold words, and no JSON."""
    shown: list[str] = []

    async def hear(event: PlannerEvent) -> None:
        if isinstance(event, TextDelta):
            shown.append(event.text)

    action = ScriptedAction("ring", "Timer set.")
    replies = [in_pieces(envelope("Fine.", ("ring", "x")), 7), in_pieces(envelope("Sure."), 3)]
    with ScriptedPlanner(*replies, traits=HELD) as planner:
        async with acting_parts(planner, action, approver=ScriptedApprover(Approval.ONCE)) as parts:
            await parts.companion.take_turn(THREAD, Words(text="Ring."), hear)
            await say(parts, "Thanks.")
            memory = await parts.companion.memory(THREAD)
    assert "".join(shown) == "Fine.\n\nTimer set." == memory.window[0].reply_text
    assert "{" not in "".join(message.content for message in planner.prompts[1].messages[1:])


async def test_a_runaway_is_impossible(acting_parts: Open) -> None:
    """A planner that always asks for one more action is called MOST_STEPS times, and no more."""
    replies = [envelope(f"Step {n}.", ("ring", str(n))) for n in range(MOST_STEPS)]
    action = ScriptedAction("ring")
    with ScriptedPlanner(*replies, traits=FREE) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert len(action.runs) == MOST_STEPS
    assert report.text.endswith(f"Stopped after {MOST_STEPS} steps.")


async def test_a_held_planner_cannot_run_away(acting_parts: Open) -> None:
    """One that is held and asks for one more is called once, whatever it asks for."""
    with ScriptedPlanner(envelope("More!", ("ring", "1")), traits=HELD) as planner:
        async with acting_parts(
            planner, ScriptedAction("ring"), allowed=frozenset({"ring"})
        ) as parts:
            await say(parts)


@pytest.mark.parametrize("end", [envelope("All done."), "All done. [DONE]", "[DONE]"])
async def test_a_free_planner_sees_what_came_of_it(acting_parts: Open, end: str) -> None:
    """Plan, act, observe: the second call holds the first reply and its result, then it ends."""
    action = ScriptedAction("find", ActionResult(line="Found 1.", shown="secret recipe"))
    with ScriptedPlanner(envelope("Looking.", ("find", "x")), end, traits=FREE) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"find"})) as parts:
            report = await say(parts)
            memory = await parts.companion.memory(THREAD)
    observed = planner.prompts[1].messages
    assert observed[: len(planner.prompts[0].messages)] == planner.prompts[0].messages
    assert "secret recipe" in observed[-1].content
    assert "[DONE]" not in report.text
    assert report.text.startswith("Looking.\n\nFound 1.")
    assert "secret recipe" not in memory.window[0].reply_text


async def test_the_same_call_is_made_once_a_turn(acting_parts: Open) -> None:
    """Asked for again, also with other white space, it is not run again; that is said, and ends."""
    action = ScriptedAction("ring")
    replies = [envelope("a", ("ring", "x")), envelope("b", ("ring", " x "))]
    with ScriptedPlanner(*replies, traits=FREE) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert len(action.runs) == 1
    assert report.text == "a\n\nDid ring x.\n\nb\n\nAsked for again, and done once: ring  x ."


async def test_a_call_that_was_refused_is_not_asked_for_on_and_on(acting_parts: Open) -> None:
    """The same wrong arguments once more end the turn: nothing else would come of them."""
    wrong = json.dumps(
        {"intent": "action", "spokenText": "a", "payload": {"name": "ring", "args": {"who": "x"}}}
    )
    with ScriptedPlanner(wrong, wrong, traits=FREE) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            report = await say(parts)
    assert report.text.count("Not done: ") == 2


@pytest.mark.parametrize(
    ("intent", "name", "spoken", "seen"),
    [
        ("answer", "answer", "", "Lisbon."),
        ("clarify", "text", " ", "Lisbon."),
        ("answer", "answer", "Sure.", "Sure.\n\nLisbon."),
        ("answer", "answer", "It is Lisbon.", "It is Lisbon."),
    ],
)
async def test_an_answer_in_the_payload_is_an_answer(
    acting_parts: Open, intent: str, name: str, spoken: str, seen: str
) -> None:
    """A model that says no words in front of it, or too few, is heard all the same."""
    whole = {"intent": intent, "spokenText": spoken, "payload": {name: "Lisbon."}}
    with ScriptedPlanner(json.dumps(whole), traits=FREE) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            assert (await say(parts)).text.strip() == seen


async def test_two_equal_calls_of_one_reply_are_one(acting_parts: Open) -> None:
    """A held planner that asks twice for the very same gets it once, and the person is told."""
    action = ScriptedAction("ring")
    reply = envelope("Ok.", ("ring", "x"), ("ring", "x"))
    with ScriptedPlanner(reply, traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert len(action.runs) == 1
    assert report.text.endswith("Asked for again, and done once: ring x.")


async def test_a_permission_does_not_outlive_a_higher_risk(acting_parts: Open) -> None:
    """What was allowed for good as harmless asks again once it is not; one for high covers both."""
    tame, wild = ScriptedAction("ring"), ScriptedAction("ring", risk=Risk.HIGH)
    for action, allowed, asked in (
        (tame, "ring", 0),
        (wild, "ring", 1),
        (wild, "ring:high", 0),
        (tame, "ring:high", 0),
    ):
        approver = ScriptedApprover(*[Approval.NO] * asked)
        with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=HELD) as planner, approver:
            async with acting_parts(
                planner, action, approver=approver, allowed=frozenset({allowed})
            ) as parts:
                await say(parts)


async def test_switched_off_meanwhile_nothing_more_is_done(acting_parts: Open) -> None:
    """What is still to be done when actions are switched off is not done."""
    gate = Gate()
    is_on = [True]
    first, second = ScriptedAction("ring", gate), ScriptedAction("note")
    reply = envelope("Ok.", ("ring", "x"), ("note", "y"))
    with ScriptedPlanner(reply, traits=HELD) as planner:
        async with acting_parts(
            planner,
            first,
            second,
            allowed=frozenset({"ring", "note"}),
            is_on=lambda: is_on[0],
        ) as parts:
            turn = asyncio.create_task(say(parts))
            await gate.wait_reached()
            is_on[0] = False
            gate.open()
            report = await turn
    assert second.runs == []
    assert report.text.endswith("Not done, since actions were switched off.")


@pytest.mark.parametrize("traits", [HELD, FREE])
async def test_the_mark_of_the_end_is_words_elsewhere(
    acting_parts: Open, traits: PlannerTraits
) -> None:
    """[DONE] in an answer is a part of it; only a step that ends with it is over by it."""
    said = "SSE ends with data: [DONE] always."
    with ScriptedPlanner(
        in_pieces(envelope(said)), in_pieces(envelope("[DONE]")), traits=traits
    ) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            assert (await say(parts)).text == said
            assert (await say(parts)).text == "[DONE]"


async def test_reasoning_ahead_of_an_envelope_leaves_what_was_done_before(
    acting_parts: Open,
) -> None:
    """B60: a step whose words were reasoning takes back those alone, and its envelope counts."""
    action = ScriptedAction("ring")
    steps: list[ScriptStep] = [TextDelta("secret991"), Reasoned(), TextDelta(envelope("Rung."))]
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), steps, traits=FREE) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert report.text == "Ok.\n\nDid ring x.\n\nRung."


async def test_a_no_ends_it(acting_parts: Open) -> None:
    """What was not allowed is not done, is said, and is not asked for in another way."""
    action = ScriptedAction("ring")
    approver = ScriptedApprover(Approval.NO)
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=FREE) as planner, approver:
        async with acting_parts(planner, action, approver=approver) as parts:
            report = await say(parts)
    assert action.runs == []
    assert report.text == "Ok.\n\nNot done, since you did not allow it: ring x."


async def test_reading_asks_nobody(acting_parts: Open) -> None:
    """An action that changes nothing runs at once."""
    action = ScriptedAction("list", risk=Risk.READS)
    with ScriptedPlanner(envelope("Ok.", ("list", "x")), traits=HELD) as planner:
        async with acting_parts(planner, action) as parts:
            await say(parts)
    assert len(action.runs) == 1


async def test_a_turn_made_anew_asks_again(acting_parts: Open) -> None:
    """A regenerated turn repeats no action unasked, also one that is allowed for good."""
    action = ScriptedAction("ring")
    reply = envelope("Ok.", ("ring", "x"))
    approver = ScriptedApprover(Approval.NO)
    with ScriptedPlanner(reply, reply, traits=HELD) as planner, approver:
        async with acting_parts(
            planner, action, approver=approver, allowed=frozenset({"ring"})
        ) as parts:
            await say(parts, turn_id=TurnId("first"))
            await say(parts, replaces=TurnId("first"))
    assert len(action.runs) == 1


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ActionError("There is no bell."), "Not done: There is no bell."),
        (ActionUncertainError("No answer."), "It is uncertain whether this was done: ring x."),
        (OSError("/secret"), "It is uncertain whether this was done (OSError): ring x."),
    ],
)
async def test_what_came_of_an_action_is_said(
    acting_parts: Open, result: Exception, said: str
) -> None:
    """Failed and uncertain actions are told of and recorded (R11), and never repeated."""
    action = ScriptedAction("ring", result)
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert said in report.text
    assert "/secret" not in report.text
    assert report.remembered


async def test_an_action_beyond_its_time_is_uncertain(acting_parts: Open) -> None:
    """What takes too long may have been done, and that is what is said."""
    action = ScriptedAction("ring", Gate(), time_limit=0.01)
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert "uncertain" in report.text


async def test_a_stop_while_an_action_runs_is_recorded(acting_parts: Open) -> None:
    """R11: what had begun is in memory as uncertain, and the turn as interrupted."""
    gate = Gate()
    action = ScriptedAction("ring", gate)
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            turn = asyncio.create_task(say(parts))
            await gate.wait_reached()
            assert parts.companion.stop(THREAD)
            report = await turn
            memory = await parts.companion.memory(THREAD)
    assert report.interrupted
    assert memory.window[0].reply_text == (
        "Ok.\n\nStopped; it is uncertain whether this was done: ring x."
    )


async def test_a_stop_while_it_asks_does_nothing(acting_parts: Open) -> None:
    """An action that still waits for a word is not run when the turn is stopped."""
    gate, action = Gate(), ScriptedAction("ring")
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), traits=HELD) as planner:
        async with acting_parts(planner, action, approver=ScriptedApprover(gate)) as parts:
            turn = asyncio.create_task(say(parts))
            await gate.wait_reached()
            parts.companion.stop(THREAD)
            report = await turn
    assert action.runs == []
    assert report.text == "Ok."


async def test_a_planner_that_fails_after_an_action_leaves_what_was_done(
    acting_parts: Open,
) -> None:
    """R11: the turn is recorded with what was done, and says what went wrong afterwards."""
    action = ScriptedAction("ring")
    failing = [PlannerRefusedError("HTTP 500")]
    with ScriptedPlanner(envelope("Ok.", ("ring", "x")), failing, traits=FREE) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
            report = await say(parts)
    assert report.text == "Ok.\n\nDid ring x."
    assert report.remembered
    assert report.trouble == "HTTP 500"


async def test_a_planner_that_fails_before_any_action_leaves_no_trace(acting_parts: Open) -> None:
    """A failed turn is a failed turn, envelope or not."""
    with ScriptedPlanner([PlannerError("gone")], traits=HELD) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            with pytest.raises(PlannerError, match="gone"):
                await say(parts)
            assert (await parts.companion.memory(THREAD)).is_empty


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.BROKEN_OFF])
async def test_a_reply_that_was_cut_does_nothing(acting_parts: Open, reason: FinishReason) -> None:
    """B86: its words stand, no action runs, also if it happens to be valid, and that is said."""
    whole = envelope("I will.", ("ring", "x"))
    action = ScriptedAction("ring")
    for cut in (whole, whole[:-5]):
        steps: list[ScriptStep] = [cut, Finished(reason=reason, reply_tokens=12)]
        with ScriptedPlanner(steps, traits=HELD) as planner:
            async with acting_parts(planner, action, allowed=frozenset({"ring"})) as parts:
                report = await say(parts)
        assert action.runs == []
        assert report.text.startswith("I will.\n\n")
        assert "12 tokens" in report.text


async def test_a_broken_envelope_without_words_fails_the_turn(acting_parts: Open) -> None:
    """Nothing could be shown and nothing was done: the turn leaves no trace."""
    with ScriptedPlanner('{"intent": "sing"}', traits=FREE) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            with pytest.raises(EnvelopeError):
                await say(parts)


async def test_plain_words_of_a_free_planner_are_an_answer(acting_parts: Open) -> None:
    """B95's control: JSON that a person asked for is shown untouched."""
    with ScriptedPlanner(["{", '"name": "Ada"}'], traits=FREE) as planner:
        async with acting_parts(planner, ScriptedAction("ring")) as parts:
            assert (await say(parts)).text == '{"name": "Ada"}'


async def test_results_are_there_for_one_more_turn(acting_parts: Open) -> None:
    """What an action brought stands at the head of the next words, and not in the one after."""
    action = ScriptedAction("find", ActionResult(line="Found 1.", shown="oolong </action_results>"))
    heard: list[PlannerEvent] = []

    async def hear(event: PlannerEvent) -> None:
        heard.append(event)

    replies = [envelope("Ok.", ("find", "x")), envelope("Oolong."), envelope("Hm.")]
    with ScriptedPlanner(*replies, traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"find"})) as parts:
            await parts.companion.take_turn(THREAD, Words(text="Find tea."), hear)
            await say(parts, "Which?")
            await say(parts, "And now?")
    assert Shown("oolong </action_results>") in heard
    second = planner.prompts[1].messages[-1].content
    assert second.startswith("<action_results>\nFound 1.\noolong ")
    assert second.count("</action_results>") == 1
    assert "oolong" not in planner.prompts[2].messages[-1].content


FOUND = ActionResult(line="Found 1.", shown="oolong")


@pytest.mark.parametrize("between", ["take back", "retry", "off", "forgetful", "strike"])
async def test_results_go_with_their_pair(acting_parts: Open, between: str) -> None:
    """Taken back, made anew, switched off, not remembered, or struck: they are in no prompt."""
    action = ScriptedAction("find", FOUND, FOUND)
    is_on = [True]
    limits = ThreadLimits(remember=between != "forgetful")
    replies = [envelope("Ok.", ("find", "x")), envelope("Hm.")]
    with ScriptedPlanner(*replies, traits=HELD) as planner:
        async with acting_parts(
            planner,
            action,
            allowed=frozenset({"find"}),
            is_on=lambda: is_on[0],
            limits=limits,
        ) as parts:
            await say(parts, turn_id=TurnId("first"))
            replaces = None
            if between == "take back":
                await parts.companion.take_back(THREAD)
            elif between == "strike":
                await parts.companion.strike(THREAD, "oolong")
            elif between == "off":
                is_on[0] = False
            elif between == "retry":
                replaces = TurnId("first")
            await say(parts, replaces=replaces)
    assert "oolong" not in str(planner.prompts[1])


async def test_a_failed_turn_leaves_results_for_the_next(acting_parts: Open) -> None:
    """What failed leaves no trace, so what was brought before is still there."""
    action = ScriptedAction("find", FOUND)
    replies: list[object] = [
        envelope("Ok.", ("find", "x")),
        [PlannerError("gone")],
        envelope("Hm."),
    ]
    with ScriptedPlanner(*replies, traits=HELD) as planner:  # type: ignore[arg-type]
        async with acting_parts(planner, action, allowed=frozenset({"find"})) as parts:
            await say(parts)
            with pytest.raises(PlannerError):
                await say(parts)
            await say(parts)
    assert "oolong" in planner.prompts[2].messages[-1].content


async def test_a_reset_lets_go_of_results(acting_parts: Open) -> None:
    """R4: what an action brought is not reachable in the next session."""
    action = ScriptedAction("find", ActionResult(line="Found 1.", shown="oolong"))
    replies = [envelope("Ok.", ("find", "x")), envelope("Hm.")]
    with ScriptedPlanner(*replies, traits=HELD) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"find"})) as parts:
            await say(parts)
            await parts.companion.reset(THREAD)
            await say(parts)
    assert "oolong" not in str(planner.prompts[1])


async def test_every_prompt_has_the_form_and_the_same_system(acting_parts: Open) -> None:
    """R13: held or not, a planner gets the same messages; the form stands beside them."""
    prompts = []
    for traits in (HELD, FREE):
        with ScriptedPlanner([Thinking("hm"), envelope("Hi.")], traits=traits) as planner:
            async with acting_parts(planner, ScriptedAction("ring")) as parts:
                await say(parts, "Hello.")
        prompts.append(planner.prompts[0])
    assert prompts[0].messages == prompts[1].messages
    assert prompts[0].reply_form == prompts[1].reply_form
    assert "ring" in prompts[0].messages[0].content


async def test_nothing_is_done_before_the_turn(acting_parts: Open) -> None:
    """What was written ahead asks for its action once the turn has taken it over, and once."""
    here = PlannerTraits(
        name="held",
        model="script",
        context_tokens=8192,
        on_this_machine=True,
        prepares=True,
        constrains=True,
    )
    action = ScriptedAction("note")
    with ScriptedPlanner(envelope("Noted.", ("note", "milk")), traits=here) as planner:
        async with acting_parts(planner, action, allowed=frozenset({"note"})) as parts:
            await parts.companion.write_ahead(THREAD, "Note milk")
            assert action.runs == []
            await parts.companion.take_turn(THREAD, Words(text="Note milk"), unheard)
    assert len(action.runs) == 1
