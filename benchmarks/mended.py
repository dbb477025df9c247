"""What a real model's summaries are worth: alone, turned down if poorer, and mended by the guard.

Run: python benchmarks/mended.py [TALKS] [--model default|tiny] [--how alone|turned-down|mended]
     [--first N]

Talks (those that Pace ships, unless a file is named; the first N of them) are replayed turn by
turn, K = 4, with the model folding behind a llama.cpp server of this machine. "Alone" lands what it
writes, cut to the budget; "turned down" is the guard without giving back: what is poorer than the
extractive fold is not taken; "mended" is the guard. Beside them stands the extractive fold. A talk
of 27 turns takes the default model five minutes and more on two cores, each way.
"""

import argparse
import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sixty_turns import served

from pace.errors import SummarizerError, SummaryRejectedError
from pace.evaluation.faithfulness import faithfulness_of
from pace.evaluation.loading import load_talks, shipped
from pace.evaluation.replay import Replay, replay
from pace.evaluation.retention import retention_of
from pace.evaluation.shares import Share
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate, held_summary
from pace.memory.tokens import estimate_tokens
from pace.ports import ThreadSummarizer
from pace.summarizers.cleaning import cleaned, within
from pace.summarizers.extractive import ExtractiveSummarizer, fold_extractively
from pace.summarizers.guard import Rejection, guarded
from pace.summarizers.model import ModelSummarizer
from pace.summarizers.source import Source
from pace.summarizers.values import values_in

Reading = Callable[[SummaryUpdate, Fold], SummaryUpdate]


def alone(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """Whatever it wrote, as far as there is room."""
    return replace(update, text=within(cleaned(update.text), fold.budget))


def turned_down(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """The guard, if it gave nothing back. Raises SummaryRejectedError."""
    mended = guarded(update, fold)
    prose = held_summary(mended, mended.text).prose
    said = (text for pair in fold.pairs for text in (pair.user_text, pair.reply_text))
    values = values_in("\n".join((fold.prior.text, *said)))
    if Source(prose).kept(values) < Source(fold_extractively(fold).text).kept(values):
        raise SummaryRejectedError(Rejection.POORER)
    return replace(mended, text=prose, clauses=())


HOW: dict[str, Reading] = {"alone": alone, "turned-down": turned_down, "mended": guarded}


class Read:
    """A summarizer whose texts are read by one of these, and what became of them."""

    def __init__(self, inner: ThreadSummarizer, reading: Reading) -> None:
        self.name = inner.name
        self.reasons: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.read_seconds: list[float] = []
        self._inner = inner
        self._reading = reading

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        began = time.perf_counter()
        try:
            update = await self._inner.summarize(fold)
            self.seconds.append(time.perf_counter() - began)
            began = time.process_time()
            update = self._reading(update, fold)
            self.read_seconds.append(time.process_time() - began)
        except SummaryRejectedError as error:
            self.reasons[error.reason] += 1
            raise
        except SummarizerError as error:
            self.reasons[error.kind] += 1
            raise
        self.reasons["taken"] += 1
        return update


def tell(name: str, replays: Sequence[Replay]) -> None:
    """One row of the table."""
    kept, true = retention_of(replays), faithfulness_of(replays)
    last = [replayed.moments[-1].summary for replayed in replays]
    prose = sum(estimate_tokens(summary.prose) for summary in last)
    whole = sum(estimate_tokens(summary.text) for summary in last)
    own = [fold.is_own for replayed in replays for fold in replayed.folds]
    print(
        f"{name:12}{_percent(kept.at_end):>14}{_percent(kept.by_subject):>14}"
        f"{_percent(kept.on_the_way):>14}{true.names + true.numbers:10}"
        f"{100 * true.new_words / max(1, true.words):10.1f}{100 * prose / max(1, whole):8.0f}"
        f"{100 * sum(own) / len(own):8.0f}",
        flush=True,
    )


def _percent(share: Share) -> str:
    return f"{100 * share.part / max(1, share.whole):.1f} of {share.whole}"


async def run(asked: argparse.Namespace) -> None:
    """Replay the talks each way, and print a row for each."""
    loaded = shipped() if asked.talks is None else load_talks(asked.talks)
    talks = loaded.talks[: asked.first]
    limits = ThreadLimits()
    print(
        f"{'':12}{'kept, %':>14}{'by subject':>14}{'on the way':>14}{'invented':>10}{'new, %':>10}"
        f"{'prose %':>8}{'own %':>8}"
    )
    tell("extractive", [await replay(talk, ExtractiveSummarizer(), limits) for talk in talks])
    async with served(asked.model) as (_, folds):
        for how in asked.how or HOW:
            summarizer = Read(ModelSummarizer(folds, name="local"), HOW[how])
            tell(how, [await replay(talk, summarizer, limits) for talk in talks])
            print(
                f"  {dict(summarizer.reasons.most_common())}; a fold took "
                f"{statistics.median(summarizer.seconds):.1f} s, reading it "
                f"{1000 * statistics.median(summarizer.read_seconds or [0]):.1f} ms (medians)",
                flush=True,
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("talks", type=Path, nargs="?")
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    parser.add_argument("--how", choices=HOW, action="append")
    parser.add_argument("--first", type=int)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
