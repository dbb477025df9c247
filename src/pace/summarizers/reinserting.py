"""Gives a model's summary back the names and numbers that it lost, in the words that held them.

What comes back are clauses of the extractive fold of the same input, cut to the room that is left.
They stand behind what the model wrote, set as an extractive summary is. ADR 17 has the figures.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from pace.memory.summary import Clause, SummaryUpdate, render_clauses
from pace.memory.tokens import estimate_tokens
from pace.summarizers.cleaning import sentences_of
from pace.summarizers.cutting import fit
from pace.summarizers.source import Source
from pace.summarizers.values import Values, normal

_ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*$")
# With less room there is none for a clause and its speaker.
_LEAST_ROOM = 6
# Cut to what tells most, clauses are about this much shorter and keep their values.
_CUT_SHARE = 0.6
# How often a number of sentences is tried after the likeliest.
_SEARCHES = 3
# Clauses that were cut to a room may be over it by a few tokens, beside other words.
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Mended:
    """A summary with its clauses at its end, and how many of the input's values it keeps."""

    prose: str
    clauses: tuple[Clause, ...]
    kept: int

    @property
    def text(self) -> str:
        """As it is held."""
        return f"{self.prose} {render_clauses(self.clauses)}".rstrip()


class LostValues:
    """The clauses of an extractive fold, to give a summary of the same input values back from."""

    def __init__(self, extract: SummaryUpdate, values: Values, *, budget: int) -> None:
        self._newest = extract.covers
        self._clauses = extract.clauses
        self._held = list(_held(extract.clauses, values))
        self._values = values
        self._budget = budget

    def given_back(self, prose: str, *, enough: int) -> Mended:
        """What a model wrote, with as many of the values that it lost as there is room for.

        Its last sentences give way, all but the first, while fewer values than `enough` are kept;
        it may be that too few are kept all the same.
        """
        sentences = sentences_of(prose)
        missing = (Source(sentence).missing(self._values) for sentence in sentences)
        lost = list(accumulate(missing, lambda one, other: one & other))
        parts = [
            (" ".join(sentences[: at + 1]), self._holding(lost[at])) for at in range(len(lost))
        ]
        fits, fails = 0, len(parts) + 1
        size = next((n for n in range(len(parts), 1, -1) if self._may_fit(*parts[n - 1])), 1)
        best = tried = self._mended(*parts[size - 1])
        for _ in range(_SEARCHES):
            if tried.kept < enough:
                fails = size
            else:
                fits, best = size, tried
            if fails - fits <= 1:
                break
            size = (fits + fails) // 2
            tried = self._mended(*parts[size - 1])
        return best

    def _may_fit(self, prose: str, clauses: tuple[Clause, ...]) -> bool:
        needed = estimate_tokens(prose) + _CUT_SHARE * estimate_tokens(render_clauses(clauses))
        return needed <= self._budget

    def _mended(self, prose: str, clauses: tuple[Clause, ...]) -> Mended:
        head = _ended(prose)
        room = self._budget - estimate_tokens(head)
        for _ in range(_TRIES):
            if not clauses or room < _LEAST_ROOM:
                break
            cut = fit(clauses, room, newest=self._newest)
            text = f"{head} {render_clauses(cut)}".rstrip()
            over = estimate_tokens(text) - self._budget
            if over <= 0:
                return Mended(head, cut, Source(text).kept(self._values))
            room -= over
        return Mended(prose, (), Source(prose).kept(self._values))

    def _holding(self, lost: frozenset[str]) -> tuple[Clause, ...]:
        """As few clauses as hold these; the newest of several."""
        holding = [held & lost for held in self._held]
        chosen = set()
        while any(holding):
            at = max(range(len(holding)), key=lambda at: (len(holding[at]), at))
            found = holding[at]
            chosen.add(at)
            holding = [held - found for held in holding]
        return tuple(self._clauses[at] for at in sorted(chosen))


def _held(clauses: Iterable[Clause], values: Values) -> Iterator[frozenset[str]]:
    """Which of the values each clause holds, as they were written."""
    written = {value: normal(value).lower() for value in (*values.names, *values.numbers)}
    for clause in clauses:
        text = normal(clause.text).lower()
        yield frozenset(v for v, low in written.items() if low in text and _stands_in(low, text))


def _stands_in(value: str, text: str) -> bool:
    """Whether a value stands there and is not a part of another: the 7 of 7 pm, not that of 17."""
    before = r"(?<!\d)" if value[0].isdigit() else r"(?<![^\W\d_])"
    after = r"(?!\d)" if value[-1].isdigit() else r"(?![^\W\d_])"
    return re.search(f"{before}{re.escape(value)}{after}", text) is not None


def _ended(prose: str) -> str:
    return prose if _ENDS_SENTENCE.search(prose) else f"{prose}."
