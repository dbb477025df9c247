"""Takes out of a text what hides a word from whoever compares it: unseen signs, and look-alikes."""

import re
import unicodedata
from functools import lru_cache

from pace.memory.turn import is_invisible

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Marks of no script in particular; those of Indic scripts, Thai, Arabic and Hebrew spell words.
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]"
# Of more marks on one letter the rest is ornament; to set them in order takes their square.
_MARKED = re.compile(rf"([\s\S]?)({_MARK}{{1,4}}){_MARK}*")
_MARKS = re.compile(_MARK)
# Letters of Cyrillic and Greek that are drawn as Latin ones are, where a Latin word holds them. At
# its beginning they stay, and are looked at as capitals.
_DRAWN_ALIKE = str.maketrans("аеорсухіјѕһԁԛԝοανρι", "aeopcyxijshdqwoavpi")
_IN_LATIN_WORD = re.compile(r"(?<=[a-zA-Z])[\u0370-\u052f]+(?![\u0370-\u052f])")
_LONG_ROW = re.compile(r"([^\w\x00-\u02ff\s]{8})[^\w\x00-\u02ff\s]+")
# Small capitals, and the capitals in boxes that compatibility folding leaves as they are.
_LOOKS_LATIN = re.compile(
    r"LATIN LETTER SMALL CAPITAL ([A-Z])|NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER ([A-Z])"
)


def legible(text: str) -> str:
    """A text without what shows nothing, and without marks that make no letter of their own."""
    if text.isascii() and text.isprintable():
        return text
    text = "".join(c for c in text if (" " <= c <= "~") or not _is_unseen(c))
    return text if text.isascii() else _MARKED.sub(_with_accents, text)


@lru_cache(maxsize=4096)
def _is_unseen(char: str) -> bool:
    return is_invisible(char) or unicodedata.category(char) == "Cs"


def _with_accents(found: re.Match[str]) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFC", found[1] + found[2]))


def as_it_looks(text: str) -> str:
    """A legible text in one Unicode form, in which all digits and look-alikes are those of ASCII.

    Of a row of marks without end only the beginning is left: to set it in order takes its square.
    """
    text = unicodedata.normalize("NFKC", _LONG_ROW.sub(r"\1", text))
    text = _NOT_ASCII.sub(lambda c: _looks_like(c[0]), text)
    return _IN_LATIN_WORD.sub(lambda row: row[0].translate(_DRAWN_ALIKE), text)


@lru_cache(maxsize=4096)
def _looks_like(char: str) -> str:
    if unicodedata.category(char).startswith("N"):
        number = unicodedata.numeric(char, 0.5)
        return str(int(number)) if number.is_integer() else char
    if looks := _LOOKS_LATIN.fullmatch(unicodedata.name(char, "")):
        return looks[1] or looks[2]
    return char
