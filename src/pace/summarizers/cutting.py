"""Cuts clauses down to a budget: small words first, then what tells least for its tokens.

What may be cut from a clause: all of it; one stretch from a word that must stay (a preposition, a
possessive) up to the next; or one telling word out of a stretch that keeps others. After a
negation, only from the end. So a word that must stay goes only with what it belongs to.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from pace.memory.summary import Clause, Speaker, render_clauses
from pace.memory.tokens import estimate_tokens
from pace.summarizers.clauses import INTERRUPTED, Kind, Word, words_of

# Measured on public dialogues (see the benchmark), kept facts in per cent of 400 tokens:
# a word that another clause holds too is worth a third;
_REPEATED = 1 / 3
# a clause counts as this many tokens more than its words, which favours few whole ones;
_CLAUSE_COST = 6.0
# a hole inside a stretch, or a missing beginning, costs sense;
_HOLE = 1.0
_NO_HEAD = 0.5
# and a token of a question tells less than one of its answer.
_QUESTION_COST = 1.25
_NEGLIGIBLE = 1e-9
# Beyond this many times the budget, whole clauses go before anything is weighed closely.
_CROWDED = 1.5
# The newest pair's checkable words stay, unless they take more than this share of the budget.
_NEWEST_SHARE = 0.5
_PINNED = 1_000.0


@dataclass(slots=True)
class Draft:
    """A clause while it is being cut; `was_interrupted` if a reply ended in it before its end."""

    speaker: Speaker
    number: int
    words: list[Word]
    was_interrupted: bool = False

    @classmethod
    def of(cls, clause: Clause) -> "Draft":
        """A clause taken apart."""
        text = clause.text.removesuffix(INTERRUPTED)
        return cls(clause.speaker, clause.number, words_of(text), text != clause.text)

    @property
    def clause(self) -> Clause:
        """The clause that it has become."""
        text = " ".join(word.text for word in self.words)
        if self.was_interrupted:
            text += INTERRUPTED
        return Clause(speaker=self.speaker, text=text, number=self.number)

    @property
    def tells(self) -> bool:
        """Whether anything is left but small words."""
        return any(word.kind is not Kind.SMALL for word in self.words)


def fit(clauses: Iterable[Clause], budget: int, *, newest: int) -> tuple[Clause, ...]:
    """The clauses cut down until their paragraph is within a budget of tokens, by the estimate.

    `newest` is the number of the pair whose checkable words stay longest.
    """
    drafts = [draft for draft in map(Draft.of, clauses) if draft.tells]
    over = _size(drafts) - budget
    if over > 0:
        over = _drop_small_words(drafts, over, budget)
    if over > 0:
        _pin([draft for draft in drafts if draft.number == newest], budget * _NEWEST_SHARE)
        if over > budget * (_CROWDED - 1):
            drafts = _without_weakest(drafts, budget * _CROWDED)
            over = _size(drafts) - budget
    while over > 0:
        _shed(drafts, over)
        drafts = [draft for draft in drafts if draft.words]
        over = _size(drafts) - budget
    return tuple(draft.clause for draft in drafts)


def _size(drafts: list[Draft]) -> int:
    return estimate_tokens(render_clauses(tuple(draft.clause for draft in drafts)))


def _drop_small_words(drafts: list[Draft], over: int, budget: int) -> int:
    """Drop small words, oldest clauses first, until nothing is over; gives what is over still."""
    for draft in drafts:
        kept = [word for word in draft.words if word.kind is not Kind.SMALL]
        over -= len(draft.words) - len(kept)
        draft.words = kept
        if over <= 0:
            over = _size(drafts) - budget
            if over <= 0:
                return over
    return _size(drafts) - budget


def _pin(drafts: list[Draft], room: float) -> None:
    """Make checkable words, and the telling ones beside them, worth more than any others."""
    for draft in drafts:
        words = draft.words
        pinned = set()
        for at, word in enumerate(words):
            if word.is_checkable and word.cost <= room:
                room -= word.cost
                pinned |= {at - 1, at, at + 1}
        draft.words = [
            word._replace(value=word.value + _PINNED) if at in pinned and word.value else word
            for at, word in enumerate(words)
        ]


def _without_weakest(drafts: list[Draft], room: float) -> list[Draft]:
    """Only as many drafts as there is room for, the most telling ones, in their order."""
    costs = [sum(word.cost for word in draft.words) + 1 for draft in drafts]
    counts = Counter(word.key for draft in drafts for word in draft.words if word.value)
    worths = [
        _worth(draft.words, counts) / (cost + _CLAUSE_COST)
        for draft, cost in zip(drafts, costs, strict=True)
    ]
    kept = set()
    for at in sorted(range(len(drafts)), key=worths.__getitem__, reverse=True):
        if costs[at] <= room:
            room -= costs[at]
            kept.add(at)
    return [draft for at, draft in enumerate(drafts) if at in kept]


class _Cut(NamedTuple):
    """Words `start` to `end` of a draft, and what each token of it loses with them.

    `age` is the number of cuts made in the draft when this one was thought of.
    """

    loss: float
    draft: int
    start: int
    end: int
    age: int
    tokens: float
    hurt: float


def _shed(drafts: list[Draft], over: float) -> None:
    """Make the least harmful cuts, one after another, until about so many tokens are gone."""
    counts = Counter(word.key for draft in drafts for word in draft.words if word.value)
    ages = [0] * len(drafts)
    cuts = [cut for at, draft in enumerate(drafts) for cut in _cuts(at, draft, 0, counts)]
    heapify(cuts)
    while over > 0 and cuts:
        cut = heappop(cuts)
        draft = drafts[cut.draft]
        if cut.age < ages[cut.draft]:
            continue
        words = draft.words[cut.start : cut.end]
        loss = _worth(words, counts) / cut.tokens + cut.hurt
        if loss > cut.loss + _NEGLIGIBLE:
            # What another clause held too is the last of its kind by now.
            heappush(cuts, cut._replace(loss=loss))
            continue
        counts.subtract(word.key for word in words if word.value)
        del draft.words[cut.start : cut.end]
        over -= sum(word.cost for word in words) + (not draft.words)
        ages[cut.draft] += 1
        if draft.words:
            for new in _cuts(cut.draft, draft, ages[cut.draft], counts):
                heappush(cuts, new)


def _worth(words: list[Word], counts: Counter[str]) -> float:
    return sum(
        word.value if counts[word.key] == 1 else word.value * _REPEATED
        for word in words
        if word.value
    )


def _cuts(at: int, draft: Draft, age: int, counts: Counter[str]) -> Iterator[_Cut]:
    """Every cut that leaves the sense of a draft."""
    words = draft.words
    worth = cost = 0.0
    worths = [worth]
    costs = [cost]
    negated = size = len(words)
    for one, word in enumerate(words):
        if word.value:
            worth += word.value if counts[word.key] == 1 else word.value * _REPEATED
        elif word.kind is Kind.NEGATION and one < negated:
            negated = one
        cost += word.cost
        worths.append(worth)
        costs.append(cost)
    scale = _QUESTION_COST if words[-1].text.endswith("?") else 1.0
    tokens = scale * (cost + _CLAUSE_COST)
    yield _Cut(worth / tokens, at, 0, size, age, tokens, 0.0)
    stretches = _stretches(words)
    for start, end in stretches:
        if end < size and end > negated:
            continue
        if len(stretches) > 1:
            tokens = scale * (costs[end] - costs[start])
            hurt = 0.0 if start else _NO_HEAD
            loss = (worths[end] - worths[start]) / tokens + hurt
            yield _Cut(loss, at, start, end, age, tokens, hurt)
        if end > negated:
            continue
        telling = [one for one in range(start, end) if words[one].value]
        if len(telling) > 1:
            for one in telling:
                tokens = scale * words[one].cost
                loss = (worths[one + 1] - worths[one]) / tokens + _HOLE
                yield _Cut(loss, at, one, one + 1, age, tokens, _HOLE)


def _stretches(words: list[Word]) -> list[tuple[int, int]]:
    """Where stretches start and end: each begins with the words that stay, if there are any."""
    opens = [
        at
        for at in range(1, len(words))
        if words[at].kind in _KEPT and words[at - 1].kind is Kind.TELLING
    ]
    return list(zip([0, *opens], [*opens, len(words)], strict=True))


_KEPT = frozenset({Kind.STAYS, Kind.NEGATION})
