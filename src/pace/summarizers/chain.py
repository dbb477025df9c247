"""Asks the best model that is there, with the guard in front of what it gives."""

from collections import Counter
from collections.abc import Sequence

from pace.errors import SummarizerError, SummarizerUnavailableError, SummaryRejectedError
from pace.memory.summary import Fold, SummaryUpdate
from pace.ports import ThreadSummarizer
from pace.summarizers.guard import GuardedSummarizer


class SummarizerChain:
    """Models in the order of preference. The first that can be asked answers, well or not.

    One that fails is not followed by the next: the extractive summarizer takes its place at once
    (R6), which is the business of whoever asked.
    """

    def __init__(self, models: Sequence[ThreadSummarizer]) -> None:
        self._models = tuple(GuardedSummarizer(model) for model in models)
        self.turned_down: Counter[tuple[str, str]] = Counter()
        """How often each model was turned down or failed, by its name and the reason."""

    @property
    def name(self) -> str:
        """The chain's own; an update names the model that made it."""
        return "best model"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give the summary of the first model that can be asked, read by the guard.

        Raises its SummarizerError if it failed, SummarizerUnavailableError if none can be asked.
        """
        for model in self._models:
            try:
                return await model.summarize(fold)
            except SummarizerUnavailableError:
                continue
            except SummaryRejectedError as error:
                self.turned_down[model.name, error.reason] += 1
                raise
            except SummarizerError as error:
                self.turned_down[model.name, error.kind] += 1
                raise
        raise SummarizerUnavailableError("No model that can summarize is there.")
