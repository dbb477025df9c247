"""Asks the best model that is there, with the guard in front of what it gives."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Self

from pace.errors import (
    PlannerError,
    SummarizerError,
    SummarizerUnavailableError,
    SummaryRejectedError,
)
from pace.memory.summary import Fold, SummaryUpdate
from pace.ports import Planner, ThreadSummarizer
from pace.summarizers.guarded import GuardedSummarizer
from pace.summarizers.model import ModelSummarizer

APPLE = "apple"
"""The name under which Apple's model makes summaries."""
LATE = "late"
TurnedDown = Counter[tuple[str, str]]
"""How often each model was turned down or failed, by its name and the reason."""
# Whoever asks sets the limit a moment before the model is asked, so a late fold is stopped that
# much sooner. A turn that stops one in its last tenth counts as late as well.
_NEARLY = 0.9


class SummarizerChain:
    """Models in the order of preference. The first that can be asked answers, well or not.

    One that fails is not followed by the next: the extractive summarizer takes its place at once
    (R6), which is the business of whoever asked. `turned_down` goes on with the counts of a chain
    before; `time_limit` is when a fold is stopped as late, if that is to be counted.
    """

    def __init__(
        self,
        models: Sequence[ThreadSummarizer],
        *,
        turned_down: TurnedDown | None = None,
        time_limit: timedelta | None = None,
    ) -> None:
        self._models = tuple(GuardedSummarizer(model) for model in models)
        self._time_limit = time_limit
        self.turned_down: TurnedDown = Counter() if turned_down is None else turned_down
        """How often each model was turned down or failed, by its name and the reason."""

    @classmethod
    def of(
        cls,
        planner: Planner,
        *,
        name: str,
        apple: Planner | None = None,
        remote: bool = False,
        turned_down: TurnedDown | None = None,
        time_limit: timedelta | None = None,
    ) -> Self:
        """Apple's model, then the planner that answers turns (design, decision 4).

        Where Apple's model answers turns itself, `apple` is that planner. One that lets words leave
        this machine is asked only with `remote`; each says itself whether it can be asked.
        """
        models = []
        if apple is not None:
            models.append(ModelSummarizer(apple, name=APPLE, guided=True))
        if planner is not apple:
            models.append(ModelSummarizer(planner, name=name, remote=remote))
        return cls(models, turned_down=turned_down, time_limit=time_limit)

    @property
    def name(self) -> str:
        """The chain's own; an update names the model that made it."""
        return "best model"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give the summary of the first model that can be asked, read by the guard.

        Raises its SummarizerError if it failed, SummarizerUnavailableError if none can be asked.
        """
        for model in self._models:
            began = asyncio.get_running_loop().time()
            try:
                return await model.summarize(fold)
            except SummarizerUnavailableError:
                continue
            except SummarizerError as error:
                self.turned_down[model.name, _reason(error)] += 1
                raise
            except asyncio.CancelledError:
                if self._is_late(asyncio.get_running_loop().time() - began):
                    self.turned_down[model.name, LATE] += 1
                raise
        raise SummarizerUnavailableError("No model that can summarize is there.")

    def _is_late(self, seconds: float) -> bool:
        limit = self._time_limit
        return limit is not None and seconds >= limit.total_seconds() * _NEARLY


def in_words(turned_down: TurnedDown) -> str:
    """Which summaries were turned down, whose and why, the most frequent first; empty for none."""
    return ", ".join(
        f"{count} by {name} ({reason})" for (name, reason), count in turned_down.most_common()
    )


def _reason(error: SummarizerError) -> str:
    """Why there is no summary, as plain words."""
    if isinstance(error, SummaryRejectedError):
        return str(error.reason)
    cause = error.__cause__
    kind = cause.kind if isinstance(cause, PlannerError) else error.kind
    return kind.replace("_", " ")
