"""Shares of a whole, over several talks, with how sure they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

_ROUNDS = 1000
_SEED = 7
_CERTAINTY = 0.95
_FEWEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`part` of `whole`, and the bounds of the share with 95 % certainty.

    Fewer than five talks have no bounds: they tell too little of how others would have gone.
    """

    part: int
    whole: int
    low: float | None
    high: float | None

    def __post_init__(self) -> None:
        if not 0 <= self.part <= self.whole:
            raise ValueError("A part is between nothing and its whole.")

    @property
    def value(self) -> float:
        """Between 0 and 1; 0 of nothing."""
        return self.part / self.whole if self.whole else 0.0


def share_of(by_talk: Sequence[tuple[int, int]]) -> Share:
    """The share over all talks, given part and whole of each.

    The bounds are of the bootstrap over talks (Efron 1979, percentiles), since what is said in one
    talk hangs together.
    """
    counted = [(part, whole) for part, whole in by_talk if whole]
    part, whole = (sum(column) for column in zip(*counted, strict=True)) if counted else (0, 0)
    low, high = _bounds(counted) if len(counted) >= _FEWEST else (None, None)
    return Share(part=part, whole=whole, low=low, high=high)


def _bounds(counted: Sequence[tuple[int, int]]) -> tuple[float, float]:
    chance = Random(_SEED)  # noqa: S311  # a sample, no secret
    found = []
    for _ in range(_ROUNDS):
        drawn = chance.choices(counted, k=len(counted))
        found.append(sum(part for part, _ in drawn) / sum(whole for _, whole in drawn))
    found.sort()
    outside = (1 - _CERTAINTY) / 2
    return found[int(outside * _ROUNDS)], found[int((1 - outside) * _ROUNDS) - 1]
