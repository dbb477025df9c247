"""How texts become words that can be searched for, in any script, code and numbers included.

The index is given these words, and queries are made of them, so that nothing a person can type is
ever read as query syntax.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# To be counted up with every change of what words a text gives.
_RULES = 1
INDEXED_BY = f"{_RULES}/{unicodedata.unidata_version}"
"""What a text's words depend on; two versions of Python may split a rare text differently."""

# Scripts without spaces between words: each character is a word there, and a run of them a phrase.
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana, the narrow ones too
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, later parts
)
# Voicing marks of kana make one character with what they stand at.
_VOICING = "\u3099\u309a\uff9e\uff9f"
# Combining marks are no word characters to `re`, and words of many scripts are full of them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963"
    "\u0971-\u0df3"
)
# Stand inside words and show nothing: the soft hyphen, and what joins or parts letters.
_UNSEEN = "\u00ad\u200c\u200d"
# Signs that belong to what they stand at: C++, 38.101, POL-358, a_b, 50%, don't, x@y.org, C:\users.
_SIGNS = "+#$%&@_./:='-\\€£¥§°"
# The signs as the index knows them: of a kind that its tokenizer takes for letters.
_SIGN_WORDS = {sign: chr(0xE000 + number) for number, sign in enumerate(_SIGNS)}
_SIGN_WORDS["\u2019"] = _SIGN_WORDS["'"]
_SIGN = "[" + re.escape("".join(_SIGN_WORDS)) + "]"
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])"
_WORD = re.compile(
    rf"[{_UNSPACED}][{_VOICING}]?|{_LETTER}(?:{_LETTER}|[{_UNSEEN}])*"
    rf"|(?:(?<=\w)|(?<=\w[+#])){_SIGN}|{_SIGN}(?=\w)"
)
# What ends a sentence or frames a quotation is no part of the word that is asked for.
_LEFT_EDGE, _RIGHT_EDGE = "'\u2019:=&", ".:'\u2019=&-/\\_"
# What does not count: accents of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel
# signs and stretching. Nor signs of ASCII that a character may stand for: the index parts words
# at them.
_UNCOUNTED = dict.fromkeys(
    (
        *map(ord, _UNSEEN),
        *(code for code in range(0x80) if not chr(code).isalnum()),
        *range(0x0300, 0x0370),
        *(code for code in range(0x0591, 0x05C8) if code not in {0x05BE, 0x05C0, 0x05C3, 0x05C6}),
        *(0x0640, 0x0670, *range(0x064B, 0x0660)),
    )
)
# A word of one letter stands for itself; a longer one for all that begin like it.
_SHORTEST_BEGINNING = 2
# Beyond these a query is no question any more; the rest of a pasted text is not looked at.
_MOST_PHRASES, _MOST_WORDS = 32, 64


class Word(NamedTuple):
    """A word as the index knows it, and where it stands in its text."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of a text, in order; letter case and accents do not count."""
    return [Word(_plain(m.group()), m.start(), m.end()) for m in _WORD.finditer(text)]


def indexed(text: str) -> str:
    """A text as the index is given it; always the same for the same text."""
    return " ".join(_plain(found) for found in _WORD.findall(text))


def _plain(found: str) -> str:
    if found in _SIGN_WORDS:
        return _SIGN_WORDS[found]
    if found.isascii():
        return found.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", found).casefold())
    # A word of nothing but accents stands for itself.
    return unicodedata.normalize("NFC", plain.translate(_UNCOUNTED)) or found


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for: phrases that all have to be found; none, if nothing was asked for."""

    phrases: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, text: str) -> "Query":
        """Any text is a query: what stands between white space is a phrase of its own."""
        chunks = (chunk.lstrip(_LEFT_EDGE).rstrip(_RIGHT_EDGE) for chunk in text.split())
        phrases = (tuple(word.text for word in words_of(chunk)[:_MOST_WORDS]) for chunk in chunks)
        asked = dict.fromkeys(phrase for phrase in phrases if _has_letters(phrase))
        return cls(tuple(asked)[:_MOST_PHRASES])

    @property
    def expression(self) -> str:
        """The query for the index; its words hold no quotes."""
        return " AND ".join(
            f'"{" ".join(phrase)}"{" *" if _is_beginning(phrase[-1]) else ""}'
            for phrase in self.phrases
        )

    def spans_in(self, text: str) -> list[tuple[int, int]]:
        """Where the phrases stand in a text, as start and end, in order; they do not overlap."""
        words = words_of(text)
        spans = sorted(
            (words[at].start, words[at + len(phrase) - 1].end)
            for phrase in self.phrases
            # Hardly any place gets past its first word.
            for at in range(len(words) - len(phrase) + 1)
            if words[at].text.startswith(phrase[0])
            and _stands_at(phrase, words[at : at + len(phrase)])
        )
        apart: list[tuple[int, int]] = []
        for start, end in spans:
            if apart and start < apart[-1][1]:
                apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
            else:
                apart.append((start, end))
        return apart


def _has_letters(phrase: tuple[str, ...]) -> bool:
    signs = set(_SIGN_WORDS.values())
    return any(word not in signs for word in phrase)


def _is_beginning(word: str) -> bool:
    return len(word) >= _SHORTEST_BEGINNING


def _stands_at(phrase: tuple[str, ...], words: Sequence[Word]) -> bool:
    if [word.text for word in words[:-1]] != list(phrase[:-1]):
        return False
    last = words[-1].text
    return last.startswith(phrase[-1]) if _is_beginning(phrase[-1]) else last == phrase[-1]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text around what was found; `found` are start and end of it in `text`."""

    text: str
    found: tuple[tuple[int, int], ...]


def snippet_of(text: str, query: Query, *, length: int = 160) -> Snippet:
    """The piece of a text, about this many characters long, that holds the first thing found.

    White space is made one space, so that a piece is one line.
    """
    spans = query.spans_in(text)
    first = spans[0][0] if spans else 0
    start = _begin_of_word(text, max(0, min(first - length // 3, len(text) - length)))
    end = min(len(text), start + length)
    pieces: list[str] = ["…"] if start else []
    found: list[tuple[int, int]] = []
    at, written = start, len(pieces)
    for span_start, span_end in [*(s for s in spans if start <= s[0] < end), (end, end)]:
        between = _one_line(text[at:span_start])
        hit = _one_line(text[span_start : min(span_end, end)])
        pieces += [between, hit]
        written += len(between)
        if hit:
            found.append((written, written + len(hit)))
        written += len(hit)
        at = max(at, min(span_end, end))
    if end < len(text):
        pieces.append("…")
    return Snippet("".join(pieces), tuple(found))


def _begin_of_word(text: str, at: int) -> int:
    """The beginning of a word at or after a place, if one is near."""
    near = 20
    if at == 0:
        return 0
    space = re.compile(r"\s").search(text, at, at + near)
    return space.end() if space else at


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
