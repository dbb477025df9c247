"""Folds without a model: keeps the words that tell most, and writes none that was not said."""

from collections.abc import Iterator

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
from pace.summarizers.clauses import INTERRUPTED, clauses_of, unlabelled
from pace.summarizers.cutting import fit

NAME = "extractive"


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
    one utterance. The text is blank only if the fold is.
    """
    said = [*_prior_clauses(fold.prior)]
    for pair in fold.pairs:
        said += _pair_clauses(pair)
    newest = fold.pairs[-1].number if fold.pairs else fold.prior.covers
    clauses = fit(said, fold.budget, newest=newest) or _last_resort(fold)
    return SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=newest,
        text=render_clauses(clauses),
        made_by=NAME,
        clauses=clauses,
        prefix=fold.prefix,
    )


def _prior_clauses(prior: RollingSummary) -> tuple[Clause, ...]:
    """What the prior summary holds; a model's is taken in sentence by sentence."""
    if prior.clauses:
        return prior.clauses
    return tuple(
        Clause(speaker=Speaker.EARLIER, text=text, number=0) for text in clauses_of(prior.text)
    )


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
