"""Cuts clauses down to a budget: small words first, then what tells least for its tokens.

What may be cut from a clause: all of it; one stretch from a word that must stay (a preposition, a
possessive) up to the next; or telling words at its end. After a negation, only from the end. So a
word that must stay goes only with what it belongs to.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from pace.memory.summary import Clause, Speaker, render_clauses
from pace.memory.tokens import estimate_tokens
from pace.summarizers.clauses import INTERRUPTED, Kind, Word, words_of

# Measured on public dialogues (`benchmarks/retention.py`), where each of these is about the best:
# a word that another clause holds too is worth a third, a number then no more than a name;
_REPEATED = 1 / 3
_REPEATED_MOST = 6.0
# a clause counts as this many tokens more than its words, which favours few whole ones;
_CLAUSE_COST = 6.0
# a missing beginning costs sense, per token;
_NO_HEAD = 0.35
# and what was asked tells less than what was answered.
_QUESTION = 0.8
# Beyond this many times the budget, whole clauses go before anything is weighed closely.
_CROWDED = 1.5
# Words of unusual spelling cost more than the estimate says; the sum of what each costs knows.
_COST_SHARE = 0.98
_LEADS_COST = 6
# The newest pair's checkable words stay, unless they take more than this share of the budget, with
# what stands beside them.
_NEWEST_SHARE = 0.5
_PINNED = 1_000.0
# A planner says this many times what a person says before the person's words are worth more.
_OUTNUMBERED = 1.6
_LIFT_MOST = 2.5
# A clause is sought in so many of the longest that open like it. More would take a time that grows
# with the square of a talk: 8 s for a text of 6,600 sentences about a dog, and 0.1 s with this.
_LOOKED_IN = 40
_SAYING = (Kind.TELLING, Kind.NEGATION)


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
    def told(self) -> tuple[str, ...]:
        """What it says, without the small words; what is not said stays in it."""
        return tuple(word.key or word.text.lower() for word in self.words if word.kind in _SAYING)

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
    if over > 0 and len(distinct := _without_echoes(drafts)) < len(drafts):
        drafts = distinct
        over = _size(drafts) - budget
    if over > 0:
        over = _drop_small_words(drafts, over, budget)
    if over > 0:
        _lift_the_few_words(drafts)
    if over > 0:
        _pin([draft for draft in drafts if draft.number == newest], budget * _NEWEST_SHARE)
        if over > budget * (_CROWDED - 1):
            drafts = _without_weakest(drafts, budget * _CROWDED)
            over = _size(drafts) - budget
    while over > 0 and drafts:
        _shed(drafts, over)
        drafts = [draft for draft in drafts if draft.words]
        over = _size(drafts) - budget
    return tuple(draft.clause for draft in drafts)


def _without_echoes(drafts: list[Draft]) -> list[Draft]:
    """Without those that say what another of the same speaker says, word for telling word."""
    by_opening: dict[tuple[Speaker, str], list[tuple[str, ...]]] = {}
    said: set[tuple[Speaker, tuple[str, ...]]] = set()
    kept = set()
    for draft in sorted(drafts, key=lambda draft: len(draft.words), reverse=True):
        told = draft.told
        if told:
            longer = by_opening.setdefault((draft.speaker, told[0]), [])
            if (draft.speaker, told) in said or any(
                told[-1] in other and _stands_in(told, other) for other in longer
            ):
                continue
            said.add((draft.speaker, told))
            if len(longer) < _LOOKED_IN:
                longer.append(told)
        kept.add(id(draft))
    return [draft for draft in drafts if id(draft) in kept]


def _stands_in(told: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one stands in the other, in its order."""
    rest = iter(other)
    return all(key in rest for key in told)


def _size(drafts: list[Draft]) -> int:
    text = render_clauses(tuple(draft.clause for draft in drafts))
    costs = sum(word.cost for draft in drafts for word in draft.words)
    costs += len(drafts) + text.count("?") + _LEADS_COST
    return max(estimate_tokens(text), int(_COST_SHARE * costs))


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


def _lift_the_few_words(drafts: list[Draft]) -> None:
    """Make a person's words worth more, the more they are outnumbered by a planner's."""
    said: Counter[Speaker] = Counter()
    for draft in drafts:
        said[draft.speaker] += len(draft.words)
    if not said[Speaker.USER]:
        return
    lift = min(said[Speaker.PACE] / (said[Speaker.USER] * _OUTNUMBERED), _LIFT_MOST)
    if lift <= 1:
        return
    for draft in drafts:
        if draft.speaker is Speaker.USER:
            draft.words = [
                word._replace(value=word.value * lift) if word.value else word
                for word in draft.words
            ]


