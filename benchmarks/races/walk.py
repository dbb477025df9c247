"""Every order of four turns, three folds and a reset, each step through the real threads."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ledger import NOW, Ledger, Tally, finished, summarized

from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import SessionId, ThreadId, TurnId
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.testing import ManualClock
from pace.threads import Threads

Outcome = TypeVar("Outcome")
Step = Callable[[ThreadMemory], tuple[ThreadMemory, Outcome]]

# With a window of one, two turns before a reset and two after it let an old fold find a place.
TURNS, FOLDS = 4, 3
_THREAD = ThreadId("thread")
_FIRST, _NEXT = SessionId("session 0"), SessionId("session 1")
_OVER = "over"


@dataclass(frozen=True, slots=True)
class Moment:
    """A thread, the account of it, and how far each turn, each fold and the reset have come.

    A turn is None, then the session it was accepted in; a fold is None, then what was stamped, or
    "nothing" if nothing was pending; both are "over" in the end.
    """

    memory: ThreadMemory
    ledger: Ledger
    turns: tuple[str | None, ...] = (None,) * TURNS
    folds: tuple[Fold | str | None, ...] = (None,) * FOLDS
    is_reset: bool = False


def walk(kind: type[ThreadMemory]) -> Tally:
    """The figures of all schedules together.

    Schedules that meet in the same moment are walked on together, which leaves none out: values do
    not change, so what follows is the same for all of them.
    """
    known: dict[Moment, Tally] = {}

    def tally_from(moment: Moment) -> Tally:
        tally = known.get(moment)
        if tally is None:
            following = _following(moment)
            tally = Tally() if following else moment.ledger.tally()
            for later in following:
                tally = tally.plus(tally_from(later))
            known[moment] = tally
        return tally

    fresh = kind(
        thread_id=_THREAD,
        session_id=_FIRST,
        last_active_at=NOW,
        limits=ThreadLimits(window_size=1),
    )
    return tally_from(Moment(fresh, Ledger(_FIRST)))


def _following(moment: Moment) -> list[Moment]:
    """Every moment that one more step leads to."""
    turns = [_turn(moment, at) for at, turn in enumerate(moment.turns) if turn != _OVER]
    folds = [_fold(moment, at) for at, fold in enumerate(moment.folds) if fold != _OVER]
    return [*turns, *folds, *([] if moment.is_reset else [_reset(moment)])]


def _turn(moment: Moment, at: int) -> Moment:
    name, session = f"name{at}x", moment.turns[at]
    ledger, held = moment.ledger, _OVER
    if session is None:
        memory, _ = _changed(moment.memory, lambda held: (held.accept(TurnId(name)), None))
        held = memory.session_id
        ledger = ledger.began(name, memory.session_id)
    else:
        said_in = SessionId(session)
        turn = finished(name, said_in)
        memory, outcome = _changed(moment.memory, lambda held: held.record(turn, now=NOW))
        ledger = ledger.wrote(memory)
        if outcome is RecordOutcome.RECORDED:
            ledger = ledger.acknowledge(name, said_in)
    turns = (*moment.turns[:at], held, *moment.turns[at + 1 :])
    return Moment(memory, ledger, turns, moment.folds, moment.is_reset)


def _fold(moment: Moment, at: int) -> Moment:
    fold, memory, ledger = moment.folds[at], moment.memory, moment.ledger
    held: Fold | str = _OVER
    if fold is None:
        memory, stamped = _changed(memory, lambda held: held.stamp_fold())
        held = stamped or "nothing"
    elif isinstance(fold, Fold):
        update = summarized(fold, by_model=False)
        memory, _ = _changed(memory, lambda held: held.apply_summary_update(update))
        ledger = ledger.wrote(memory)
    folds = (*moment.folds[:at], held, *moment.folds[at + 1 :])
    return Moment(memory, ledger, moment.turns, folds, moment.is_reset)


def _reset(moment: Moment) -> Moment:
    memory, _ = _changed(
        moment.memory, lambda held: (held.end_session(_FIRST, _NEXT, now=NOW), None)
    )
    ledger = moment.ledger.wrote(memory, ends=_FIRST)
    return Moment(memory, ledger, moment.turns, moment.folds, is_reset=True)


def _changed(memory: ThreadMemory, step: Step[Outcome]) -> tuple[ThreadMemory, Outcome]:
    """What a change leaves in a store that holds this value."""
    store = InProcessThreadMemoryStore()
    threads = Threads(store, ManualClock(), memory.limits)
    _given(store.compare_and_set(_THREAD, None, memory))
    outcome = _given(threads.change(_THREAD, step))
    return _given(store.load(_THREAD)) or memory, outcome


def _given(work: Awaitable[Outcome]) -> Outcome:
    """The result of work that waits for nothing."""
    try:
        next(work.__await__())
    except StopIteration as over:
        return over.value  # type: ignore[no-any-return]
    raise RuntimeError("the in-process store waits for nobody")
