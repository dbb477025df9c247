"""Faults to plant: each breaks one rule in one place, and the laboratory has to show a loss."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from pace.memory.summary import Fold, SummaryOutcome, SummaryUpdate
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId
from pace.stores.in_process import InProcessThreadMemoryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoresVersions(ThreadMemory):
    """A late fold overwrites a newer one."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        older = replace(self, summary=replace(self.summary, version=0, covers=0))
        memory, outcome = ThreadMemory.apply_summary_update(older, update)
        return (memory, outcome) if outcome is SummaryOutcome.APPLIED else (self, outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoresSessions(ThreadMemory):
    """A fold from before a reset is taken in after it."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        return ThreadMemory.apply_summary_update(self, replace(update, session_id=self.session_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearsAllPending(ThreadMemory):
    """Pairs displaced while a fold was in flight are taken for covered."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        memory, outcome = ThreadMemory.apply_summary_update(self, update)
        is_applied = outcome is SummaryOutcome.APPLIED
        return (replace(memory, pending=()) if is_applied else memory), outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsPending(ThreadMemory):
    """What a fold covers stays pending."""

    def apply_summary_update(self, update: SummaryUpdate) -> tuple[ThreadMemory, SummaryOutcome]:
        memory, outcome = ThreadMemory.apply_summary_update(self, update)
        is_applied = outcome is SummaryOutcome.APPLIED
        return (replace(memory, pending=self.pending) if is_applied else memory), outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldsOnlyTheNewest(ThreadMemory):
    """A fold is given one pair of those that are pending, and covers all of them."""

    def stamp_fold(self) -> tuple[ThreadMemory, Fold | None]:
        memory, fold = ThreadMemory.stamp_fold(self)
        return memory, fold and replace(fold, pairs=fold.pairs[-1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsTwice(ThreadMemory):
    """A turn that is asked for again, since its answer was lost, is recorded again."""

    def accept(self, turn_id: TurnId) -> ThreadMemory:
        if turn_id in self.open_turns:
            return self
        return replace(self, open_turns=(*self.open_turns, turn_id))


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
class ResetKeepsTheSummary(ThreadMemory):
    """A reset clears the window, and forgets the summary that goes with it."""

    def end_session(
        self, session_id: SessionId, next_session_id: SessionId, *, now: datetime
    ) -> ThreadMemory:
        memory = ThreadMemory.end_session(self, session_id, next_session_id, now=now)
        return replace(memory, summary=self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikesWithoutStamping(ThreadMemory):
    """A fold that was in flight at a strike brings the struck words back."""

    def strike(self, text: str) -> ThreadMemory:
        struck = ThreadMemory.strike(self, text)
        summary = replace(struck.summary, version=self.summary.version)
        return replace(struck, summary=summary, last_version=self.last_version)


class WritesBlindly(InProcessThreadMemoryStore):
    """A write takes place whatever is held."""

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,  # noqa: ARG002  # the fault
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,
    ) -> bool:
        held = await self.load(thread_id)
        return await super().compare_and_set(thread_id, held, memory, ends_turn=ends_turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """What is put in the place of the real thing."""

    about: str
    memory: type[ThreadMemory] = ThreadMemory
    store: Callable[[], InProcessThreadMemoryStore] = InProcessThreadMemoryStore
    names_what_it_takes_back: bool = True


def _of(memory: type[ThreadMemory]) -> Plant:
    return Plant(about=(memory.__doc__ or "").strip(), memory=memory)


PLANTS = {
    "ignores-versions": _of(IgnoresVersions),
    "ignores-sessions": _of(IgnoresSessions),
    "clears-all-pending": _of(ClearsAllPending),
    "keeps-pending": _of(KeepsPending),
    "folds-only-the-newest": _of(FoldsOnlyTheNewest),
    "records-twice": _of(RecordsTwice),
    "records-late-replies": _of(RecordsLateReplies),
    "reset-keeps-the-summary": _of(ResetKeepsTheSummary),
    "strikes-without-stamping": _of(StrikesWithoutStamping),
    "writes-blindly": Plant(about=(WritesBlindly.__doc__ or ""), store=WritesBlindly),
    "takes-back-whatever-is-last": Plant(
        about="Taking back names no turn, so that it takes one that came meanwhile.",
        names_what_it_takes_back=False,
    ),
}