def _pin(drafts: list[Draft], room: float) -> None:
    """Make checkable words, and the telling ones beside them, worth more than any others."""
    for draft in drafts:
        words = draft.words
        pinned: set[int] = set()
        for at, word in enumerate(words):
            beside = {near for near in (at - 1, at, at + 1) if 0 <= near < len(words)} - pinned
            cost = sum(words[near].cost for near in beside)
            if word.is_checkable and cost <= room:
                room -= cost
                pinned |= beside
        draft.words = [
            word._replace(value=word.value + _PINNED) if at in pinned and word.value else word
            for at, word in enumerate(words)
        ]


def _without_weakest(drafts: list[Draft], room: float) -> list[Draft]:
    """Only as many drafts as there is room for, the most telling ones, in their order."""
    costs = [sum(word.cost for word in draft.words) + 1 for draft in drafts]
    counts = Counter(word.key for draft in drafts for word in draft.words if word.value)
    worths = [
        sum(_worth(word, counts) for word in draft.words if word.value) / (cost + _CLAUSE_COST)
        for draft, cost in zip(drafts, costs, strict=True)
    ]
    kept = set()
    for at in sorted(range(len(drafts)), key=worths.__getitem__, reverse=True):
        if costs[at] <= room:
            room -= costs[at]
            kept.add(at)
    return [draft for at, draft in enumerate(drafts) if at in kept]


class _Cut(NamedTuple):
    """Words `start` to `end` of a draft, and what is lost with them per token."""

    loss: float
    draft: int
    start: int
    end: int


def _shed(drafts: list[Draft], over: float) -> None:
    """Make the least harmful cuts, one after another, until about so many tokens are gone."""
    counts = Counter(word.key for draft in drafts for word in draft.words if word.value)
    cuts = [_best_cut(at, draft.words, counts) for at, draft in enumerate(drafts)]
    heapify(cuts)
    while over > 0 and cuts:
        cut = heappop(cuts)
        words = drafts[cut.draft].words
        now = _best_cut(cut.draft, words, counts)
        if now.loss > cut.loss:
            # What another clause held too is the last of its kind by now.
            heappush(cuts, now)
            continue
        gone = words[now.start : now.end]
        del words[now.start : now.end]
        counts.subtract(word.key for word in gone if word.value)
        over -= sum(word.cost for word in gone)
        if words:
            heappush(cuts, _best_cut(cut.draft, words, counts))
        else:
            over -= 1


def _worth(word: Word, counts: Counter[str]) -> float:
    if counts[word.key] == 1 or word.value > _PINNED:
        return word.value
    return min(word.value, _REPEATED_MOST) * _REPEATED


def _best_cut(at: int, words: list[Word], counts: Counter[str]) -> _Cut:
    """The least harmful of all cuts that leave the sense of a draft."""
    worth = cost = 0.0
    worths = [worth]
    costs = [cost]
    for word in words:
        if word.value:
            worth += word.value if counts[word.key] == 1 else _worth(word, counts)
        cost += word.cost
        worths.append(worth)
        costs.append(cost)
    size = len(words)
    best = (worth / (cost + _CLAUSE_COST), 0, size)
    for start, end in _parts(words):
        loss = (worths[end] - worths[start]) / (costs[end] - costs[start])
        best = min(best, (loss if start else loss + _NO_HEAD, start, end))
    loss, start, end = best
    if words[-1].text.endswith("?"):
        loss *= _QUESTION
    return _Cut(loss, at, start, end)


def _parts(words: list[Word]) -> Iterator[tuple[int, int]]:
    """Where parts that may go start and end: stretches, and the ends of the clause.

    A stretch begins with the words that stay, if there are any.
    """
    size = negated = len(words)
    start = 0
    for at in range(1, size):
        if words[at - 1].kind is Kind.NEGATION:
            negated = min(negated, at - 1)
        if words[at - 1].kind is not Kind.TELLING:
            continue
        if words[at].kind is Kind.TELLING:
            if at > 1:
                yield at, size
        else:
            if at <= negated:
                yield start, at
            start = at
    if start:
        yield start, size
