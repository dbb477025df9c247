"""Asks of the amounts in a text whether somebody said them: in words, by the million, in percent.

That a number was said is asked elsewhere; here, whether it was said with this sign, this scale, or
of this currency. In Indic, Arabic and other scripts number words are not looked for.
"""

import re
from decimal import Decimal
from functools import cached_property

from pace.summarizers.counting import Amount, amounts_in
from pace.summarizers.hours import in_digits, is_other_half_of_day
from pace.summarizers.numerals import DECADES, HALVES, is_scale
from pace.summarizers.source import Source
from pace.summarizers.values import normal

_LETTER_UNIT = re.compile(r"[-−]?([\d.,'’]+)([kmb])n?")
_BELOW = re.compile(r"below (?:zero|freezing)|unter null|bajo cero|au-dessous de zéro|ниже нуля")
_HALF_SAID = re.compile(
    r"½|1[⁄/]2|[.,]5\b|\b50\b|\b30\b|\bhalb|\bdemi|\bmedi[oa]\b|\bmei[oa]\b|:30"
)
_TEN, _HUNDRED = 10, 100
# What names a currency, a share or a span, and what of that is said of nothing else.
_TOLD_AND_SAID = tuple(
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
        (r"\bfortnights?\b", r"\bfortnight|\b(?:2|two) weeks?\b|\b(?:14|fourteen)[- ]days?\b"),
        (
            r"(?<!\ba )(?<!\bevery )\bthree quarters\b|\ba quarter of\b",
            r"\bquarter|¼|¾|\b[13][⁄/]4|\b[27]5\b|\b(?:twenty|seventy).five\b|\bfourth",
        ),
    )
)


class Amounts:
    """The amounts of what was said."""

    def __init__(self, said: str, source: Source) -> None:
        self._text = _comparable(said)
        self._source = source

    def invents(self, text: str) -> bool:
        """Whether a text tells an amount that nobody said."""
        text = _comparable(text)
        if any(told.search(text) and not said.search(self._text) for told, said in _TOLD_AND_SAID):
            return True
        if is_other_half_of_day(text, self._text):
            return True
        return (
            any(not self._holds(amount) for amount in amounts_in(text))
            or any(
                word not in self._words and not _HALF_SAID.search(self._text)
                for word in HALVES.intersection(_words_of(text))
            )
            or any(not self._has_decade(word) for word in DECADES.keys() & set(_words_of(text)))
        )

    def parts_said(self, text: str) -> frozenset[str]:
        """Number words and digits that a text tells only as parts of amounts that were said.

        The 1.5 of 1.5 million, where 1,500,000 was said, need not have been said itself.
        """
        parts: set[str] = set()
        others: set[str] = set()
        for amount in amounts_in(_comparable(text)):
            is_more = len(amount.parts) > 1 or amount.is_scaled
            is_said = is_more and amount.value in self._values and self._holds(amount)
            (parts if is_said else others).update(amount.parts)
        return frozenset(parts - others)

    def _has_decade(self, word: str) -> bool:
        """Whether somebody spoke of a decade, or of a year or an age in it."""
        first = DECADES[word]
        if word in self._words or any(first <= value < first + _TEN for value in self._values):
            return True
        return re.search(rf"\b(?:1\d|20)?{first // _TEN}\ds?\b", self._text) is not None

    def _holds(self, told: Amount) -> bool:
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

    def _is_of_the_size(self, told: Amount) -> bool:
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
    def _said(self) -> tuple[Amount, ...]:
        return tuple(amounts_in(self._text))

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


def _comparable(text: str) -> str:
    return in_digits(normal(text)).lower()


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


def _stands_in(amount: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(amount)}(?!\w)", text) is not None
