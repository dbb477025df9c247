"""Folds pending pairs into the rolling summary, apart from any turn.

A fold names its session, its version and what it covers, so landing one is always safe: the
thread itself drops what it has moved past. What a model's fold does not achieve, the extractive
fold of the same pairs does at once, with a version of its own (R6); if that fails too, the pairs
stay pending.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

from pace.errors import SummarizerError, SummarizerUnavailableError, SummaryRejectedError
from pace.memory.summary import Fold, SummaryOutcome, SummaryUpdate
from pace.memory.turn import ThreadId
from pace.ports import ThreadSummarizer
from pace.threads import Threads

FOLD_TIME_LIMIT = timedelta(seconds=60)
FOLD_STARTED = "started"
"""What an observer hears when a fold begins; whatever else it hears is how one ended."""
# A model whose fold was pre-empted this often by turns makes way for the extractive fold (R6).
_PREEMPTIONS = 2
# After failures in a row a model sits out 1, 3, 7 ... folds, at most this many.
_LONGEST_REST = 15


class Folding:
    """The background job that folds. One fold is in flight per thread, with all pending pairs."""

    name = "fold"

    def __init__(
        self,
        threads: Threads,
        *,
        fallback: ThreadSummarizer,
        model: ThreadSummarizer | None = None,
        on_engine: bool = False,
        time_limit: timedelta = FOLD_TIME_LIMIT,
        observe: Callable[[ThreadId, str], None] | None = None,
    ) -> None:
        """`model` is asked first, if there is one; `observe` hears how a fold begins and ends."""
        self.on_engine = on_engine
        self.outcomes: Counter[str] = Counter()
        self._threads = threads
        self._fallback = fallback
        self._model = model
        self._time_limit = time_limit
        self._observe = observe
        self._preempted: Counter[ThreadId] = Counter()
        self._failures = 0
        self._rest = 0
        self._is_model_there = model is not None

    async def run(self, thread_id: ThreadId) -> None:
        """Fold whatever is pending; what one fold left, the next one takes."""
        async with self._threads.folding(thread_id) as is_ours:
            if not is_ours:
                return  # whoever folds it takes what came since, or the next turn's nudge does
            while (fold := await self._stamp(thread_id)) is not None:
                if not await self._fold(fold):
                    return

    async def foresee(self, fold: Fold) -> SummaryUpdate | None:
        """What will be made of this fold; None if a model is to make it, which nobody foresees.

        A model that could not be asked the last time is taken to be away still.
        """
        if self._is_model_there:
            return None
        try:
            return await self._fallback.summarize(fold)
        except SummarizerError:
            return None

    async def _fold(self, fold: Fold) -> bool:
        """Whether a summary took its place."""
        if self._model is not None and self._may_ask_model(fold.thread_id):
            self._is_model_there = True
            try:
                if await self._by_model(self._model, fold):
                    return True
            except SummarizerUnavailableError:
                self._is_model_there = False
                return await self._by_fallback(fold)  # nobody was asked: the version is free
            again = await self._stamp(fold.thread_id)
            if again is None:
                return False
            fold = again
        self._preempted.pop(fold.thread_id, None)
        return await self._by_fallback(fold)

    async def _stamp(self, thread_id: ThreadId) -> Fold | None:
        fold = await self._threads.change(thread_id, lambda memory: memory.stamp_fold())
        if fold is not None and self._observe:
            self._observe(thread_id, FOLD_STARTED)
        return fold

    def _may_ask_model(self, thread_id: ThreadId) -> bool:
        """Whether a model is neither resting nor too often in the way."""
        if self._preempted[thread_id] >= _PREEMPTIONS:
            return False
        if self._rest:
            self._rest -= 1
            return False
        return True

    async def _by_model(self, model: ThreadSummarizer, fold: Fold) -> bool:
        """Whether a model's summary took its place; raises only if the model cannot be asked."""
        try:
            async with asyncio.timeout(self._time_limit.total_seconds()):
                update = await model.summarize(fold)
        except SummarizerUnavailableError:
            raise
        except TimeoutError:
            self._failed(fold.thread_id, "late")
            return False
        except SummaryRejectedError as error:
            self._failed(fold.thread_id, f"turned down: {error.reason}")
            return False
        except SummarizerError as error:
            self._failed(fold.thread_id, error.kind)
            return False
        except asyncio.CancelledError:
            self._preempted[fold.thread_id] += 1
            self._count(fold.thread_id, "pre-empted")
            raise
        self._failures = 0
        self._preempted.pop(fold.thread_id, None)
        return await self._land(fold.thread_id, update)

    async def _by_fallback(self, fold: Fold) -> bool:
        try:
            update = await self._fallback.summarize(fold)
        except SummarizerError as error:
            self._count(fold.thread_id, error.kind)
            return False
        return await self._land(fold.thread_id, update)

    async def _land(self, thread_id: ThreadId, update: SummaryUpdate) -> bool:
        outcome = await self._threads.change(
            thread_id, lambda memory: memory.apply_summary_update(update)
        )
        self._count(thread_id, outcome.value)
        return outcome is SummaryOutcome.APPLIED

    def _failed(self, thread_id: ThreadId, reason: str) -> None:
        self._failures += 1
        self._rest = min(2 ** (self._failures - 1) - 1, _LONGEST_REST)
        self._count(thread_id, reason)

    def _count(self, thread_id: ThreadId, outcome: str) -> None:
        self.outcomes[outcome] += 1
        if self._observe:
            self._observe(thread_id, outcome)
