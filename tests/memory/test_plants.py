"""Planted faults: each breaks one rule in one place, and the checkers must find it.

A checker that finds none of these would find nothing.
"""

from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from memory.talk import RuleBrokenError
from memory.test_interleavings import walk
from memory.test_machine import MACHINE, ConversationMachine
from pace.memory.limits import ThreadLimits
from pace.memory.summary import (
    Fold,
    RollingSummary,
    SummaryOutcome,
    SummaryUpdate,
    render_clauses,
)
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, TurnId

# Same machine; a fault found need not be made small.
HUNT = settings(MACHINE, max_examples=1500, derandomize=True, phases=(Phase.generate,))


@dataclass(frozen=True, slots=True, kw_only=True)
class LandsInAnySession(ThreadMemory):
    """A fold of the session before a reset is taken in."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        return ThreadMemory.apply_summary_update(self, replace(update, session_id=self.session_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallsPastAReset(ThreadMemory):
    """What was kept to be recalled outlives its session."""

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> ThreadMemory:
        ended = ThreadMemory.end_session(self, session_id, next_session_id, now=now)
        return replace(ended, displaced=self.displaced)


@dataclass(frozen=True, slots=True, kw_only=True)
class LandsSameVersionAgain(ThreadMemory):
    """`version < held` instead of `<=`: a fold lands twice."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        if update.version == self.summary.version:
            older = replace(self, summary=replace(self.summary, version=update.version - 1))
            return ThreadMemory.apply_summary_update(older, update)
        return ThreadMemory.apply_summary_update(self, update)


