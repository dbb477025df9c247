"""The two tiers of one conversation, as a value: every rule about what is held stands here.

A change returns the next value. Nothing here knows a clock, a task or a disk; time, ids and
finished folds come in as arguments. Rules R1 to R4 of the design hold by construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from pace.memory.limits import ThreadLimits
from pace.memory.prefixes import Prefix, longest_known, with_prefix
from pace.memory.recall import Displaced, kept
from pace.memory.striking import Struck
from pace.memory.summary import (
    Fold,
    RollingSummary,
    SummaryOutcome,
    SummaryUpdate,
    held_summary,
    render_clauses,
)
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair, is_blank

# Ids of recorded turns that are kept to know a repetition by, also once their pairs are covered,
# taken back or struck. A repeated request comes within a turn or two.
_KNOWN_TURNS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedTurn:
    """A client's turn that waits for what tools bring: what was said in it, as its door wrote it.

    It is no part of either tier, and leaves with the next turn or the session.
    """

    turn_id: TurnId
    messages: str = field(repr=False)


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
    are neither recorded nor abandoned; `recorded_turns` are the newest that were, oldest first.
    `prefixes` are summaries of histories that a client brought, and `relayed_turns` counts the
    turns of clients in the session; `said_characters` counts what was recorded in it. `unfinished`
    is a client's turn that goes on in its next request. `displaced` are the pairs that left the
    window, oldest first, if `limits.recall` wants them.
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
    recorded_turns: tuple[TurnId, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    relayed_turns: int = 0
    said_characters: int = 0
    unfinished: UnfinishedTurn | None = None
    displaced: tuple[Displaced, ...] = ()

    # --- questions

    @property
    def verbatim_window(self) -> tuple[TurnPair, ...]:
        """The newest pairs, exactly as said, oldest first; at most `limits.window_size`."""
        return self.window

    @property
    def is_empty(self) -> bool:
        """Whether nothing that was said is held."""
        held = (self.window, self.pending, self.summary.covers, self.displaced)
        return not any((*held, self.prefixes, self.unfinished))

    @property
    def is_pending(self) -> bool:
        """Whether something waits for a fold."""
        return bool(self.pending) or any(prefix.pending for prefix in self.prefixes)

    @property
    def expires_at(self) -> datetime:
        """When it is idle, unless something is said before."""
        return self.last_active_at + self.limits.idle_after

    def known_of(self, digests: Sequence[str], *, most: int) -> RollingSummary:
        """The summary that covers most of a client's history, at most its first `most` pairs.

        `digests[n]` is that of the first n turns (`pace.memory.prefixes.chained`).
        """
        return longest_known(self.prefixes, digests, most=most)

    def is_idle(self, *, now: datetime) -> bool:
        """Whether it holds something, no turn is open, and the idle limit has passed."""
        if self.is_empty or self.open_turns:
            return False
        return now - self.last_active_at > self.limits.idle_after

    # --- a turn

    def accept(self, turn_id: TurnId) -> "ThreadMemory":
        """Open a turn. Until it is recorded or abandoned, the thread is not idle.

        A turn that was recorded before is not opened again, so it cannot be recorded twice.
        """
        if turn_id in self.open_turns or turn_id in self.recorded_turns or self._holds(turn_id):
            return self
        return replace(self, open_turns=(*self.open_turns, turn_id))

    def abandon(self, turn_id: TurnId, *, now: datetime) -> "ThreadMemory":
        """Close a turn that failed. It leaves no trace but the time."""
        if turn_id not in self.open_turns:
            return self
        return replace(
            self,
            open_turns=self._open_without(turn_id),
            last_active_at=max(self.last_active_at, now),
        )

    def withdraw(self, turn_id: TurnId) -> "ThreadMemory":
        """Close a turn whose words never came, as if it had not been opened: no time has passed."""
        if turn_id not in self.open_turns:
            return self
        return replace(self, open_turns=self._open_without(turn_id))

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
        if not self.limits.remember:
            return self.abandon(finished.turn_id, now=now), RecordOutcome.NOT_REMEMBERED
        before = self if finished.replaces is None else self.take_back(finished.replaces)
        pair = TurnPair(
            turn_id=finished.turn_id,
            number=before.next_number,
            user_text=finished.user_text,
            reply_text=finished.reply_text,
            recorded_at=finished.recorded_at,
            interrupted=finished.interrupted,
        )
        recorded = replace(
            before._split((*before.window, pair)),
            next_number=pair.number + 1,
            last_active_at=max(self.last_active_at, now),
            open_turns=self._open_without(finished.turn_id),
            recorded_turns=(*self.recorded_turns[1 - _KNOWN_TURNS :], finished.turn_id),
            said_characters=self.said_characters
            + len(finished.user_text)
            + len(finished.reply_text),
            unfinished=None,
        )
        return recorded, RecordOutcome.RECORDED

    def keep_prefix(
        self, session_id: SessionId, prefix: Prefix | None, *, now: datetime
    ) -> "ThreadMemory":
        """Hold the beginning of a client's history after its turn; None has none to hold yet.

        A summary that was made for this very request comes without a version, and gets one here.
        """
        if session_id != self.session_id or not self.limits.remember:
            return self
        active = replace(
            self,
            last_active_at=max(self.last_active_at, now),
            relayed_turns=self.relayed_turns + 1,
        )
        if prefix is None:
            return active
        if prefix.summary.covers and not prefix.summary.version:
            version = self.last_version + 1
            summary = replace(prefix.summary, version=version)
            prefix = replace(prefix, summary=summary)
            # What it covers is a beginning of its own: the newest reply may be asked for again.
            covered = Prefix(digest=prefix.covered, covered=prefix.covered, summary=summary)
            active = replace(
                active, last_version=version, prefixes=with_prefix(active.prefixes, covered)
            )
        return replace(active, prefixes=with_prefix(active.prefixes, prefix))

    def keep_unfinished(
        self, session_id: SessionId, unfinished: UnfinishedTurn, *, now: datetime
    ) -> "ThreadMemory":
        """Hold a turn that waits for tools until the next one is recorded, or the session ends."""
        if session_id != self.session_id or not self.limits.remember:
            return self
        return replace(self, unfinished=unfinished, last_active_at=max(self.last_active_at, now))

    def take_back(self, turn_id: TurnId) -> "ThreadMemory":
        """Let the last pair go, if it is this one. What it displaced stays displaced."""
        if not self.window or self.window[-1].turn_id != turn_id:
            return self
        return replace(self, window=self.window[:-1], next_number=self.window[-1].number)

    def back_to(self, turn_id: TurnId) -> "ThreadMemory":
        """Let the pairs go that came after this one, if it is in the window."""
        if all(pair.turn_id != turn_id for pair in self.window):
            return self
        memory = self
        while memory.window[-1].turn_id != turn_id:
            memory = memory.take_back(memory.window[-1].turn_id)
        return memory

    def strike(self, text: str) -> "ThreadMemory":
        """Let everything go that holds a text, letter case and spacing aside.

        A new version is stamped, so that folds in flight are dropped. Clauses go that hold the text
        or the better part of it; a summary in which a model wrote is dropped whole, since it may
        say the same in other words, and so is what was made of clients' histories. Raises
        ValueError for a blank text.
        """
        struck = Struck(text)
        version = self.last_version + 1
        clauses = () if self.summary.prose else self.summary.clauses
        clauses = tuple(c for c in clauses if not struck.may_stand_in(c.text))
        return replace(
            self,
            window=tuple(p for p in self.window if not struck.stands_in(p)),
            pending=tuple(p for p in self.pending if not struck.stands_in(p)),
            displaced=tuple(d for d in self.displaced if not struck.stands_in(d.pair)),
            summary=replace(
                self.summary,
                version=version,
                clauses=clauses,
                text=render_clauses(clauses),
                made_by=self.summary.made_by if clauses else "",
            ),
            last_version=version,
            prefixes=(),
            unfinished=None,
        )

    # --- folds

    def stamp_fold(self) -> tuple["ThreadMemory", Fold | None]:
        """Begin a fold of all that is pending in one place; None if nothing is pending.

        The thread's own pairs come first, then the newest prefix.
        """
        waiting = next((prefix for prefix in reversed(self.prefixes) if prefix.pending), None)
        if self.pending:
            prior, pairs, digest = self.summary, self.pending, ""
        elif waiting is not None:
            prior, pairs, digest = waiting.summary, waiting.pending, waiting.digest
        else:
            return self, None
        version = self.last_version + 1
        fold = Fold(
            thread_id=self.thread_id,
            session_id=self.session_id,
            version=version,
            prior=prior,
            pairs=pairs,
            budget=self.limits.summary_tokens,
            prefix=digest,
        )
        return replace(self, last_version=version), fold

    def apply_summary_update(  # noqa: PLR0911  one guard for each way to come too late
        self, update: SummaryUpdate
    ) -> tuple["ThreadMemory", SummaryOutcome]:
        """Take in a finished fold, unless the conversation has moved past it."""
        if update.session_id != self.session_id:
            return self, SummaryOutcome.OTHER_SESSION
        prefix = next((p for p in self.prefixes if p.digest == update.prefix), None)
        if update.prefix and prefix is None:
            return self, SummaryOutcome.COVERS_UNKNOWN
        held = self.summary if prefix is None else prefix.summary
        newest = self._last_displaced if prefix is None else prefix.length
        # What a fold left over of a prefix would have no digest to be known by.
        oldest = held.covers if prefix is None else newest
        if update.version <= held.version:
            return self, SummaryOutcome.STALE
        if update.covers < oldest:
            return self, SummaryOutcome.COVERS_LESS
        if update.covers > newest or update.version > self.last_version:
            return self, SummaryOutcome.COVERS_UNKNOWN
        if is_blank(update.text):
            return self, SummaryOutcome.EMPTY
        paragraph = " ".join(update.text.split())
        if estimate_tokens(paragraph) > self.limits.summary_tokens:
            return self, SummaryOutcome.TOO_LONG
        if prefix is not None:
            folded = prefix.with_summary(held_summary(update, paragraph))
            prefixes = tuple(folded if p is prefix else p for p in self.prefixes)
            return replace(self, prefixes=prefixes), SummaryOutcome.APPLIED
        summary = held_summary(update, paragraph)
        still_pending = tuple(p for p in self.pending if p.number > update.covers)
        return replace(self, summary=summary, pending=still_pending), SummaryOutcome.APPLIED

    # --- limits and endings

    def with_limits(
        self, limits: ThreadLimits, *, next_session_id: SessionId, now: datetime
    ) -> "ThreadMemory":
        """Apply new limits at once.

        A smaller window displaces, a shorter idle limit counts from now (but does not wake a thread
        that is idle already), and memory off ends the session.
        """
        limited = replace(self, limits=limits)
        if self.limits.remember and not limits.remember:
            return limited.end_session(self.session_id, next_session_id, now=now)
        active_at = self.last_active_at
        if limits.idle_after < self.limits.idle_after and not self.is_idle(now=now):
            active_at = max(active_at, now)
        if not limits.recall:
            limited = replace(limited, displaced=())
        return replace(limited._split(self.window), last_active_at=active_at)

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
        return type(self)(
            thread_id=self.thread_id,
            session_id=next_session_id,
            last_active_at=max(self.last_active_at, now),
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

    def _holds(self, turn_id: TurnId) -> bool:
        return any(pair.turn_id == turn_id for pair in (*self.pending, *self.window))

    def _open_without(self, turn_id: TurnId) -> tuple[TurnId, ...]:
        return tuple(open_id for open_id in self.open_turns if open_id != turn_id)

    def _split(self, pairs: tuple[TurnPair, ...]) -> "ThreadMemory":
        """The thread when these pairs are the newest: the only place that displaces."""
        split = max(0, len(pairs) - self.limits.window_size)
        displaced = self.displaced
        if self.limits.recall and split:
            displaced = kept((*displaced, *map(Displaced.of, pairs[:split])))
        return replace(
            self, window=pairs[split:], pending=self.pending + pairs[:split], displaced=displaced
        )
