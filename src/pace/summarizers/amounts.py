"""Asks of the amounts in a text whether somebody said them: in words, by the million, in percent.

That a number was said is asked elsewhere; here, whether it was said with this sign, this scale, or
of this currency. In Indic, Arabic and other scripts number words are not looked for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cached_property

from pace.summarizers.numerals import (
    HALVES,
    HAN,
    OTHERS,
    PLACES,
    goes_on,
    han_number,
    is_scale,
    number_of,
    sum_of,
)
from pace.summarizers.source import Source
from pace.summarizers.values import normal

_PERCENT = (
    r"%|percent\w*|per\s?cent\b|prozent\w*|pour\s?cent\b|por\s?ciento\b|por\s?cento\b|per\s?cento\b"
    r"|procent\w*|prosent\w*|процент\w*|відсот\w*"
)
_TOKEN = re.compile(
    rf"(?P<percent>{_PERCENT})"
    r"|(?P<sign>(?<![^\s(\[\"“'=:~])[-−](?=\d)|\b(?:minus|negative)\s(?=\d))?"
    r"(?<![\w.,])(?P<digits>\d++(?:[.,'’]\d++)*+)(?P<unit>[kmb]n?|tsd)?+(?![^\W_])"
    r"|(?P<word>[^\W\d_]+)"
)
_LETTER_SCALES = {"k": 1000, "tsd": 1000, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_LETTER_UNIT = re.compile(r"[-−]?([\d.,'’]+)([kmb])n?")
_THOUSANDS = re.compile(r"[.,'’](?=\d{3}(?!\d))")
_NEXT_TO = re.compile(r"[\s\-‐]{0,3}")
_LINKS = frozenset({"and", "y", "e", "et", "und", "i"})
_HAN_PERCENT = re.compile(r"百分之([\d.]+|[〇零一二三四五六七八九十百]+)")
_BELOW = re.compile(r"below (?:zero|freezing)|unter null|bajo cero|au-dessous de zéro|ниже нуля")
# Who speaks of the two has named them.
_REFERS = re.compile(r"(?:the|these|those|their|both|all|between|last|next|other)\s$")
_HALF_SAID = re.compile(
    r"½|1[⁄/]2|[.,]5\b|\b50\b|\b30\b|\bhalb|\bdemi|\bmedi[oa]\b|\bmei[oa]\b|:30"
)
_LITTLE, _HUNDRED = 2, 100
# What names a currency, and what of that is said of nothing else.
_CURRENCIES = tuple(
    (re.compile(told), re.compile(said))
    for told, said in (
        (
            r"\$|\bdollars?\b|\busd\b",
            r"\$|doll?ar|dólar|доллар|\busd\b|\bbucks?\b|peso|美元|美金|ドル",
        ),
        (r"€|\beuros?\b", r"€|eur|евро|євро|欧元|ユーロ"),
        (r"£|\bgbp\b", r"£|pound|quid|\bgbp\b|sterling|фунт|英镑"),
        (r"¥|\byen\b|\byuan\b", r"¥|\byen\b|yuan|\bjpy\b|\bcny\b|\brmb\b|元|块|円|圆|иен|юан"),
        (r"₹|\brupees?\b", r"₹|rupee|\binr\b|\brs\b|रुप"),
    )
)


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number as it is told: its text, what it comes to, and whether its words tell more."""

    text: str
    value: Decimal
    is_percent: bool = False
    is_negative: bool = False
    is_scaled: bool = False
    is_worded: bool = False
    refers: bool = False
    is_place: bool = False


class Amounts:
    """The amounts of what was said."""

    def __init__(self, said: str, source: Source) -> None:
        self._text = normal(said).lower()
        self._source = source

    def invents(self, text: str) -> bool:
        """Whether a text tells an amount that nobody said."""
        text = normal(text).lower()
        if any(told.search(text) and not said.search(self._text) for told, said in _CURRENCIES):
            return True
        return any(not self._holds(amount) for amount in _amounts_in(text)) or any(
            word not in self._words and not _HALF_SAID.search(self._text)
            for word in HALVES.intersection(_words_of(text))
        )

    def _holds(self, told: _Amount) -> bool:
        if told.is_percent and told.value not in self._percents:
            return False
        if told.is_negative and told.value not in self._below_zero:
            return bool(_BELOW.search(self._text)) and self._has_plain(told.value)
        if not (told.is_worded or told.is_scaled) or told.refers:
            return True
        if told.value in self._values or _stands_in(told.text, self._text):
            return True
        if told.is_scaled:
            return self._has_unit(told.text) or self._is_of_the_size(told)
        source = self._source if told.is_place else self._literal
        return source.has_number(f"{told.value:f}")

    def _is_of_the_size(self, told: _Amount) -> bool:
        """Whether "millions" tells of a number that was said."""
        if not told.is_worded or not is_scale(told.value) or told.value < _HUNDRED:
            return False
        return any(value >= told.value for value in self._values)

    def _has_unit(self, amount: str) -> bool:
        """Whether a number has a unit of such a letter: 5 metres are 5m."""
        told = _LETTER_UNIT.fullmatch(amount)
        if told is None:
            return False
        unit = rf"(?<![\d.,]){re.escape(told[1])}[\s-]?{told[2]}"
        return re.search(unit, self._text) is not None

    def _has_plain(self, value: Decimal) -> bool:
        """Whether a number was said as such, and is not only the day of a date."""
        return self._literal.has_number(f"{value:f}")

    @cached_property
    def _literal(self) -> Source:
        return Source(self._text)

    @cached_property
    def _said(self) -> tuple[_Amount, ...]:
        return tuple(_amounts_in(self._text))

    @cached_property
    def _values(self) -> frozenset[Decimal]:
        return frozenset(amount.value for amount in self._said)

    @cached_property
    def _percents(self) -> frozenset[Decimal]:
        return frozenset(amount.value for amount in self._said if amount.is_percent)

    @cached_property
    def _below_zero(self) -> frozenset[Decimal]:
        return frozenset(amount.value for amount in self._said if amount.is_negative)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_words_of(self._text))


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def _stands_in(amount: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(amount)}(?!\w)", text) is not None


def _amounts_in(text: str) -> Iterator[_Amount]:
    """The amounts of a text in lower case, in the order in which they stand there."""
    yield from _han_amounts(text)
    text = re.sub(r"quatre-vingts?", "quatrevingt", text)
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


def _amount(
    text: str, row: list[re.Match[str]], numbers: list[Decimal], *, is_percent: bool = False
) -> Iterator[_Amount]:
    if not row:
        return
    first = row[0]
    value = sum_of(numbers)
    # "One" points as often as it counts.
    is_worded = bool(first["word"]) and value != 1
    start = first.start()
    scales = numbers if first["word"] else numbers[1:]
    yield _Amount(
        text[start : row[-1].end()].strip(),
        value,
        is_percent=is_percent,
        is_negative=bool(first["sign"]),
        is_scaled=bool(first["unit"]) or any(map(is_scale, scales)),
        is_worded=is_worded,
        is_place=row[-1]["word"] in PLACES,
        refers=value == _LITTLE and _REFERS.search(text[:start]) is not None,
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


def _han_amounts(text: str) -> Iterator[_Amount]:
    if text.isascii():
        return
    for found in _HAN_PERCENT.finditer(text):
        value = (
            Decimal(found[1])
            if found[1][0].isdigit() and found[1].isascii()
            else han_number(found[1])
        )
        yield _Amount(found[0], value, is_percent=True)
    for found in HAN.finditer(text):
        if signs := found[1] or found[2]:
            yield _Amount(signs, han_number(signs), is_worded=True)
