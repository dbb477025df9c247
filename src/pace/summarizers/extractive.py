"""Folds without a model: keeps the words that tell most, and writes none that was not said."""

from collections.abc import Iterable, Iterator

from pace.memory.summary import (
    Clause,
    Fold,
    RollingSummary,
    Speaker,
    SummaryUpdate,
    render_clauses,
)
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnPair
from pace.summarizers.clauses import INTERRUPTED, LONGEST_TEXT, clauses_of, unlabelled
from pace.summarizers.cutting import fit

NAME = "extractive"
# More are folded in parts, each into what the ones before it came to, as if they had been displaced
# a part at a time; so neither the time nor the memory it takes grows faster than the talk.
_MOST_PAIRS = 200
_MOST_CHARACTERS = 100_000
# Of still more parts the oldest and the newest are read. All of them take about 1 s when pairs are
# short, 4 s when they are long, and 10 s at worst, in a process of low priority.
_MOST_PARTS = 50


class ExtractiveSummarizer:
    """Folds at once, on this machine, and never fails."""

    @property
    def name(self) -> str:
        """As `/memory` shows it."""
        return NAME

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Fold without waiting for anything."""
        return fold_extractively(fold)


def fold_extractively(fold: Fold) -> SummaryUpdate:
    """Fold prior clauses and pairs into what tells most within the budget.

    Depends on nothing but the fold. Every clause of a pair is an in-order selection of the words of
    one utterance. The text is blank only if the fold is. Of thousands of pairs those in the middle
    may be left out, and of a text that is far too long what has no digits there.
    """
    clauses = _prior_clauses(fold.prior)
    newest = fold.prior.covers
    for part in _parts(fold.pairs):
        newest = part[-1].number if part else newest
        clauses = fit(_said(clauses, part), fold.budget, newest=newest)
    clauses = clauses or _last_resort(fold)
    return SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=newest,
        text=render_clauses(clauses),
        made_by=NAME,
        clauses=clauses,
        prefix=fold.prefix,
    )


def _parts(pairs: tuple[TurnPair, ...]) -> list[tuple[TurnPair, ...]]:
    """What is folded at once, in its order."""
    parts: list[tuple[TurnPair, ...]] = []
    start = size = 0
    for at, pair in enumerate(pairs):
        length = sum(min(len(text), LONGEST_TEXT) for text in (pair.user_text, pair.reply_text))
        if at - start == _MOST_PAIRS or (at > start and size + length > _MOST_CHARACTERS):
            parts.append(pairs[start:at])
            start, size = at, 0
        size += length
    parts.append(pairs[start:])
    if len(parts) > _MOST_PARTS:
        del parts[_MOST_PARTS // 2 : -_MOST_PARTS // 2]
    return parts


def _said(prior: Iterable[Clause], pairs: Iterable[TurnPair]) -> Iterator[Clause]:
    yield from prior
    for pair in pairs:
        yield from _pair_clauses(pair)


def _prior_clauses(prior: RollingSummary) -> tuple[Clause, ...]:
    """What the prior summary holds; what a model wrote in it is taken in sentence by sentence."""
    written = (Clause(speaker=Speaker.EARLIER, text=t, number=0) for t in clauses_of(prior.prose))
    return (*written, *prior.clauses)


def _pair_clauses(pair: TurnPair) -> Iterator[Clause]:
    for text in clauses_of(pair.user_text):
        yield Clause(speaker=Speaker.USER, text=text, number=pair.number)
    replied = list(clauses_of(pair.reply_text))
    if pair.interrupted and replied:
        replied[-1] += INTERRUPTED
    for text in replied:
        yield Clause(speaker=Speaker.PACE, text=text, number=pair.number)


def _last_resort(fold: Fold) -> tuple[Clause, ...]:
    """As much of the newest pair as there is room for, when nothing in the fold tells anything.

    An empty summary would leave its pairs pending for ever.
    """
    if not fold.pairs:
        return ()
    pair = fold.pairs[-1]
    for speaker, text in ((Speaker.USER, pair.user_text), (Speaker.PACE, pair.reply_text)):
        words = unlabelled(text[: 8 * fold.budget]).split()
        while words:
            clause = Clause(speaker=speaker, text=" ".join(words), number=pair.number)
            if estimate_tokens(render_clauses((clause,))) <= fold.budget:
                return (clause,)
            words = words[: len(words) // 2]
    return (Clause(speaker=Speaker.USER, text=INTERRUPTED, number=pair.number),)
