"""Reads the amounts of a text: digits and number words in a row, with their sign and scale."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from pace.summarizers.numerals import (
    HAN,
    NUMERALS,
    OTHERS,
    PLACES,
    goes_on,
    han_number,
    is_scale,
    number_of,
    sum_of,
)

_PERCENT = (
    r"%|percent\w*|per\s?cent\b|prozent\w*|pour\s?cent\b|por\s?ciento\b|por\s?cento\b|per\s?cento\b"
    r"|procent\w*|prosent\w*|процент\w*|відсот\w*"
)
_MINUS = "minus|negative|минус|мінус|miinus|mínusz"
_ENDS_WITH_MINUS = re.compile(rf"\b(?:{_MINUS})\s$")
_TOKEN = re.compile(
    rf"(?P<percent>{_PERCENT})"
    rf"|(?P<sign>(?<![^\s(\[\"“'=:~])[-−](?=\d)|\b(?:{_MINUS})\s(?=\d))?"
    r"(?<![\w.,])(?<!\d:)(?P<digits>\d++(?:[.,'’]\d++)*+)(?P<unit>[kmb]n?|tsd)?+(?![^\W_]|:\d)"
    r"|(?P<word>[^\W\d_]+)"
)
_LETTER_SCALES = {"k": 1000, "tsd": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_THOUSANDS = re.compile(r"[.,'’](?=\d{3}(?!\d))")
_NEXT_TO = re.compile(r"[\s\-‐]{0,3}")
_LINKS = frozenset({"and", "y", "e", "et", "und", "i"})
_HAN_PERCENT = re.compile(r"百分之([\d.]+|[〇零一二三四五六七八九十百]+)")
# Who speaks of the two has named them.
_REFERS = re.compile(r"(?:the|these|those|their|both|all|between|last|next|other)\s$")
_HYPHENS = re.compile(r"(?<![^\W_])[^\W\d_]++(?:-[^\W\d_]++)++")
# No such word is longer.
_LOOKS_BACK = 12
_LITTLE = 2


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it is told: its text, what it comes to, and whether its words tell more."""

    text: str
    value: Decimal
    is_percent: bool = False
    is_negative: bool = False
    is_scaled: bool = False
    is_worded: bool = False
    refers: bool = False
    is_place: bool = False
    parts: tuple[str, ...] = ()


def amounts_in(text: str) -> Iterator[Amount]:
    """The amounts of a text in lower case, in the order in which they stand there."""
    yield from _han_amounts(text)
    text = _HYPHENS.sub(_whole_word, re.sub(r"quatre-vingts?", "quatrevingt", text))
    row: list[re.Match[str]] = []
    numbers: list[Decimal] = []
    is_linked = False
    for token in _TOKEN.finditer(text):
        is_next = bool(row) and _NEXT_TO.fullmatch(text, row[-1].end(), token.start()) is not None
        is_next = is_next or (is_linked and bool(row))
        is_linked = False
        if token["percent"]:
            yield from _amount(text, row, numbers, is_percent=is_next)
            row, numbers = [], []
            continue
        if row and token["word"] in _LINKS and is_next:
            is_linked = True
            continue
        number = _number(token)
        if number is not None and is_next and token["word"] and goes_on(numbers, number):
            row.append(token)
            numbers.append(number)
            continue
        yield from _amount(text, row, numbers)
        row, numbers = ([], []) if number is None else ([token], [number])
    yield from _amount(text, row, numbers)


def _whole_word(found: re.Match[str]) -> str:
    """A number word without the hyphens that were put into it: "ni-ne" is nine."""
    word = found[0].replace("-", "")
    is_split = word in NUMERALS and NUMERALS.keys().isdisjoint(found[0].split("-"))
    return word if is_split else found[0]


def _amount(
    text: str, row: list[re.Match[str]], numbers: list[Decimal], *, is_percent: bool = False
) -> Iterator[Amount]:
    if not row:
        return
    first = row[0]
    value = sum_of(numbers)
    # "One" points as often as it counts.
    is_worded = bool(first["word"]) and value != 1
    start = first.start()
    scales = numbers if first["word"] else numbers[1:]
    yield Amount(
        text[start : row[-1].end()].strip(),
        value,
        is_percent=is_percent,
        is_negative=bool(first["sign"])
        or (
            bool(first["word"])
            and _ENDS_WITH_MINUS.search(text[max(0, start - _LOOKS_BACK) : start]) is not None
        ),
        is_scaled=bool(first["unit"]) or any(map(is_scale, scales)),
        is_worded=is_worded,
        is_place=row[-1]["word"] in PLACES,
        refers=value == _LITTLE
        and _REFERS.search(text[max(0, start - _LOOKS_BACK) : start]) is not None,
        parts=tuple(token["digits"] or token["word"] for token in row),
    )


def _number(token: re.Match[str]) -> Decimal | None:
    if word := token["word"]:
        if word in OTHERS:
            return Decimal(OTHERS[word])
        return number_of(word)
    number = _decimal(token["digits"])
    return number and number * _LETTER_SCALES.get(token["unit"] or "", 1)


def _decimal(digits: str) -> Decimal | None:
    """What digits come to; None for those of a version or a date."""
    try:
        return Decimal(_THOUSANDS.sub("", digits).replace(",", "."))
    except InvalidOperation:
        return None


def _han_amounts(text: str) -> Iterator[Amount]:
    if text.isascii():
        return
    for found in _HAN_PERCENT.finditer(text):
        value = (
            Decimal(found[1])
            if found[1][0].isdigit() and found[1].isascii()
            else han_number(found[1])
        )
        yield Amount(found[0], value, is_percent=True)
    for found in HAN.finditer(text):
        if signs := found[1] or found[2]:
            yield Amount(signs, han_number(signs), is_worded=True)
