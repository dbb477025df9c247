"""What counts in the end: which questions a planner answers from what it is shown of a talk."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from enum import StrEnum

from pace.counting import TokenCounts
from pace.errors import PromptTooLongError
from pace.evaluation.matching import Positions
from pace.evaluation.replay import Replay
from pace.evaluation.retention import displaced
from pace.evaluation.shares import Share, share_of
from pace.evaluation.talks import Fact
from pace.memory.fitting import DoesNotFit, Room
from pace.memory.prompt import Draft, Prompt, recall_block
from pace.memory.turn import ThreadId, TurnId, TurnPair, is_blank
from pace.planners.reasoning import without_reasoning
from pace.ports import Planner, Reasoned, TextDelta
from pace.sayable import sayable

SYSTEM = (
    "You answer questions about the conversation that you are shown. Answer in a few words, and "
    "with what was said in it alone."
)
"""What a reader is told; the same for all that it is shown."""
_REPLY_TOKENS = 64
# A reply of more characters is no answer in a few words, even if it thought aloud first.
_LONGEST_ANSWER = 2_000
_NOTHING = "…"


class Shown(StrEnum):
    """What a reader sees of a talk."""

    PACE = "pace"
    WINDOW = "window"
    HISTORY = "history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The share of questions that were answered rightly, and the tokens of a prompt, on average.

    `shortened` prompts did not fit the planner whole.
    """

    right: Share
    prompt_tokens: float
    shortened: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One planner's answers, by what it was shown."""

    reader: str
    questions: int
    by_shown: dict[Shown, Answered]


@dataclass(frozen=True, slots=True)
class _Try:
    talk: int
    is_right: bool
    tokens: int
    is_shortened: bool


async def read(
    replays: Sequence[Replay],
    planner: Planner,
    *,
    most: int | None = None,
    shown: Sequence[Shown] = tuple(Shown),
    on_answer: Callable[[], None] = lambda: None,
) -> Reading:
    """Ask about the facts that have left the window, from each thing that is to be shown.

    Only facts with a question are asked for, at most so many, evenly over the talks. Raises
    PlannerError, and PromptTooLongError if a planner has no room for a question.
    """
    traits = await planner.traits()
    room = Room(context_tokens=traits.context_tokens, reply_tokens=_REPLY_TOKENS)
    counts = TokenCounts(planner)
    asked = questions_of(replays, most=most)
    tries: dict[Shown, list[_Try]] = {what: [] for what in shown}
    for what in shown:
        for at, fact in asked:
            replayed = replays[at]
            prompt = await counts.compose(_draft(replayed, what, fact.question), room)
            if isinstance(prompt, DoesNotFit):
                raise PromptTooLongError(tokens=prompt.tokens, room=prompt.room)
            answer = await _answer(planner, prompt)
            tries[what].append(
                _Try(at, Positions(answer).hold(fact), prompt.parts.total, bool(prompt.gave_way))
            )
            on_answer()
        for replayed in replays:
            await planner.forget(_thread(replayed, what))
    return Reading(
        reader=sayable(traits.model),
        questions=len(asked),
        by_shown={what: _answered(made) for what, made in tries.items() if made},
    )


def questions_of(replays: Sequence[Replay], *, most: int | None = None) -> list[tuple[int, Fact]]:
    """The facts that can be asked for, each with the place of its talk; as many of each talk."""
    by_talk = []
    for at, replayed in enumerate(replays):
        facts = replayed.talk.facts
        gone = (facts[place] for place in displaced(replayed.talk, replayed.moments[-1]))
        by_talk.append([(at, fact) for fact in gone if fact.question])
    everything = [asked for questions in by_talk for asked in questions]
    if most is None or len(everything) <= most:
        return everything
    step = len(everything) / most
    return [everything[int(number * step)] for number in range(most)]


def _draft(replayed: Replay, what: Shown, question: str) -> Draft:
    whole = replace(
        Draft.of(replayed.memory, system=SYSTEM, words=question), thread_id=_thread(replayed, what)
    )
    match what:
        case Shown.PACE:
            block = recall_block(replayed.memory, question)
            return whole if block is None else replace(whole, blocks=(block,))
        case Shown.WINDOW:
            return replace(whole, summary="", pending=())
        case Shown.HISTORY:
            return replace(whole, summary="", pending=(), window=_pairs(replayed))


def _thread(replayed: Replay, what: Shown) -> ThreadId:
    return ThreadId(f"{replayed.talk.id} {what}")


def _pairs(replayed: Replay) -> tuple[TurnPair, ...]:
    at = replayed.memory.last_active_at
    return tuple(
        TurnPair(
            turn_id=TurnId(str(number)),
            number=number,
            user_text=_half(turn.user),
            reply_text=_half(turn.assistant),
            recorded_at=at,
        )
        for number, turn in enumerate(replayed.talk.turns, start=1)
    )


def _half(text: str) -> str:
    return _NOTHING if is_blank(text) else text


async def _answer(planner: Planner, prompt: Prompt) -> str:
    """The reply, without its reasoning; stopped where it grows too long."""
    text = ""
    async with aclosing(planner.stream(prompt)) as events:
        async for event in events:
            match event:
                case TextDelta(text=more):
                    text += more
                case Reasoned(kept=kept):
                    text = kept
                case _:
                    pass
            if len(text) > _LONGEST_ANSWER:
                break
    return without_reasoning(text)


def _answered(tries: Sequence[_Try]) -> Answered:
    by_talk: dict[int, tuple[int, int]] = {}
    for tried in tries:
        right, asked = by_talk.get(tried.talk, (0, 0))
        by_talk[tried.talk] = right + tried.is_right, asked + 1
    return Answered(
        right=share_of(list(by_talk.values())),
        prompt_tokens=sum(tried.tokens for tried in tries) / len(tries),
        shortened=sum(tried.is_shortened for tried in tries),
    )
