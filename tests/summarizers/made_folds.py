"""Folds for tests, made of what a person and Pace said."""

from datetime import datetime, timedelta, timezone

from pace.memory.summary import Fold, RollingSummary, SummaryUpdate
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair

OSLO = timezone(timedelta(hours=1))
THURSDAY = datetime(2026, 11, 19, 20, 30, tzinfo=OSLO)


def fold_of(
    *said: tuple[str, str],
    prior: str = "",
    budget: int = 400,
    at: datetime = THURSDAY,
    interrupted: bool = False,
) -> Fold:
    """A fold of pairs (user, Pace) that follow a prior summary of five pairs."""
    pairs = tuple(
        TurnPair(
            turn_id=TurnId(f"turn {number}"),
            number=number,
            user_text=user,
            reply_text=reply,
            recorded_at=at,
            interrupted=interrupted,
        )
        for number, (user, reply) in enumerate(said, 6)
    )
    return Fold(
        thread_id=ThreadId("thread"),
        session_id=SessionId("session"),
        version=9,
        prior=RollingSummary(text=prior, version=5, covers=5),
        pairs=pairs,
        budget=budget,
    )


def update_of(fold: Fold, text: str) -> SummaryUpdate:
    """The update with which a model would answer a fold."""
    return SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=text,
        made_by="model",
    )
