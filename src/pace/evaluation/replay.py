"""Says a talk again to a thread of Pace's own, and holds what a planner would have seen of it."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from pace.errors import SummarizerError
from pace.evaluation.talks import SaidTurn, Talk
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import MESSAGE_TOKENS, Draft, set_prompt
from pace.memory.summary import RollingSummary
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, is_blank
from pace.ports import ThreadSummarizer
from pace.summarizers.extractive import fold_extractively

# A talk is replayed as if all of it were said at one moment, so that no run differs from another.
_NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_SESSION = SessionId("session")
# A pair has two halves; what was said by one side alone gets this for the other.
_NOTHING = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a planner would see after a turn. `turn` counts from 0, tokens are by the estimate."""

    turn: int
    context: str
    summary: RollingSummary
    window_from: int
    prompt_tokens: int
    history_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldCost:
    """One fold: how long it took, and whether the summarizer that was asked made it."""

    seconds: float
    processor_seconds: float
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A talk replayed; `memory` is the thread at its end.

    `prefix_shares` are, for each turn once the window is full, how much of the prompt before it the
    next prompt began with.
    """

    talk: Talk
    moments: tuple[Moment, ...]
    folds: tuple[FoldCost, ...]
    prefix_shares: tuple[float, ...]
    memory: ThreadMemory


async def replay(
    talk: Talk, summarizer: ThreadSummarizer, limits: ThreadLimits, *, every: int = 4
) -> Replay:
    """Replay a talk, each displaced pair folded before the next turn.

    A moment is held after every so many turns and at the end. As in a conversation, the extractive
    summarizer folds what the summarizer failed to; so this never fails.
    """
    memory = ThreadMemory(
        thread_id=ThreadId(talk.id), session_id=_SESSION, last_active_at=_NOW, limits=limits
    )
    moments, folds, shares = [], [], []
    before = ""
    history_tokens = 0
    for number, turn in enumerate(talk.turns):
        history_tokens += _tokens(turn)
        memory = _recorded(memory, turn, number)
        memory, cost = await _folded(memory, summarizer)
        folds += cost
        context, tokens = _seen(memory)
        if number >= limits.window_size:
            shares.append(_shared(before, context))
        before = context
        is_last = number == len(talk.turns) - 1
        if is_last or (number >= limits.window_size and (number + 1) % every == 0):
            moments.append(
                Moment(
                    turn=number,
                    context=context,
                    summary=memory.summary,
                    window_from=number + 1 - len(memory.window),
                    prompt_tokens=tokens,
                    history_tokens=history_tokens,
                )
            )
    return Replay(
        talk=talk,
        moments=tuple(moments),
        folds=tuple(folds),
        prefix_shares=tuple(shares),
        memory=memory,
    )


def _recorded(memory: ThreadMemory, turn: SaidTurn, number: int) -> ThreadMemory:
    turn_id = TurnId(str(number))
    finished = FinishedTurn(
        turn_id=turn_id,
        session_id=_SESSION,
        user_text=_NOTHING if is_blank(turn.user) else turn.user,
        reply_text=_NOTHING if is_blank(turn.assistant) else turn.assistant,
        recorded_at=_NOW,
    )
    return memory.accept(turn_id).record(finished, now=_NOW)[0]


async def _folded(
    memory: ThreadMemory, summarizer: ThreadSummarizer
) -> tuple[ThreadMemory, list[FoldCost]]:
    """The thread with nothing pending; a summarizer may take several folds for it."""
    costs = []
    while memory.pending:
        memory, fold = memory.stamp_fold()
        if fold is None:
            break
        began, began_work = time.perf_counter(), time.process_time()
        try:
            update = await summarizer.summarize(fold)
            is_own = True
        except SummarizerError:
            update, is_own = fold_extractively(fold), False
        costs.append(
            FoldCost(
                seconds=time.perf_counter() - began,
                processor_seconds=time.process_time() - began_work,
                is_own=is_own,
            )
        )
        held = memory
        memory, _ = memory.apply_summary_update(update)
        if memory is held:  # it was refused: it would be again
            memory, _ = memory.apply_summary_update(fold_extractively(fold))
    return memory, costs


def _seen(memory: ThreadMemory) -> tuple[str, int]:
    """The prompt without the current words, as text, and its tokens."""
    prompt = set_prompt(Draft.of(memory, system="", words=""), estimate_tokens)
    messages = prompt.messages[:-1]
    return "\n".join(f"{m.role}: {m.content}" for m in messages), prompt.parts.total


def _tokens(turn: SaidTurn) -> int:
    return sum(estimate_tokens(text) + MESSAGE_TOKENS for text in (turn.user, turn.assistant))


def _shared(before: str, after: str) -> float:
    """The share of a text with which another one begins."""
    same = next(
        (at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
    return same / len(before) if before else 0.0
