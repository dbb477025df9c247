"""Tells a text that goes round in circles, as models do that have lost their way."""

import re
from collections import Counter
from collections.abc import Sequence
from operator import eq

_WORDS = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"[^.!?。！？;]+")
_SAME_SENTENCES = 3
_FEW_WORDS = 4
# A row of up to so many words, or characters where words have no spaces, three times on end; in all
# at least so many, since "ha ha ha" and "000" are no loops.
_LONGEST_ROUND = 30
_ROUNDS = 3
_SHORTEST_LOOP = 9
# A text with fewer spaces than this many characters apart has no words to speak of.
_LONGEST_WORD = 20
# Rows of four words: in a loop of a few sentences, most of them come again.
_ROW = 4
_ENOUGH_ROWS = 24
_FRESH_SHARE = 0.6


def goes_in_circles(text: str) -> bool:
    """Whether it says the same again and again, by sentences, by words, or by rows of words."""
    sentences = Counter(tuple(_WORDS.findall(s.lower())) for s in _SENTENCE.findall(text))
    if any(len(s) >= _FEW_WORDS and count >= _SAME_SENTENCES for s, count in sentences.items()):
        return True
    words = _WORDS.findall(text.lower())
    items: Sequence[str] = words if text.count(" ") * _LONGEST_WORD > len(text) else text
    if any(_goes_round(items, length) for length in range(1, _LONGEST_ROUND)):
        return True
    rows = list(zip(*(words[at:] for at in range(_ROW)), strict=False))
    return len(rows) >= _ENOUGH_ROWS and len(set(rows)) < _FRESH_SHARE * len(rows)


def _goes_round(items: Sequence[str], length: int) -> bool:
    """Whether the same so many items stand there three times on end."""
    enough = max(length * _ROUNDS, _SHORTEST_LOOP) - length
    return b"\1" * enough in bytes(map(eq, items, items[length:]))
