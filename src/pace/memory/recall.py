"""Finds, among the pairs that left the window, the few that the current words ask for.

By BM25 (Robertson and Walker 1994; k1 = 1.2, and b = 0.5, since long replies hold more that may be
asked for). No model, and no index besides what each pair brings with it: so whatever forgets the
pairs forgets all of it.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from math import log
from unicodedata import normalize
from zlib import crc32

from pace.memory.excerpt import excerpt
from pace.memory.markers import harmless
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnPair

KEPT_BYTES = 2_000_000
"""How much memory a thread gives to what left its window, in bytes."""
LONGEST_KEPT = 100_000
"""Pairs of more characters than this are not kept: searching one holds up a turn."""

# What a pair takes besides its texts: its ids, its time and the objects themselves.
_PAIR_BYTES = 650
_K1, _B = 1.2, 0.5
_MOST_PAIRS = 4
# So many different words are looked for, the first of them: what is pasted names everything.
_MOST_ASKED = 64
# The best pair has to reach this share of what one would that holds nothing but the words. On
# public dialogues 90 of 100 questions about older turns reach it, and 35 of 100 other turns.
_LEAST_SHARE = 0.1
# Of one pair at most this share of the room is shown, so that there is some for the next.
_SHARE = 0.6
# In these scripts there are no spaces between words; two characters stand for one.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
# Vowel signs that stand as characters of their own are parts of their words.
_SIGNS = "\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_ACCENTS = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]")
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_SIGNS}])"
_WORD = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|{_LETTER}+(?:['’]{_LETTER}+)?")
_ENDS = ("'s", "ing", "ies", "ed", "es", "s", "e", "y")
_SHORTEST_STEM = 3
_SMALL_WORDS = """
    a an the this that these those i you he she it we they me him her us them my your his its
    our their is am are was were be been do does did have has had will would can could should
    what when where who whom which why how of to in on at by for with from about as and or but
    not if so than then there here any some"""
_SMALL = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, slots=True)
class Displaced:
    """A pair that left the window, with what it is found by.

    `terms` is a code for each word that tells something, in their order; `held` is how many bytes
    all of it takes.
    """

    pair: TurnPair
    terms: bytes = field(compare=False, repr=False)
    held: int = field(compare=False)

    @classmethod
    def of(cls, pair: TurnPair) -> "Displaced":
        """A pair with its words."""
        words = _words(f"{pair.user_text}\n{pair.reply_text}")
        terms = b"".join(_code(word) for word, _ in words)
        held = _bytes_of(pair.user_text) + _bytes_of(pair.reply_text) + len(terms)
        return cls(pair, terms, held + _PAIR_BYTES)

    @property
    def is_too_long(self) -> bool:
        """Whether it is too long to be searched."""
        return len(self.pair.user_text) + len(self.pair.reply_text) > LONGEST_KEPT


def _bytes_of(text: str) -> int:
    """What Python holds a text in: one, two or four bytes a character (PEP 393)."""
    widest = max(text)
    if widest <= "\xff":
        return len(text)
    return len(text) * (2 if widest <= "\uffff" else 4)


def kept(displaced: Sequence[Displaced]) -> tuple[Displaced, ...]:
    """The newest of them that there is room for."""
    chosen = []
    room = KEPT_BYTES
    for each in reversed(displaced):
        if each.is_too_long:
            continue
        room -= each.held
        if room < 0:
            break
        chosen.append(each)
    return tuple(reversed(chosen))


def recalled(displaced: Sequence[Displaced], words: str, *, tokens: int) -> str:
    """What was said earlier that fits the words, oldest first, in at most so many tokens.

    Empty if nothing fits them well. Of a long pair the parts are shown that hold the words. Tokens
    are estimated, of what is left once the text was made harmless.
    """
    asked = _asked(words)
    shown: dict[int, str] = {}
    room = tokens
    for at in _best(displaced, asked):
        pair = displaced[at].pair
        text = excerpt(pair, lambda part: _hits(asked, part), min(room, int(_SHARE * tokens)))
        if text:
            shown[at] = text
            room -= estimate_tokens(harmless(text)) + 1
    return "\n".join(shown[at] for at in sorted(shown))


def _best(displaced: Sequence[Displaced], asked: Mapping[bytes, float]) -> list[int]:
    """The places of the pairs that fit best, the best first; none if even that one does not."""
    if not displaced or not asked:
        return []
    # One search through all of them is a quarter of the time of one through each.
    terms = b"".join(each.terms for each in displaced)
    ends = list(accumulate(len(each.terms) for each in displaced))
    mean = len(terms) / len(ends) or 1.0
    scores: dict[int, float] = {}
    whole = 0.0
    for term, share in asked.items():
        found = Counter(bisect_right(ends, place) for place in _places(term, terms))
        rarity = log(1 + (len(ends) - len(found) + 0.5) / (len(found) + 0.5))
        whole += rarity * (_K1 + 1) * share
        for at, times in found.items():
            damping = _K1 * (1 - _B + _B * len(displaced[at].terms) / mean)
            score = rarity * times * (_K1 + 1) / (times + damping)
            scores[at] = scores.get(at, 0.0) + score
    best = sorted(scores, key=lambda at: (-scores[at], -at))[:_MOST_PAIRS]
    return best if best and scores[best[0]] >= _LEAST_SHARE * whole else []


def _places(term: bytes, terms: bytes) -> Iterator[int]:
    """Where a code begins among others; not where the end of one and a beginning look like it."""
    place = terms.find(term)
    while place >= 0:
        if place % len(term) == 0:
            yield place
        place = terms.find(term, place + 1)


def _asked(words: str) -> dict[bytes, float]:
    """What is looked for, each once, with the share of it that is to be found."""
    return {_code(word): share for word, share in islice(_words(words), _MOST_ASKED)}


def _hits(asked: Mapping[bytes, float], part: str) -> int:
    """How many of the words asked for a part of a text holds."""
    return len(asked.keys() & {_code(word) for word, _ in _words(part)})


def _words(text: str) -> Iterator[tuple[str, float]]:
    """The words that tell something, as they are compared: without case and usual endings.

    Where two characters stand for a word, every second two are none: of these half can be found.
    """
    for found in _WORD.finditer(_plain(text)):
        word = found[0]
        if found["unspaced"]:
            for at in range(max(1, len(word) - 1)):
                yield word[at : at + 2], 0.5
        elif word not in _SMALL:
            yield _stem(word.replace("’", "'")), 1.0


def _plain(text: str) -> str:
    """A text without case, accents, full and half widths, and signs that show nothing."""
    text = text.casefold()
    if text.isascii():
        return text
    return normalize("NFC", _ACCENTS.sub("", normalize("NFKD", text)))


def _code(word: str) -> bytes:
    """Four bytes for a word, found fast in little room; two share one once in four billion."""
    return crc32(word.encode()).to_bytes(4)


def _stem(word: str) -> str:
    for end in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= _SHORTEST_STEM:
            return word[: -len(end)]
    return word
