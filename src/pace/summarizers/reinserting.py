"""Gives a model's summary back the names and numbers that it lost, in the words that held them.

What comes back are clauses of the extractive fold of the same input, cut to the room that is left.
Whoever lost names and numbers lost other things, too: of the room, clauses that hold none get the
same share that was lost of those. All stand behind what the model wrote, set as an extractive
summary is. ADR 17 has the figures.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pace.memory.summary import Clause, SummaryUpdate, render_clauses
from pace.memory.tokens import estimate_tokens
from pace.summarizers.clauses import clauses_of, words_of
from pace.summarizers.cleaning import sentences_of
from pace.summarizers.cutting import fit
from pace.summarizers.source import Source
from pace.summarizers.values import Values, normal

_ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*$")
# With less room there is none for a clause and its speaker.
_LEAST_ROOM = 6
# Cut to what tells most, clauses are about this much shorter and keep their values.
_CUT_SHARE = 0.6
# So many numbers of sentences are tried, the likeliest first.
_SEARCHES = 4
# A clause costs so many tokens more than its words, which favours few whole ones.
_CLAUSE_COST = 6
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
        self._values = values
        self._written = {v: normal(v).lower() for v in (*values.names, *values.numbers)}
        self._held = list(_held(extract.clauses, self._written))
        self._budget = budget

    def given_back(self, prose: str, *, enough: int) -> Mended:
        """What a model wrote, with as many of the values that it lost as there is room for.

        Its last sentences give way, all but the first, while fewer values than `enough` are kept;
        it may be that too few are kept all the same.
        """
        sentences = sentences_of(prose)
        texts = [" ".join(sentences[:size]) for size in range(len(sentences) + 1)]
        fits, fails = 0, len(texts)
        size = max(1, bisect_left(range(fails), 1, key=lambda size: self._is_full(texts[size])) - 1)
        best: Mended | None = None
        tries = 0
        while True:
            mended = self._mended(texts[size])
            tries += 1
            if mended.kept < enough:
                fails = size
            else:
                fits, best = size, mended
            if fails - fits <= 1 or tries == _SEARCHES:
                return best or mended
            size = (fits + fails) // 2

    def _is_full(self, prose: str) -> bool:
        """Whether what a text lost has hardly room beside it."""
        low = normal(prose).lower()
        lost = (value for value, written in self._written.items() if written not in low)
        clauses = render_clauses(self._holding(frozenset(lost)))
        return estimate_tokens(prose) + _CUT_SHARE * estimate_tokens(clauses) > self._budget

    def _mended(self, prose: str) -> Mended:
        missing = Source(prose).missing(self._values)
        clauses = self._holding(missing)
        head = _ended(prose)
        room = self._budget - estimate_tokens(head)
        spare = int(room * len(missing) / max(1, len(self._values)))
        clauses = self._with_others(clauses, prose, spare)
        for _ in range(_TRIES):
            if not clauses or room < _LEAST_ROOM:
                break
            cut = fit(clauses, room, newest=self._newest)
            mended = Mended(head, cut, 0)
            over = estimate_tokens(mended.text) - self._budget
            if over <= 0:
                return replace(mended, kept=Source(mended.text).kept(self._values))
            room -= over
        return Mended(prose, (), len(self._values) - len(missing))

    def _with_others(
        self, clauses: tuple[Clause, ...], prose: str, room: int
    ) -> tuple[Clause, ...]:
        """These, and others that tell most beside the prose, within so many tokens."""
        spare = room - estimate_tokens(render_clauses(clauses))
        if spare < _LEAST_ROOM:
            return clauses
        told = {word.key for text in clauses_of(prose) for word in words_of(text)}
        chosen = set(clauses)
        others = {
            clause: _worth(clause, told) / (estimate_tokens(clause.text) + _CLAUSE_COST)
            for clause in self._clauses
            if clause not in chosen
        }
        for clause in sorted(others, key=others.__getitem__, reverse=True):
            cost = estimate_tokens(clause.text) + 1
            if others[clause] and cost <= spare:
                chosen.add(clause)
                spare -= cost
        return tuple(clause for clause in self._clauses if clause in chosen)

    def _holding(self, lost: frozenset[str]) -> tuple[Clause, ...]:
        """As few clauses as hold these; the newest of several."""
        holding = [(at, held & lost) for at, held in enumerate(self._held)]
        chosen = []
        while holding := [(at, held) for at, held in holding if held]:
            newest, found = max(holding, key=lambda held: (len(held[1]), held[0]))
            chosen.append(newest)
            holding = [(at, held - found) for at, held in holding]
        return tuple(self._clauses[at] for at in sorted(chosen))


def _held(clauses: Iterable[Clause], written: Mapping[str, str]) -> Iterator[frozenset[str]]:
    """Which of the values each clause holds, as they were written."""
    for clause in clauses:
        text = normal(clause.text).lower()
        yield frozenset(v for v, low in written.items() if low in text and _stands_in(low, text))


def _worth(clause: Clause, told: set[str]) -> float:
    """What a clause tells besides these words."""
    return sum(word.value for word in words_of(clause.text) if word.key not in told)


def _stands_in(value: str, text: str) -> bool:
    """Whether a value stands there and is not a part of another: the 7 of 7 pm, not that of 17."""
    before = r"(?<!\d)" if value[0].isdigit() else r"(?<![^\W\d_])"
    after = r"(?!\d)" if value[-1].isdigit() else r"(?![^\W\d_])"
    return re.search(f"{before}{re.escape(value)}{after}", text) is not None


def _ended(prose: str) -> str:
    return prose if _ENDS_SENTENCE.search(prose) else f"{prose}."
