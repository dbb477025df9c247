"""A summarizer behind the guard, which is read in a process of its own."""

from contextlib import aclosing

from pace.errors import SummaryRejectedError
from pace.memory.summary import Fold, SummaryUpdate
from pace.ports import ThreadSummarizer
from pace.summarizers.apart import Apart
from pace.summarizers.guard import Rejection, judged


class GuardedSummarizer:
    """Another summarizer with the guard in front of what it gives."""

    def __init__(self, inner: ThreadSummarizer) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner summarizer's."""
        return self._inner.name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give what the inner one gives, mended. Raises SummaryRejectedError if it is no good.

        It is read in a process that lives no longer than this call. Reading it takes longer than
        a turn may wait, and comes once in the seconds that a model takes to fold.
        """
        update = await self._inner.summarize(fold)
        async with aclosing(Apart(judged)) as apart:
            verdict = await apart.call(update, fold)
        if isinstance(verdict, Rejection):
            raise SummaryRejectedError(verdict)
        return verdict
