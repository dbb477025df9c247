"""Who makes the rolling summary of an open conversation, by the settings."""

import sys

from pace.folding import FOLD_TIME_LIMIT
from pace.planners.apple.planner import AppleFmPlanner
from pace.planners.options import ReplyOptions
from pace.ports import Planner, ThreadSummarizer
from pace.settings import Settings, SummariesBy, Tier
from pace.summarizers.chain import SummarizerChain, TurnedDown

# For Apple's small context: twice the usual budget, which is what a fold keeps for its reply.
_FOLDS = ReplyOptions(temperature=0, reply_tokens=800)


def summarizer_of(
    settings: Settings, planner: Planner, turned_down: TurnedDown
) -> ThreadSummarizer | None:
    """Who is asked before the extractive summarizer; None if no model is to be.

    Whoever cannot make summaries says so itself when it is asked. `turned_down` goes on counting.
    """
    if settings.summaries.by is SummariesBy.EXTRACTIVE:
        return None
    return SummarizerChain.of(
        planner,
        name=settings.planner.provider or settings.planner.tier,
        apple=_apple(settings, planner),
        remote=settings.summaries.by is SummariesBy.PLANNER and settings.summaries.remote,
        turned_down=turned_down,
        time_limit=FOLD_TIME_LIMIT,
    )


def _apple(settings: Settings, planner: Planner) -> Planner | None:
    """Apple's model, where there can be one: the planner of turns, or one for summaries alone."""
    if settings.planner.tier is Tier.APPLE:
        return planner
    if settings.summaries.by is SummariesBy.AUTO and sys.platform == "darwin":
        return AppleFmPlanner(options=lambda: _FOLDS)
    return None
