"""Summaries of what clients bring with each request: known by content, held for one session.

A client that sends its whole history decides what was said. What Pace has made of the beginning of
such a history is found again by a hash chain over its turns, so that an edit, a regeneration or a
branch shares it up to where it diverges, and nothing after.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise

from pace.memory.summary import RollingSummary
from pace.memory.turn import TurnPair

# Prefixes that one thread holds: the newest, for regenerating, and a few further back, for edits
# and branches there. Each costs about as much as the thread's own summary.
MOST_PREFIXES = 8
# So many of the newest are never thinned out.
_NEWEST = 3
_DIGEST_BYTES = 16


def chained(previous: str, turn: Iterable[bytes]) -> str:
    """The digest of a history that is one turn longer; the empty text stands for none.

    Each piece goes in with its length, so that no two histories are the same to it. (BLAKE2b of 128
    bits, RFC 7693: nobody finds a second history for a digest, nor a history in it.)
    """
    digest = blake2b(previous.encode(), digest_size=_DIGEST_BYTES)
    for piece in turn:
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The beginning of a history: what the summary covers of it, and what it does not cover yet.

    `digest` is the whole prefix's, `covered` that of the pairs which `summary` covers. Raises
    ValueError for pending pairs that do not follow on what is covered.
    """

    digest: str
    covered: str
    summary: RollingSummary
    pending: tuple[TurnPair, ...] = ()

    def __post_init__(self) -> None:
        numbers = [self.summary.covers, *(pair.number for pair in self.pending)]
        if any(after != before + 1 for before, after in pairwise(numbers)):
            raise ValueError("pending pairs follow on what the summary covers")

    @property
    def length(self) -> int:
        """How many pairs it has."""
        return self.summary.covers + len(self.pending)

    def with_summary(self, summary: RollingSummary) -> "Prefix":
        """The same prefix, covered whole."""
        return replace(self, covered=self.digest, summary=summary, pending=())


def longest_known(
    prefixes: Sequence[Prefix], digests: Sequence[str], *, most: int
) -> RollingSummary:
    """The summary that covers most of a history, at most its first `most` pairs.

    `digests[n]` is the digest of the history's first n turns. Without one that fits, it is empty.
    """
    best = RollingSummary()
    for prefix in prefixes:
        held = prefix.summary
        if not 0 < held.covers <= most or digests[held.covers] != prefix.covered:
            continue
        if (held.covers, held.version) > (best.covers, best.version):
            best = held
    return best


def with_prefix(prefixes: tuple[Prefix, ...], prefix: Prefix) -> tuple[Prefix, ...]:
    """These and one more, the newest last; of too many, one goes that has near neighbours."""
    known = next((held for held in prefixes if held.digest == prefix.digest), None)
    if known is not None and known.summary.covers >= prefix.summary.covers:
        prefix = known
    kept = (*(held for held in prefixes if held.digest != prefix.digest), prefix)
    if len(kept) <= MOST_PREFIXES:
        return kept
    thinned = min(range(len(kept) - _NEWEST), key=lambda at: _worth(kept, at))
    return kept[:thinned] + kept[thinned + 1 :]


def _worth(prefixes: tuple[Prefix, ...], at: int) -> float:
    """How large a step back its loss would leave, measured by how far back it is."""
    length, newest = prefixes[at].length, prefixes[-1].length
    before = prefixes[at - 1].length if at else 0
    step = abs(prefixes[at + 1].length - before)
    return step / (abs(newest - length) + 1)
