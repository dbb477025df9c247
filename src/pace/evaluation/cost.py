"""What a memory costs: tokens of the prompt, time and calls of folds, and what a cache keeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from pace.evaluation.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Tokens by the estimate, without the planner's own system prompt; times in milliseconds.

    `prompt_tokens` and `history_tokens` are of each talk's end, on average; `fold_ms` is the time
    on the clock, `fold_work_ms` that of this processor, both at the 50th and the 95th percentile.
    `failed_folds` were made by the extractive summarizer instead of the one that was asked.
    `same_prefix` is how much of a prompt the next one begins with.
    """

    prompt_tokens: float
    most_prompt_tokens: int
    history_tokens: float
    folds: int
    failed_folds: int
    fold_ms: tuple[float, float]
    fold_work_ms: tuple[float, float]
    same_prefix: float


def cost_of(replays: Sequence[Replay]) -> Cost:
    """Over all talks; `replays` may not be empty."""
    ends = [replayed.moments[-1] for replayed in replays]
    folds = [fold for replayed in replays for fold in replayed.folds]
    shares = [share for replayed in replays for share in replayed.prefix_shares]
    return Cost(
        prompt_tokens=fmean(end.prompt_tokens for end in ends),
        most_prompt_tokens=max(m.prompt_tokens for r in replays for m in r.moments),
        history_tokens=fmean(end.history_tokens for end in ends),
        folds=len(folds),
        failed_folds=sum(not fold.is_own for fold in folds),
        fold_ms=_percentiles([fold.seconds * 1000 for fold in folds]),
        fold_work_ms=_percentiles([fold.processor_seconds * 1000 for fold in folds]),
        same_prefix=fmean(shares) if shares else 0.0,
    )


def _percentiles(values: list[float]) -> tuple[float, float]:
    """The 50th and the 95th."""
    if not values:
        return 0.0, 0.0
    values.sort()
    return values[len(values) // 2], values[int(0.95 * (len(values) - 1))]
