"""Finds, among the pairs that left the window, the few that the current words ask for.

By BM25 (Robertson and Walker 1994; k1 = 1.2, and b = 0.5, since long replies hold more that may be
asked for). No model, and no index besides what each pair brings with it: so whatever forgets the
pairs forgets all of it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnPair

RECALL_TOKENS = 250
"""How much of a prompt may be pairs that were recalled, by the estimate."""
KEPT_CHARACTERS = 1_000_000
"""How much of what left the window is kept, in characters; in memory that is 2 MB at most, since
Python needs one or two bytes for those of nearly all languages."""

_K1, _B = 1.2, 0.5
_MOST_PAIRS = 4
# The best pair has to reach this share of what one would that holds nothing but the words. On
# public dialogues 90 of 100 questions about older turns reach it, and 35 of 100 other turns.
_LEAST_SHARE = 0.1
# In these scripts there are no spaces between words; two characters stand for one.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|[^\W_{_UNSPACED}]+(?:['’][^\W_{_UNSPACED}]+)?")
_ENDS = ("'s", "ing", "ies", "ed", "es", "s", "e", "y")
_SHORTEST_STEM = 3
_SMALL_WORDS = """
    a an the this that these those i you he she it we they me him her us them my your his its
    our their is am are was were be been do does did have has had will would can could should
    what when where who whom which why how of to in on at by for with from about as and or but
    not if so than then there here any some"""
_SMALL = frozenset(_SMALL_WORDS.split())
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
# Of one pair at most this share of the room is shown, so that there is some for the next.
_SHARE = 0.6
_LEFT_OUT = " … "
# What the estimate adds at most for the two voices of a pair, and their line ends.
_FRAME_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Displaced:
    """A pair that left the window, with how often it holds each word, and how many there are."""

    pair: TurnPair
    terms: Mapping[str, int] = field(compare=False, repr=False)
    size: int = field(compare=False)

    @classmethod
    def of(cls, pair: TurnPair) -> "Displaced":
        """A pair with its words counted."""
        terms = Counter(_terms(f"{pair.user_text}\n{pair.reply_text}"))
        return cls(pair, dict(terms), terms.total())

    @property
    def characters(self) -> int:
        """How long both halves are."""
        return len(self.pair.user_text) + len(self.pair.reply_text)


def kept(displaced: Sequence[Displaced]) -> tuple[Displaced, ...]:
    """The newest of them that there is room for."""
    room = KEPT_CHARACTERS
    for at in range(len(displaced) - 1, -1, -1):
        room -= displaced[at].characters
        if room < 0:
            return tuple(displaced[at + 1 :])
    return tuple(displaced)


def recalled(displaced: Sequence[Displaced], words: str) -> str:
    """What was said earlier that fits the words, oldest first, in at most RECALL_TOKENS.

    Empty if nothing fits them well. Of a long pair the sentences are shown that hold the words.
    """
    asked = set(_terms(words))
    best = _best(displaced, asked)
    shown: dict[int, str] = {}
    room = RECALL_TOKENS
    for at in best:
        text = _shown(displaced[at].pair, asked, min(room, int(_SHARE * RECALL_TOKENS)))
        room -= estimate_tokens(text) + 1
        if room < 0:
            break
        shown[at] = text
    return "\n".join(shown[at] for at in sorted(shown))


def _best(displaced: Sequence[Displaced], asked: set[str]) -> list[int]:
    """The places of the pairs that fit best, the best first; none if even that one does not."""
    if not displaced or not asked:
        return []
    mean = sum(pair.size for pair in displaced) / len(displaced) or 1.0
    damping = [_K1 * (1 - _B + _B * pair.size / mean) for pair in displaced]
    scores = [0.0] * len(displaced)
    whole = 0.0
    for term in asked:
        found = [(at, n) for at, pair in enumerate(displaced) if (n := pair.terms.get(term))]
        rarity = log(1 + (len(displaced) - len(found) + 0.5) / (len(found) + 0.5))
        whole += rarity * (_K1 + 1)
        for at, times in found:
            scores[at] += rarity * times * (_K1 + 1) / (times + damping[at])
    places = sorted(range(len(scores)), key=lambda at: (-scores[at], -at))[:_MOST_PAIRS]
    if scores[places[0]] < _LEAST_SHARE * whole:
        return []
    return [at for at in places if scores[at] > 0]


def _shown(pair: TurnPair, asked: set[str], room: int) -> str:
    """A pair as two lines; of what is too long for the room, the sentences that fit best."""
    halves = [("User", pair.user_text), ("Assistant", pair.reply_text)]
    whole = "\n".join(f"{who}: {' '.join(said.split())}" for who, said in halves)
    if estimate_tokens(whole) <= room:
        return whole
    sentences = [
        (side, " ".join(sentence.split()))
        for side, (_, said) in enumerate(halves)
        for sentence in _SENTENCE_END.split(said)
        if sentence.strip()
    ]
    hits = [len(asked & set(_terms(text))) for _, text in sentences]
    chosen: set[int] = set()
    left = room - _FRAME_TOKENS
    for at in sorted(range(len(sentences)), key=lambda at: (-hits[at], at)):
        cost = estimate_tokens(sentences[at][1]) + 1
        if cost <= left:
            chosen.add(at)
            left -= cost
    lines = [
        f"{who}: {_joined(sentences, chosen, side)}"
        for side, (who, _) in enumerate(halves)
        if any(sentences[at][0] == side for at in chosen)
    ]
    return "\n".join(lines)


def _joined(sentences: Sequence[tuple[int, str]], chosen: set[int], side: int) -> str:
    """The chosen sentences of one side, in their order, a sign where others stood between."""
    text, last = "", None
    for at, (of, sentence) in enumerate(sentences):
        if of != side or at not in chosen:
            continue
        if last is not None:
            text += " " if at == last + 1 else _LEFT_OUT
        text += sentence
        last = at
    return text


def _terms(text: str) -> Iterable[str]:
    """The words that tell something, as they are compared: without case and usual endings."""
    for found in _WORD.finditer(text.casefold()):
        word = found[0]
        if found["unspaced"]:
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word not in _SMALL:
            yield _stem(word.replace("’", "'"))


def _stem(word: str) -> str:
    for end in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= _SHORTEST_STEM:
            return word[: -len(end)]
    return word
