"""How a summary reads: like sentences, or like a list of keywords."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pace.evaluation.faithfulness import statements_of
from pace.evaluation.replay import Replay
from pace.evaluation.stems import stems_of

_FEW_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Readability:
    """Of all summaries.

    The share of small words, the words of a statement at the median, and the share of statements
    with at least three words and a small one among them.
    """

    function_words: float
    statement_words: float
    sentence_like: float


def readability_of(replays: Sequence[Replay]) -> Readability:
    """Look at the summary of each moment; a talk without one counts for nothing."""
    lengths, small, sentences = [], 0, 0
    for replayed in replays:
        for moment in replayed.moments:
            for _, text in statements_of(moment.summary):
                stems = stems_of(text)
                few = sum(not stem.tells for stem in stems)
                lengths.append(len(stems))
                small += few
                sentences += len(stems) >= _FEW_WORDS and few > 0
    return Readability(
        function_words=small / sum(lengths) if any(lengths) else 0.0,
        statement_words=median(lengths) if lengths else 0.0,
        sentence_like=sentences / len(lengths) if lengths else 0.0,
    )
