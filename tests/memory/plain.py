"""Short ways to say something to a thread, as plain values."""

from dataclasses import replace
from datetime import UTC, datetime

from pace.memory.limits import ThreadLimits
from pace.memory.summary import SummaryOutcome, SummaryUpdate
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
SESSION, NEXT = SessionId("one"), SessionId("two")


def thread(**limits: object) -> ThreadMemory:
    return ThreadMemory(
        thread_id=ThreadId("thread"),
        session_id=SESSION,
        last_active_at=NOW,
        limits=ThreadLimits(**limits),  # type: ignore[arg-type]
    )


def finished(name: str, **changes: object) -> FinishedTurn:
    turn = FinishedTurn(
        turn_id=TurnId(name),
        session_id=SESSION,
        user_text=f"words of {name}",
        reply_text=f"reply to {name}",
        recorded_at=NOW,
    )
    return replace(turn, **changes)  # type: ignore[arg-type]


def said(memory: ThreadMemory, *names: str, **changes: object) -> ThreadMemory:
    for name in names:
        turn = finished(name, **changes)
        memory, outcome = memory.accept(turn.turn_id).record(turn, now=NOW)
        assert outcome is RecordOutcome.RECORDED
    return memory


def names(pairs: tuple[TurnPair, ...]) -> list[str]:
    return [pair.turn_id for pair in pairs]


def update(memory: ThreadMemory, text: str, **changes: object) -> SummaryUpdate:
    """The update that a fold of what is pending now would bring."""
    _, fold = memory.stamp_fold()
    assert fold is not None
    made = SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=text,
        made_by="test",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def folded(memory: ThreadMemory, text: str, **changes: object) -> ThreadMemory:
    stamped, _ = memory.stamp_fold()
    after, outcome = stamped.apply_summary_update(update(memory, text, **changes))
    assert outcome is SummaryOutcome.APPLIED
    return after
