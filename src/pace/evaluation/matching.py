"""Whether a fact still stands in a text: its words close together, and beside its subject.

Strict: of up to three keywords all, of more three quarters, within 40 words of each other. A fact
with weak keywords needs one of its cues within 15 words of them, too. Bound: every fact does.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil

from pace.evaluation.stems import stems_of
from pace.evaluation.talks import Fact

_SPAN = 40
_CUE_SPAN = 15
_SHARE = 0.75

_Stretch = tuple[float, float]
"""The first and the last of the words in which a fact's keywords stand."""


class Positions:
    """Where each stem of a text stands, counted in all its words."""

    def __init__(self, text: str) -> None:
        self._at: defaultdict[str, list[float]] = defaultdict(list)
        position = 0.0
        for stem in stems_of(text):
            self._at[stem.text].append(position)
            position += 0.5 if stem.is_half else 1

    def __contains__(self, stem: str) -> bool:
        return stem in self._at

    def hold(self, fact: Fact) -> bool:
        """Whether the fact stands there."""
        return self._hold(fact, by_subject=fact.weak)

    def hold_by_subject(self, fact: Fact) -> bool:
        """Whether it stands beside a word of its subject; a fact without cues, whether at all."""
        return self._hold(fact, by_subject=fact.weak or bool(fact.cues))

    def _hold(self, fact: Fact, *, by_subject: bool) -> bool:
        stretches = self._stretches(fact.keywords)
        if not by_subject:
            return next(stretches, None) is not None
        cues = [position for cue in fact.cues for position in self._at.get(cue, ())]
        return any(
            first - _CUE_SPAN <= position <= last + _CUE_SPAN
            for first, last in stretches
            for position in cues
        )

    def _stretches(self, keywords: Sequence[str]) -> Iterator[_Stretch]:
        """The shortest stretches that hold enough of the keywords, one for each place they end."""
        enough = ceil(_SHARE * len(keywords))
        places = sorted((at, word) for word in set(keywords) for at in self._at.get(word, ()))
        inside: Counter[str] = Counter()
        low = 0
        for last, word in places:
            inside[word] += 1
            while last - places[low][0] >= _SPAN or _is_spare(places[low][1], inside, enough):
                inside[places[low][1]] -= 1
                inside += Counter()  # only what is inside counts
                low += 1
            if len(inside) >= enough:
                yield places[low][0], last


def _is_spare(word: str, inside: Counter[str], enough: int) -> bool:
    """Whether a stretch holds enough without its first word."""
    return len(inside) - (inside[word] == 1) >= enough
