"""Shows a pair within a room: whole, or the parts of it that fit best, with a sign for the rest."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pace.memory.markers import harmless
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import INTERRUPTED_SIGN, TurnPair

_LEFT_OUT = " … "
# What the estimate adds at most for the two voices of a pair, and their line ends.
_FRAME_TOKENS = 8
# And for the sign of what was left out beside a part.
_SIGN_TOKENS = 2
_SENTENCE_END = re.compile(r"(?<=[.!?…؟।॥])\s+|(?<=[。！？])|\n+")
# Shorter sentences stay with the next, which they may be the subject of: "Yes." "At seven."
_SHORTEST_PART = 20
# Longer ones are cut: an answer may stand in a sentence that has no room. In other scripts a
# character takes up to four times the tokens.
_LONGEST_PART, _LONGEST_PART_OF_OTHERS = 240, 120


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of one side's text, by its place."""

    side: int
    start: int
    end: int


def excerpt(pair: TurnPair, hits: Callable[[str], int], room: int) -> str:
    """A pair as two lines, in so many estimated tokens; empty if no part of it has room.

    Of what is too long those parts are shown for which `hits` gives most. A reply that was
    interrupted has its sign at its end.
    """
    sides = (pair.user_text, pair.reply_text)
    whole = _lines(pair, tuple(map(_on_one_line, sides)))
    if _size(whole) <= room:
        return whole
    parts = [
        _Part(side, start, end) for side, text in enumerate(sides) for start, end in _parts(text)
    ]
    texts = [_on_one_line(sides[part.side][part.start : part.end]) for part in parts]
    found = [hits(text) for text in texts]
    left = room - _FRAME_TOKENS - (_size(INTERRUPTED_SIGN) if pair.interrupted else 0)
    chosen = []
    for at in sorted(range(len(parts)), key=lambda at: (-found[at], at)):
        cost = _size(texts[at]) + _SIGN_TOKENS
        if cost <= left:
            chosen.append(parts[at])
            left -= cost
    if not chosen:
        return ""
    return _lines(pair, tuple(_joined(text, chosen, side) for side, text in enumerate(sides)))


def _lines(pair: TurnPair, texts: Sequence[str]) -> str:
    """The two lines of a pair; one of which nothing is shown is left out."""
    user, reply = texts
    sign = INTERRUPTED_SIGN if pair.interrupted else ""
    lines = ((f"User: {user}", user), (f"Assistant: {reply}{sign}", reply))
    return "\n".join(line for line, text in lines if text)


def _joined(text: str, chosen: Sequence[_Part], side: int) -> str:
    """The chosen parts of one side in their order, with a sign where others stood between."""
    shown = ""
    last = None
    for part in sorted(chosen, key=lambda part: part.start):
        if part.side != side:
            continue
        if last is not None and part.start != last:
            shown += _LEFT_OUT
        shown += text[part.start : part.end]
        last = part.end
    return _on_one_line(shown)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end, the short ones with the next, the long ones cut."""
    longest = _LONGEST_PART if text.isascii() else _LONGEST_PART_OF_OTHERS
    start = 0
    ends = [found.end() for found in _SENTENCE_END.finditer(text) if found.end() < len(text)]
    for end in (*ends, len(text)):
        if end - start < _SHORTEST_PART and end < len(text):
            continue
        while end - start > longest:
            cut = max(text.rfind(" ", start, start + longest) + 1, 0)
            cut = cut if cut > start else start + longest
            yield start, cut
            start = cut
        yield start, end
        start = end


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _size(text: str) -> int:
    """Tokens, by the estimate, once it was made harmless."""
    return estimate_tokens(harmless(text))
