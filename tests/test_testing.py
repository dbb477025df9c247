"""The stand-ins themselves: what they promise to the tests that use them."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime, timedelta, timezone

import pytest

from pace.errors import PlannerCrashedError, SummarizerError
from pace.memory.prompt import Message, Prompt, PromptParts, Role
from pace.memory.summary import Fold, RollingSummary, SummaryUpdate
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair
from pace.ports import Finished, FinishReason, PlannerEvent, PlannerTraits, TextDelta, Thinking
from pace.testing import Gate, GatedSummarizer, ManualClock, ScriptedPlanner, ScriptedSummarizer

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def prompt_of(words: str) -> Prompt:
    return Prompt(
        thread_id=ThreadId("t"),
        session_id=SessionId("s"),
        messages=(Message(Role.SYSTEM, "Be brief."), Message(Role.USER, words)),
        parts=PromptParts(
            system=1, summary=0, pending=0, window=0, facts=0, recalled=0, words=len(words)
        ),
    )


def fold_of(version: int) -> Fold:
    return Fold(
        thread_id=ThreadId("t"),
        session_id=SessionId("s"),
        version=version,
        prior=RollingSummary(),
        pairs=(
            TurnPair(
                turn_id=TurnId("1"),
                number=version,
                user_text="hello",
                reply_text="hi",
                recorded_at=NOON,
            ),
        ),
        budget=400,
    )


async def events_of(planner: ScriptedPlanner, words: str = "hello") -> list[PlannerEvent]:
    async with aclosing(planner.stream(prompt_of(words))) as events:
        return [event async for event in events]


async def test_a_reply_comes_in_its_chunks_and_ends_finished() -> None:
    """A scripted reply is given chunk by chunk, and Finished is added to it."""
    with ScriptedPlanner(["Hel", Thinking(), "lo"], "Bye") as planner:
        assert await events_of(planner) == [
            TextDelta("Hel"),
            Thinking(),
            TextDelta("lo"),
            Finished(reason=FinishReason.STOP),
        ]
        assert (await events_of(planner))[0] == TextDelta("Bye")


async def test_a_scripted_end_is_the_only_one() -> None:
    """A reply whose script says how it finished gets no second end."""
    cut = Finished(reason=FinishReason.LENGTH, reply_tokens=1)
    with ScriptedPlanner(["Hel", cut]) as planner:
        assert await events_of(planner) == [TextDelta("Hel"), cut]


async def test_a_scripted_error_ends_the_reply() -> None:
    """An error is raised where it stands, after the chunks before it."""
    with ScriptedPlanner(["Hel", PlannerCrashedError("It ended.")]) as planner:
        async with aclosing(planner.stream(prompt_of("hello"))) as events:
            assert await anext(events) == TextDelta("Hel")
            with pytest.raises(PlannerCrashedError, match="It ended"):
                await anext(events)
        assert planner.stopped == []


async def test_prompts_are_remembered_in_order() -> None:
    """The planner remembers every prompt it was sent, in order."""
    with ScriptedPlanner("a", "b") as planner:
        await events_of(planner, "one")
        await events_of(planner, "two")
        assert [p.messages[-1].content for p in planner.prompts] == ["one", "two"]


async def test_a_gate_holds_a_reply_in_the_middle() -> None:
    """A reply waits at its gate until the test opens it, and goes on from there."""
    gate = Gate()
    with ScriptedPlanner(["Hel", gate, "lo"]) as planner:
        reply = asyncio.create_task(events_of(planner))
        await gate.wait_reached()
        assert not reply.done()
        gate.open()
        assert TextDelta("lo") in await reply
        assert planner.stopped == []


async def test_a_stopped_reply_is_known() -> None:
    """A stream that is cancelled, or closed before its end, is remembered as stopped."""
    gate = Gate()
    with ScriptedPlanner(["Hel", gate], ["Hel", "lo"]) as planner:
        reply = asyncio.create_task(events_of(planner, "cancelled"))
        await gate.wait_reached()
        reply.cancel()
        await asyncio.gather(reply, return_exceptions=True)
        async with aclosing(planner.stream(prompt_of("closed"))) as events:
            assert await anext(events) == TextDelta("Hel")
        assert [p.messages[-1].content for p in planner.stopped] == ["cancelled", "closed"]


async def test_an_unscripted_prompt_fails_at_once_and_at_the_end() -> None:
    """A prompt without a reply fails, also if whoever asked hides the failure."""
    planner = ScriptedPlanner()
    with pytest.raises(AssertionError, match="no reply left"):
        await events_of(planner)
    with pytest.raises(AssertionError, match="1 calls were not scripted"):
        planner.check()


def test_an_unused_reply_fails_at_the_end() -> None:
    """A reply that nobody asked for fails the test."""
    with pytest.raises(AssertionError, match="1 replies were not used"), ScriptedPlanner("a"):
        pass


def test_another_failure_is_not_hidden_by_unused_replies() -> None:
    """When the test has failed already, its own failure is the one that is seen."""
    with pytest.raises(KeyError, match="own"), ScriptedPlanner("a"):
        raise KeyError("own")


async def test_a_planner_remembers_what_else_it_was_asked() -> None:
    """Traits are as given; forgotten threads, prepared prompts and the end are remembered."""
    traits = PlannerTraits(name="n", model="m", context_tokens=99, on_this_machine=False)
    planner = ScriptedPlanner(traits=traits)
    assert await planner.traits() == traits
    await planner.forget(ThreadId("t"))
    held = await planner.prepare(prompt_of("hello"))
    assert held > 0
    assert await planner.count_tokens(["", "hello"]) == [0, estimate_tokens("hello")]
    await planner.aclose()
    assert planner.forgotten == ["t"]
    assert [p.messages[-1].content for p in planner.prepared] == ["hello"]
    assert planner.is_closed


async def test_a_prepare_can_be_held_and_stopped() -> None:
    """A prepare waits at its gate, and a cancelled one is remembered as stopped."""
    gate = Gate()
    planner = ScriptedPlanner(prepare_gate=gate)
    prepare = asyncio.create_task(planner.prepare(prompt_of("hello")))
    await gate.wait_reached()
    assert gate.is_reached
    prepare.cancel()
    await asyncio.gather(prepare, return_exceptions=True)
    assert len(planner.stopped_prepares) == 1
    gate.open()
    await planner.prepare(prompt_of("hello"))
    assert len(planner.stopped_prepares) == 1


async def test_a_summary_from_a_script_covers_the_whole_fold() -> None:
    """A scripted text becomes an update for that very fold, under the name that was given."""
    with ScriptedSummarizer("They spoke of tea.", name="model") as summarizer:
        assert await summarizer.summarize(fold_of(7)) == SummaryUpdate(
            session_id=SessionId("s"),
            version=7,
            covers=7,
            text="They spoke of tea.",
            made_by="model",
        )
        assert [fold.version for fold in summarizer.folds] == [7]


async def test_a_scripted_summarizer_raises_and_gives_what_it_was_told() -> None:
    """An error is raised, and a whole update is given as it is."""
    update = SummaryUpdate(
        session_id=SessionId("other"), version=1, covers=1, text="x", made_by="y"
    )
    with ScriptedSummarizer(SummarizerError("It failed."), update) as summarizer:
        with pytest.raises(SummarizerError):
            await summarizer.summarize(fold_of(1))
        assert await summarizer.summarize(fold_of(2)) is update


async def test_unscripted_and_unused_folds_fail() -> None:
    """A scripted summarizer fails for a fold too many and for a reply too many."""
    summarizer = ScriptedSummarizer()
    with pytest.raises(AssertionError, match="no reply left"):
        await summarizer.summarize(fold_of(1))
    with pytest.raises(AssertionError, match="not scripted"):
        summarizer.check()
    with pytest.raises(AssertionError, match="not used"):
        ScriptedSummarizer("x").check()


async def test_folds_can_land_in_any_order() -> None:
    """Held folds are released by version, so that an old one can answer after a new one."""
    gated = GatedSummarizer(ScriptedSummarizer("second", "first"))
    assert gated.name == "scripted"
    first = asyncio.create_task(gated.summarize(fold_of(1)))
    second = asyncio.create_task(gated.summarize(fold_of(2)))
    assert (await gated.wait_asked(2)).version == 2
    gated.release(2)
    assert (await second).text == "second"
    assert not first.done()
    gated.release_all()
    assert (await first).text == "first"


async def test_a_fold_cancelled_while_held_is_known() -> None:
    """A held fold that is cancelled is remembered and never reaches the inner summarizer."""
    with ScriptedSummarizer() as inner:
        gated = GatedSummarizer(inner)
        fold = asyncio.create_task(gated.summarize(fold_of(1)))
        await gated.wait_asked()
        fold.cancel()
        await asyncio.gather(fold, return_exceptions=True)
        assert [stopped.version for stopped in gated.stopped] == [1]


async def test_released_folds_to_come_pass_at_once() -> None:
    """After everything was released, a fold that comes later is not held."""
    gated = GatedSummarizer(ScriptedSummarizer("done"))
    gated.release_all()
    assert (await gated.summarize(fold_of(1))).text == "done"


def test_a_manual_clock_moves_only_when_told() -> None:
    """Both readings stand still until the clock is advanced, and then move together."""
    clock = ManualClock()
    now, local = clock.now(), clock.local_time()
    assert (clock.now(), clock.local_time()) == (now, local)
    clock.advance(timedelta(minutes=21))
    assert clock.now() - now == clock.local_time() - local == timedelta(minutes=21)


def test_a_wall_clock_can_jump_alone() -> None:
    """Setting the wall clock leaves the idle clock where it was."""
    oslo = timezone(timedelta(hours=1))
    clock = ManualClock(datetime(2026, 11, 19, 23, tzinfo=oslo))
    now = clock.now()
    clock.set_local_time(datetime(2026, 11, 20, 9, tzinfo=oslo))
    assert clock.now() == now
    assert clock.local_time().day == 20
