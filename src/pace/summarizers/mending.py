"""Takes out of a model's summary what stands there twice, what is foreign, and what nobody said.

It takes out whole sentences and changes no other words.
"""

import re
from collections.abc import Iterable
from datetime import date
from functools import cached_property

from pace.memory.summary import Clause, Speaker, render_clauses
from pace.summarizers.amounts import Amounts
from pace.summarizers.cleaning import sentences_of
from pace.summarizers.dates import dates_in
from pace.summarizers.hours import in_digits, times_told
from pace.summarizers.languages import Spoken
from pace.summarizers.source import Source
from pace.summarizers.values import LETTER, Values, is_english, normal, values_in

# Of a text of which more has to go, nothing is believed.
_MOST_GOES = 0.5
# What has gone may change how the rest is read; more often than this, nothing of it is believed.
_TRIES = 5
_WORDS = re.compile(r"[^\W_]+")
# So many words of a clause, in a row, are copied from it.
_COPIED_WORDS = 3
_LEADS = tuple(
    render_clauses((Clause(speaker=speaker, text="", number=0),)).removesuffix(".")
    for speaker in Speaker
)


def without_copies(text: str, clauses: Iterable[Clause]) -> str:
    """A text without what it copied of the clauses that were set at the end of the prior summary.

    As prose they would be nobody's words, and would be set beside themselves again and again. What
    is worth it comes back as the clauses that they were.
    """
    copied = "\n".join(f" {' '.join(_words(clause.text))} " for clause in clauses)
    if not copied:
        return text
    return " ".join(s for sentence in sentences_of(text) if (s := _not_copied(sentence, copied)))


def _not_copied(sentence: str, clauses: str) -> str:
    lead = next((lead for lead in _LEADS if sentence.startswith(lead)), "")
    parts = sentence.removeprefix(lead).split("; ")
    kept = [part for part in parts if not _is_copied(part, clauses)]
    if not kept:
        return ""
    end = "." if kept[-1] != parts[-1] else ""
    return f"{lead}{'; '.join(kept)}{end}"


def _is_copied(part: str, clauses: str) -> bool:
    words = _words(part)
    row = f" {' '.join(words)} "
    return f"\n{row}\n" in f"\n{clauses}\n" or (len(words) >= _COPIED_WORDS and row in clauses)


def without_repeats(text: str) -> str:
    """A text without the sentences all of whose words stand in another one, in their order."""
    sentences = sentences_of(text)
    words = [_words(sentence) for sentence in sentences]
    holding: dict[str, set[int]] = {}
    for at, row in enumerate(words):
        for word in row:
            holding.setdefault(word, set()).add(at)
    gone: set[int] = set()
    for at, row in enumerate(words):
        # Those alone can repeat it that hold each of its words, and first the rarest.
        sets = sorted((holding[word] for word in set(row)), key=len)
        others = set.intersection(*sets) if sets else set(range(len(words)))
        if any(
            _stand_in(row, words[other])
            for other in others - gone - {at}
            if other < at or len(words[other]) > len(row)
        ):
            gone.add(at)
    return " ".join(sentence for at, sentence in enumerate(sentences) if at not in gone)


def _stand_in(words: list[str], other: list[str]) -> bool:
    rest = iter(other)
    return all(word in rest for word in words)


def in_the_language_of(spoken: Spoken, text: str) -> str:
    """A text without the sentences that are in another language; empty if too much of it is."""
    if spoken.is_foreign(text):
        return ""
    return _left_of(text, (s for s in sentences_of(text) if not spoken.is_foreign(s)))


class Said:
    """All that was said, to ask of a text whether what it tells was; `dates` are spoken of, too."""

    def __init__(self, text: str, dates: Iterable[date]) -> None:
        self._text = normal(text)
        self._source = Source(text, dates)
        self._amounts = Amounts(text, self._source)

    def invented_in(self, text: str) -> Values:
        """The names and numbers of a text that nobody said.

        The number of a day that was only spoken of, such as tomorrow's, was said as a day's.
        """
        text = in_digits(normal(text))
        values = values_in(text)
        missing = self._source.missing(values)
        if missing:
            missing -= self._times | self._amounts.parts_said(text)
        strayed = self._days_alone(values.numbers - missing, text)
        return Values(names=values.names & missing, numbers=(values.numbers & missing) | strayed)

    def has_amounts_of(self, sentence: str) -> bool:
        """Whether the amounts of a sentence were said, with their sign, scale and currency."""
        return not self._amounts.invents(sentence)

    def _days_alone(self, numbers: Iterable[str], text: str) -> frozenset[str]:
        """Those numbers which were said as a day's alone, and do not stand in a text as one."""
        days = {n for n in numbers if _DAY.fullmatch(n) and not _stands_in(n, self._text)}
        days = days and days - self._times
        if not days or not is_english(text.lower().split()):
            return frozenset()
        dated = {day.day for day in dates_in(text, _LEAP_YEAR)}
        return frozenset(
            number
            for number in days
            if int(number) not in dated
            and not re.search(rf"\bthe {number}\b|\b{number}{_ending(int(number))}\b", text)
            and not self._literal.has_number(number)
        )

    @cached_property
    def _times(self) -> frozenset[str]:
        return frozenset(times_told(self._text))

    @cached_property
    def _literal(self) -> Source:
        return Source(self._text)


_DAY = re.compile(r"\d{1,2}")
# Any day of a month may stand in it.
_LEAP_YEAR = 2028


def _ending(day: int) -> str:
    """What English writes behind a day's number."""
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day // 10 != 1 else 0, "th")


def _stands_in(number: str, text: str) -> bool:
    return re.search(rf"(?<!\d){number}(?!\d)", text) is not None


def founded(text: str, said: Said) -> str:
    """A text without the sentences that hold a name or a number which nobody said.

    Empty if too much of it has to go, or if it does not help.
    """
    left = _left_of(text, (s for s in sentences_of(text) if said.has_amounts_of(s)))
    for _ in range(_TRIES):
        invented = said.invented_in(left)
        if not invented:
            return left
        holds = _one_of(invented)
        left = _left_of(
            text, (s for s in sentences_of(left) if not holds.search(in_digits(normal(s))))
        )
    return ""


def _one_of(values: Values) -> re.Pattern[str]:
    """Finds any of the values of a text in a sentence of it."""
    names, numbers = ("|".join(map(re.escape, v)) for v in (values.names, values.numbers))
    return re.compile(
        rf"(?i:(?<!{LETTER})(?:{names or '(?!)'})(?!{LETTER})"
        rf"|(?<!\d)(?<!\d[.:])(?:{numbers or '(?!)'})(?!\d|[.:]\d))"
    )


def _left_of(text: str, sentences: Iterable[str]) -> str:
    left = " ".join(sentences)
    return left if len(left) >= _MOST_GOES * len(text) else ""


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())
