"""How much a thread holds, and for how long; every range is checked here and nowhere else."""

from dataclasses import dataclass
from datetime import timedelta

# Design, section 5. The window and the idle limit are what the original asks for.
WINDOW_SIZES = range(1, 9)
IDLE_MINUTES = range(5, 61)
SUMMARY_TOKENS = range(200, 1201)
PENDING_TOKENS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLimits:
    """The limits of one thread.

    `window_size` is in turn pairs (1 to 8), `idle_after` 5 to 60 minutes, `summary_tokens` the
    rolling summary's budget (200 to 1,200, by the estimate of `pace.memory.tokens`). With
    `remember` off each turn stands alone; with `recall` the pairs that leave the window are kept
    whole as well, to be found again. Raises ValueError, with a sentence for people, outside
    those ranges.
    """

    window_size: int = 4
    idle_after: timedelta = timedelta(minutes=20)
    remember: bool = True
    summary_tokens: int = 400
    recall: bool = False

    def __post_init__(self) -> None:
        _check_range("The window", self.window_size, WINDOW_SIZES, "turn pairs")
        _check_range("The summary budget", self.summary_tokens, SUMMARY_TOKENS, "tokens")
        shortest, longest = timedelta(minutes=IDLE_MINUTES[0]), timedelta(minutes=IDLE_MINUTES[-1])
        if not shortest <= self.idle_after <= longest:
            raise ValueError(
                f"The idle limit must be {IDLE_MINUTES[0]} to {IDLE_MINUTES[-1]} minutes."
            )


def _check_range(name: str, value: int, allowed: range, unit: str) -> None:
    if type(value) is not int or value not in allowed:
        raise ValueError(f"{name} must be {allowed[0]:,} to {allowed[-1]:,} {unit}.")