@dataclass(frozen=True, slots=True, kw_only=True)
class LandsLateFolds(ThreadMemory):
    """Versions are not looked at: a late fold overwrites a newer one of the same pairs."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        older = replace(self, summary=replace(self.summary, version=0))
        return ThreadMemory.apply_summary_update(older, update)


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoresWhatIsCovered(ThreadMemory):
    """A newer version is enough, whatever it covers."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        if update.session_id != self.session_id:
            return self, SummaryOutcome.OTHER_SESSION
        if update.version <= self.summary.version:
            return self, SummaryOutcome.STALE
        summary = RollingSummary(
            text=update.text,
            version=update.version,
            covers=update.covers,
            made_by=update.made_by,
            clauses=update.clauses,
        )
        pending = tuple(pair for pair in self.pending if pair.number > update.covers)
        return replace(self, summary=summary, pending=pending), SummaryOutcome.APPLIED


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingClearsAllPending(ThreadMemory):
    """Pairs displaced while a fold was in flight are taken for covered."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        memory, outcome = ThreadMemory.apply_summary_update(self, update)
        if outcome is SummaryOutcome.APPLIED:
            memory = replace(memory, pending=())
        return memory, outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldsOnlyTheNewest(ThreadMemory):
    """A fold carries the pair just displaced, and not those still pending before it."""

    def stamp_fold(self) -> tuple[ThreadMemory, Fold | None]:
        memory, fold = ThreadMemory.stamp_fold(self)
        return memory, fold and replace(fold, pairs=fold.pairs[-1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkingDrops(ThreadMemory):
    """A smaller window lets its oldest pairs go."""

    def with_limits(
        self, limits: ThreadLimits, *, next_session_id: SessionId, now: datetime
    ) -> ThreadMemory:
        memory = ThreadMemory.with_limits(self, limits, next_session_id=next_session_id, now=now)
        return replace(memory, pending=self.pending if memory.pending else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowingPullsPendingBack(ThreadMemory):
    """A larger window takes pairs back that were displaced."""

    def with_limits(
        self, limits: ThreadLimits, *, next_session_id: SessionId, now: datetime
    ) -> ThreadMemory:
        memory = ThreadMemory.with_limits(self, limits, next_session_id=next_session_id, now=now)
        pairs = (*memory.pending, *memory.window)
        split = max(0, len(pairs) - limits.window_size)
        return replace(memory, pending=pairs[:split], window=pairs[split:])


@dataclass(frozen=True, slots=True, kw_only=True)
class OffKeepsThePairs(ThreadMemory):
    """Memory off takes in nothing new, and keeps what it holds."""

    def with_limits(
        self, limits: ThreadLimits, *, next_session_id: SessionId, now: datetime
    ) -> ThreadMemory:
        on = replace(limits, remember=True)
        memory = ThreadMemory.with_limits(self, on, next_session_id=next_session_id, now=now)
        return replace(memory, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsRestartAtReset(ThreadMemory):
    """A new session stamps from 1 again."""

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> ThreadMemory:
        memory = ThreadMemory.end_session(self, session_id, next_session_id, now=now)
        return memory if memory is self else replace(memory, last_version=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetKeepsTheSummary(ThreadMemory):
    """A reset clears the window and forgets the summary that goes with it."""

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> ThreadMemory:
        memory = ThreadMemory.end_session(self, session_id, next_session_id, now=now)
        return replace(memory, summary=self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetsWhateverIsLive(ThreadMemory):
    """A late reset, meant for the session before, ends this one."""

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> ThreadMemory:
        return ThreadMemory.end_session(
            self, self.session_id or session_id, next_session_id, now=now
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleDuringALongReply(ThreadMemory):
    """An open turn does not keep the thread from being idle."""

    def is_idle(self, *, now: datetime) -> bool:
        return ThreadMemory.is_idle(replace(self, open_turns=()), now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsLateReplies(ThreadMemory):
    """A reply that began before a reset enters the window after it."""

    def record(
        self, finished: FinishedTurn, *, now: datetime
    ) -> tuple[ThreadMemory, RecordOutcome]:
        memory = self
        if finished.session_id != self.session_id:
            memory = replace(self, open_turns=(*self.open_turns, finished.turn_id))
        return ThreadMemory.record(memory, replace(finished, session_id=self.session_id), now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsTwice(ThreadMemory):
    """A turn that was recorded can be opened again once its pair is covered."""

    def accept(self, turn_id: TurnId) -> ThreadMemory:
        return ThreadMemory.accept(replace(self, recorded_turns=()), turn_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTrims(ThreadMemory):
    """White space around words is lost."""

    def record(
        self, finished: FinishedTurn, *, now: datetime
    ) -> tuple[ThreadMemory, RecordOutcome]:
        trimmed = replace(finished, user_text=finished.user_text.strip())
        return ThreadMemory.record(self, trimmed, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacingTakesANewNumber(ThreadMemory):
    """The number of the pair that was replaced is left out."""

    def take_back(self, turn_id: TurnId) -> ThreadMemory:
        return replace(ThreadMemory.take_back(self, turn_id), next_number=self.next_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakesBackAnyPair(ThreadMemory):
    """A pair that is not the last is taken back, too."""

    def take_back(self, turn_id: TurnId) -> ThreadMemory:
        window = tuple(pair for pair in self.window if pair.turn_id != turn_id)
        if len(window) == len(self.window):
            return self
        return replace(self, window=window, next_number=self.window[-1].number)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikesWithoutStamping(ThreadMemory):
    """A fold that was in flight at a strike brings the struck words back."""

    def strike(self, text: str) -> ThreadMemory:
        struck = ThreadMemory.strike(self, text)
        summary = replace(struck.summary, version=self.summary.version)
        return replace(struck, summary=summary, last_version=self.last_version)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikesWindowOnly(ThreadMemory):
    """The struck words stay in the summary."""

    def strike(self, text: str) -> ThreadMemory:
        struck = ThreadMemory.strike(self, text)
        return replace(struck, summary=replace(self.summary, version=struck.last_version))


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikesClausesOnly(ThreadMemory):
    """What a model wrote goes, and the clauses that were given back to it stay."""

    def strike(self, text: str) -> ThreadMemory:
        struck = ThreadMemory.strike(self, text)
        kept = tuple(clause for clause in self.summary.clauses if text not in clause.text)
        summary = replace(struck.summary, clauses=kept, text=render_clauses(kept))
        return replace(struck, summary=summary)


PLANTS = (
    LandsInAnySession,
    LandsSameVersionAgain,
    RecallsPastAReset,
    LandsLateFolds,
    IgnoresWhatIsCovered,
    LandingClearsAllPending,
    FoldsOnlyTheNewest,
    ShrinkingDrops,
    GrowingPullsPendingBack,
    OffKeepsThePairs,
    VersionsRestartAtReset,
    ResetKeepsTheSummary,
    ResetsWhateverIsLive,
    IdleDuringALongReply,
    RecordsLateReplies,
    RecordsTwice,
    RecordTrims,
    ReplacingTakesANewNumber,
    TakesBackAnyPair,
    StrikesWithoutStamping,
    StrikesWindowOnly,
    StrikesClausesOnly,
)
# Those that turns, folds and one reset can show, without any other change.
FOUND_BY_INTERLEAVINGS = (
    LandsInAnySession,
    LandsLateFolds,
    LandingClearsAllPending,
    FoldsOnlyTheNewest,
    VersionsRestartAtReset,
    ResetKeepsTheSummary,
    RecordsLateReplies,
    RecordTrims,
)


@pytest.mark.parametrize("plant", PLANTS)
def test_the_machine_finds(plant: type[ThreadMemory]) -> None:
    """A thread with this fault breaks a rule in some conversation."""
    machine = type(plant.__name__, (ConversationMachine,), {"kind": plant})
    with pytest.raises(RuleBrokenError):
        run_state_machine_as_test(machine, settings=HUNT)


@pytest.mark.parametrize("plant", FOUND_BY_INTERLEAVINGS)
def test_the_interleavings_find(plant: type[ThreadMemory]) -> None:
    """A thread with this fault breaks a rule in some schedule of turns, folds and a reset."""
    with pytest.raises(RuleBrokenError):
        walk(plant)
