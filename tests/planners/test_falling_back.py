"""Falling back by itself: only where it was switched on, only to this machine, never unsaid."""

import pytest

from pace.errors import (
    EmptyReplyError,
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerSignedOutError,
    PlannerUnavailableError,
    PlannerUnreachableError,
)
from pace.memory.tokens import estimate_tokens
from pace.planners.falling_back import FallBackPlanner
from pace.ports import (
    SUMMARIES,
    Finished,
    Loading,
    Notice,
    PlannerEvent,
    PlannerTraits,
    TextDelta,
    Thinking,
)
from pace.testing import ScriptedPlanner
from planners.prompts import prompt_of

FAR = PlannerTraits(name="far", model="Far", context_tokens=200_000, on_this_machine=False)
HERE = PlannerTraits(name="embedded", model="Here 1B", context_tokens=8192, on_this_machine=True)


class Nowhere(ScriptedPlanner):
    """One that does not even say what it is."""

    async def traits(self) -> PlannerTraits:
        raise PlannerUnreachableError("Nothing answers.")

    async def count_tokens(self, texts: object) -> list[int]:  # noqa: ARG002
        raise PlannerUnreachableError("Nothing answers.")


def pair(*far: object, here: tuple[str, ...] = ()) -> tuple[ScriptedPlanner, ScriptedPlanner]:
    return ScriptedPlanner(*far, traits=FAR), ScriptedPlanner(*here, traits=HERE)  # type: ignore[arg-type]


async def events_of(planner: FallBackPlanner, words: str = "Hi") -> list[PlannerEvent]:
    return [event async for event in planner.stream(prompt_of(words))]


def over(far: ScriptedPlanner, here: ScriptedPlanner) -> FallBackPlanner:
    return FallBackPlanner(far, here, here_tokens=HERE.context_tokens)


@pytest.mark.parametrize(
    "error",
    [
        PlannerUnreachableError("Nothing answers."),
        PlannerUnavailableError("It is not available."),
        PlannerSignedOutError("It is signed out."),
        PlannerQuotaError("It is used up."),
        PlannerRefusedError("It refused."),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_the_notice_comes_before_anything_is_asked(error: PlannerError) -> None:
    """B73: what failed and who answers is said first, and the last event names who answered."""
    far, here = pair([error], here=("From here.",))
    with far, here:
        stream = over(far, here).stream(prompt_of("Hi"))
        first = await anext(stream)
        assert first == Notice(f"{error} This turn is answered by Here 1B, on this machine.")
        assert here.prompts == []
        rest = [event async for event in stream]
    assert rest[0] == TextDelta("From here.")
    assert isinstance(rest[-1], Finished)
    assert (rest[-1].planner, rest[-1].model) == ("embedded", "Here 1B")


async def test_a_failure_that_ends_in_a_command_ends_in_a_full_stop() -> None:
    """What comes after it begins a sentence of its own."""
    far, here = pair([PlannerSignedOutError("Sign in: claude auth login")], here=("From here.",))
    with far, here:
        [notice, *_] = await events_of(over(far, here))
    assert notice == Notice(
        "Sign in: claude auth login. This turn is answered by Here 1B, on this machine."
    )


async def test_no_fall_without_a_fault() -> None:
    """A chosen planner that answers is the only one asked."""
    far, here = pair("From far.")
    with far, here:
        assert TextDelta("From far.") in await events_of(over(far, here))


@pytest.mark.parametrize("begun", [TextDelta("Fro"), Thinking("hm")], ids=["words", "thoughts"])
async def test_a_reply_that_has_begun_is_not_begun_anew(begun: PlannerEvent) -> None:
    """After its first words or thoughts, a failure is a failure."""
    far, here = pair([begun, PlannerUnreachableError("Gone.")])
    with far, here, pytest.raises(PlannerUnreachableError):
        await events_of(over(far, here))


async def test_signs_of_life_are_no_beginning() -> None:
    """A server that loads its model and then is gone has said nothing yet."""
    far, here = pair([Loading("Far"), PlannerUnreachableError("Gone.")], here=("From here.",))
    with far, here:
        assert TextDelta("From here.") in await events_of(over(far, here))


async def test_other_failures_do_not_fall() -> None:
    """An empty reply is one that was given."""
    far, here = pair([EmptyReplyError()])
    with far, here, pytest.raises(EmptyReplyError):
        await events_of(over(far, here))


async def test_summaries_never_fall_back() -> None:
    """B73: a fold that fails is the extractive summarizer's business."""
    far, here = pair([PlannerUnreachableError("Gone.")])
    with far, here, pytest.raises(PlannerUnreachableError):
        async for _ in over(far, here).stream(prompt_of("Fold", thread=SUMMARIES)):
            pass


async def test_prompts_fit_both() -> None:
    """The smaller context holds, and no count is below the estimate."""
    far, here = pair()
    planner = over(far, here)
    assert await planner.traits() == PlannerTraits(
        name="far", model="Far", context_tokens=8192, on_this_machine=False
    )
    assert await planner.count_tokens(["one two three"]) >= [estimate_tokens("one two three")]


async def test_one_that_never_told_is_taken_for_a_remote_one() -> None:
    """What is not known to be on this machine is asked for no summary."""
    far = Nowhere([PlannerUnreachableError("Nothing answers.")])
    here = ScriptedPlanner("From here.", traits=HERE)
    planner = over(far, here)
    traits = await planner.traits()
    assert (traits.on_this_machine, traits.summarizes, traits.context_tokens) == (
        False,
        False,
        8192,
    )
    assert await planner.count_tokens(["one"]) == [estimate_tokens("one")]
    assert TextDelta("From here.") in await events_of(planner)


async def test_both_end() -> None:
    """Closing closes both."""
    far, here = pair()
    await over(far, here).aclose()
    assert (far.is_closed, here.is_closed) == (True, True)
