"""The two tiers of one conversation, as a value: every rule about what is held stands here.

A change returns the next value. Nothing here knows a clock, a task or a disk; time, ids and
finished folds come in as arguments. Rules R1 to R4 of the design hold by construction.
"""

import unicodedata
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from pace.memory.limits import ThreadLimits
from pace.memory.summary import (
    Clause,
    Fold,
    RollingSummary,
    SummaryOutcome,
    SummaryUpdate,
    render_clauses,
)
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair, is_blank

# A struck word of this many letters or more tells a clause apart; shorter ones may have been
# dropped from it as function words.
_TELLING_LETTERS = 4


class RecordOutcome(StrEnum):
    """What became of a finished turn."""

    RECORDED = "recorded"
    OTHER_SESSION = "other session"
    NOT_OPEN = "not open"
    NOT_REMEMBERED = "not remembered"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMemory:
    """One thread's verbatim window, pending pairs and rolling summary.

    `last_active_at` is the end of the last turn on the idle clock. `next_number` and `last_version`
    are the next pair's number and the last version that was stamped. `open_turns` were accepted and
    are neither recorded nor abandoned.
    """

    thread_id: ThreadId
    session_id: SessionId
    last_active_at: datetime
    limits: ThreadLimits = field(default_factory=ThreadLimits)
    window: tuple[TurnPair, ...] = ()
    pending: tuple[TurnPair, ...] = ()
    summary: RollingSummary = field(default_factory=RollingSummary)
    next_number: int = 1
    last_version: int = 0
    open_turns: tuple[TurnId, ...] = ()

    # --- questions

    @property
    def verbatim_window(self) -> tuple[TurnPair, ...]:
        """The newest pairs, exactly as said, oldest first; at most `limits.window_size`."""
        return self.window

    @property
    def is_empty(self) -> bool:
        """Whether nothing that was said is held."""
        return not (self.window or self.pending or self.summary.covers)

    def is_idle(self, *, now: datetime) -> bool:
        """Whether it holds something, no turn is open, and the idle limit has passed."""
        if self.is_empty or self.open_turns:
            return False
        return now - self.last_active_at > self.limits.idle_after

    # --- a turn

    def accept(self, turn_id: TurnId) -> "ThreadMemory":
        """Open a turn. Until it is recorded or abandoned, the thread is not idle."""
        if turn_id in self.open_turns or self._holds_turn(turn_id):
            return self
        return replace(self, open_turns=(*self.open_turns, turn_id))

    def abandon(self, turn_id: TurnId, *, now: datetime) -> "ThreadMemory":
        """Close a turn that failed. It leaves no trace but the time."""
        if turn_id not in self.open_turns:
            return self
        return replace(self, open_turns=self._open_without(turn_id), last_active_at=now)

    def record(
        self, finished: FinishedTurn, *, now: datetime
    ) -> tuple["ThreadMemory", RecordOutcome]:
        """Take a finished turn into the window, once; the oldest pair may be displaced.

        Raises ValueError if either half of the pair is blank.
        """
        if finished.session_id != self.session_id:
            return self, RecordOutcome.OTHER_SESSION
        if finished.turn_id not in self.open_turns:
            return self, RecordOutcome.NOT_OPEN
        closed = replace(self, open_turns=self._open_without(finished.turn_id), last_active_at=now)
        if not self.limits.remember:
            return closed, RecordOutcome.NOT_REMEMBERED
        if finished.replaces is not None:
            closed = closed.take_back(finished.replaces)
        pair = TurnPair(
            turn_id=finished.turn_id,
            number=closed.next_number,
            user_text=finished.user_text,
            reply_text=finished.reply_text,
            recorded_at=finished.recorded_at,
            interrupted=finished.interrupted,
        )
        recorded = closed._with_window((*closed.window, pair))
        return replace(recorded, next_number=pair.number + 1), RecordOutcome.RECORDED

    def take_back(self, turn_id: TurnId) -> "ThreadMemory":
        """Let the last pair go, if it is this one. What it displaced stays displaced."""
        if not self.window or self.window[-1].turn_id != turn_id:
            return self
        return replace(self, window=self.window[:-1], next_number=self.window[-1].number)

    def strike(self, text: str) -> "ThreadMemory":
        """Let everything go that holds a text, letter case and spacing aside.

        A new version is stamped, so that folds in flight are dropped. A model's summary is dropped
        whole, since it may say the same in other words. Raises ValueError for a blank text.
        """
        if is_blank(text):
            raise ValueError("striking needs a text that is not blank")
        struck = _Struck(text)
        version = self.last_version + 1
        clauses = tuple(c for c in self.summary.clauses if not struck.may_stand_in(c))
        return replace(
            self,
            window=tuple(p for p in self.window if not struck.stands_in(p)),
            pending=tuple(p for p in self.pending if not struck.stands_in(p)),
            summary=replace(
                self.summary, version=version, clauses=clauses, text=render_clauses(clauses)
            ),
            last_version=version,
        )

    # --- folds

    def stamp_fold(self) -> tuple["ThreadMemory", Fold | None]:
        """Begin a fold of all pending pairs, with a new version; None if nothing is pending."""
        if not self.pending:
            return self, None
        version = self.last_version + 1
        fold = Fold(
            thread_id=self.thread_id,
            session_id=self.session_id,
            version=version,
            prior=self.summary,
            pairs=self.pending,
            budget=self.limits.summary_tokens,
        )
        return replace(self, last_version=version), fold

    def apply_summary_update(self, update: SummaryUpdate) -> tuple["ThreadMemory", SummaryOutcome]:
        """Take in a finished fold, unless the conversation has moved past it."""
        if update.session_id != self.session_id:
            return self, SummaryOutcome.OTHER_SESSION
        if update.version <= self.summary.version:
            return self, SummaryOutcome.STALE
        if update.covers < self.summary.covers:
            return self, SummaryOutcome.COVERS_LESS
        if update.covers > self._last_displaced or update.version > self.last_version:
            return self, SummaryOutcome.COVERS_UNKNOWN
        if is_blank(update.text):
            return self, SummaryOutcome.EMPTY
        summary = RollingSummary(
            text=update.text,
            version=update.version,
            covers=update.covers,
            made_by=update.made_by,
            clauses=update.clauses,
        )
        still_pending = tuple(p for p in self.pending if p.number > update.covers)
        return replace(self, summary=summary, pending=still_pending), SummaryOutcome.APPLIED

    # --- limits and endings

    def with_limits(
        self, limits: ThreadLimits, *, next_session_id: SessionId, now: datetime
    ) -> "ThreadMemory":
        """Apply new limits at once. A smaller window displaces; memory off ends the session."""
        memory = replace(self, limits=limits)
        if self.limits.remember and not limits.remember:
            return memory.end_session(self.session_id, next_session_id, now=now)
        return memory._with_window(memory.window)

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> "ThreadMemory":
        """Forget everything said in the session named, if it is the live one.

        Versions go on counting. Raises ValueError if the next session has the id of the last.
        """
        if session_id != self.session_id:
            return self
        if next_session_id == session_id:
            raise ValueError("a session id is never used again")
        return ThreadMemory(
            thread_id=self.thread_id,
            session_id=next_session_id,
            last_active_at=now,
            limits=self.limits,
            last_version=self.last_version,
        )

    def end_if_idle(self, next_session_id: SessionId, *, now: datetime) -> "ThreadMemory":
        """Forget the live session if it has been idle for longer than its limit."""
        if not self.is_idle(now=now):
            return self
        return self.end_session(self.session_id, next_session_id, now=now)

    # --- inside

    @property
    def _last_displaced(self) -> int:
        return self.pending[-1].number if self.pending else self.summary.covers

    def _holds_turn(self, turn_id: TurnId) -> bool:
        return any(pair.turn_id == turn_id for pair in (*self.pending, *self.window))

    def _open_without(self, turn_id: TurnId) -> tuple[TurnId, ...]:
        return tuple(open_id for open_id in self.open_turns if open_id != turn_id)

    def _with_window(self, pairs: tuple[TurnPair, ...]) -> "ThreadMemory":
        split = max(0, len(pairs) - self.limits.window_size)
        return replace(self, window=pairs[split:], pending=(*self.pending, *pairs[:split]))


class _Struck:
    """A text to be forgotten, and where it may still stand."""

    def __init__(self, text: str) -> None:
        self._text = _flat(text)
        words = self._text.split()
        telling = {w for w in words if len(w) >= _TELLING_LETTERS or any(map(str.isdigit, w))}
        self._words = telling or set(words)

    def stands_in(self, pair: TurnPair) -> bool:
        return self._text in _flat(pair.user_text) or self._text in _flat(pair.reply_text)

    def may_stand_in(self, clause: Clause) -> bool:
        """A clause may have lost the small words in between; the telling ones are enough."""
        text = _flat(clause.text)
        return self._text in text or all(word in text for word in self._words)


def _flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
