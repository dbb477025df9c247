"""How much of the damage that bad summarizers do the guard undoes.

Run: python benchmarks/damage.py [TALKS] [--budget TOKENS]

Talks (those that Pace ships, unless a file is named) are replayed turn by turn, K = 4, by a
truthful summarizer that writes as a model would, and by versions of it that each do one kind of
harm to every fold, raw and behind the guard. Planted values are the names, numbers, dates and
identifiers in the turns that have left the window. Printed per kind: the share of them that the
summary has lost at the end of the talks, the values in any summary on the way that nobody had said
by then, and behind the guard how much of the summary the model wrote, the share of folds that the
extractive summarizer had to make, and what reading one summary took. Exits 1 if more than 5 % are
lost beyond what the extractive fold loses too, or if anything invented gets through.
"""

import argparse
import asyncio
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from harms import KINDS, Harm, truthful

from pace.evaluation.loading import load_talks, shipped
from pace.evaluation.replay import replay
from pace.evaluation.talks import Talk
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, RollingSummary, SummaryUpdate
from pace.memory.tokens import estimate_tokens
from pace.ports import ThreadSummarizer
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.summarizers.guard import guarded
from pace.summarizers.source import Source
from pace.summarizers.values import values_in

_MOST_LOST = 5.0


class Harmful:
    """The truthful summarizer, with one kind of harm done to all that it writes."""

    def __init__(self, name: str, harm: Harm, *, is_guarded: bool) -> None:
        self.name = name
        self.milliseconds: list[float] = []
        """What the guard took for each."""
        self._harm = harm
        self._is_guarded = is_guarded

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        update = SummaryUpdate(
            session_id=fold.session_id,
            version=fold.version,
            covers=fold.pairs[-1].number,
            text=self._harm(truthful(fold), fold),
            made_by=self.name,
            prefix=fold.prefix,
        )
        return self.guard(update, fold) if self._is_guarded else update

    def guard(self, update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
        """What the guard makes of it."""
        began = time.process_time()
        try:
            return guarded(update, fold)
        finally:
            self.milliseconds.append(1000 * (time.process_time() - began))


# --- figures


@dataclass(frozen=True, slots=True)
class _Damage:
    planted: int = 0
    lost: int = 0
    invented: int = 0
    folds: int = 0
    extractive: int = 0
    tokens: int = 0
    prose_tokens: int = 0

    def __add__(self, other: "_Damage") -> "_Damage":
        return _Damage(*(getattr(self, s) + getattr(other, s) for s in self.__slots__))

    @property
    def lost_share(self) -> float:
        return 100 * self.lost / max(1, self.planted)


class _Measured:
    """A talk, and what had been said by each of its turns."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._said = [Source(self._until(turn + 1)) for turn in range(len(talk.turns))]

    def by(self, summarizer: ThreadSummarizer, limits: ThreadLimits) -> _Damage:
        """What a summarizer does to it."""
        replayed = asyncio.run(replay(self._talk, summarizer, limits, every=1))
        last = replayed.moments[-1]
        planted = values_in(self._until(last.window_from))
        invented: set[str] = set()
        for moment in replayed.moments:
            invented |= self._said[moment.turn].missing(values_in(_told(moment.summary)))
        return _Damage(
            planted=len(planted),
            lost=len(Source(last.summary.text).missing(planted)),
            invented=len(invented),
            folds=len(replayed.folds),
            extractive=sum(not fold.is_own for fold in replayed.folds),
            tokens=estimate_tokens(last.summary.text),
            prose_tokens=estimate_tokens(last.summary.prose),
        )

    def _until(self, turns: int) -> str:
        said = self._talk.turns[:turns]
        return "\n".join(text for turn in said for text in (turn.user, turn.assistant))


def _told(summary: RollingSummary) -> str:
    """What a summary holds, without the words that say who said it."""
    return "\n".join((summary.prose, *(clause.text for clause in summary.clauses)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("talks", type=Path, nargs="?")
    parser.add_argument("--budget", type=int, default=ThreadLimits().summary_tokens)
    parser.add_argument("--kind", help="one kind alone")
    asked = parser.parse_args()
    loaded = shipped() if asked.talks is None else load_talks(asked.talks)
    talks = [_Measured(talk) for talk in loaded.talks]
    limits = ThreadLimits(summary_tokens=asked.budget)

    def by(summarizer: ThreadSummarizer) -> _Damage:
        return sum((talk.by(summarizer, limits) for talk in talks), start=_Damage())

    extractive = by(ExtractiveSummarizer())
    print(f"{len(talks)} talks, {extractive.planted} planted values, {asked.budget} tokens.")
    print(f"The extractive fold alone loses {extractive.lost_share:.1f} % of them.\n")
    print(f"{'':28}{'lost, %':>16}{'invented':>16}{'prose':>7}{'extractive':>12}{'ms':>14}")
    print(
        f"{'kind':28}{'raw':>8}{'guarded':>8}{'raw':>8}{'guarded':>8}{'%':>7}{'folds, %':>12}"
        f"{'median':>8}{'95 %':>6}"
    )
    is_bad = False
    for kind, harm in KINDS.items():
        if asked.kind not in {None, kind}:
            continue
        raw = by(Harmful(kind, harm, is_guarded=False))
        harmful = Harmful(kind, harm, is_guarded=True)
        kept = by(harmful)
        took = sorted(harmful.milliseconds)
        print(
            f"{kind:28}{raw.lost_share:8.1f}{kept.lost_share:8.1f}{raw.invented:8}"
            f"{kept.invented:8}{100 * kept.prose_tokens / kept.tokens:7.0f}"
            f"{100 * kept.extractive / kept.folds:12.1f}"
            f"{statistics.median(took):8.1f}{took[95 * len(took) // 100]:6.1f}",
            flush=True,
        )
        is_bad |= kept.lost_share > extractive.lost_share + _MOST_LOST or bool(kept.invented)
    if is_bad:
        sys.exit(1)


if __name__ == "__main__":
    main()
