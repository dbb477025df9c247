"""Reads the times of day of a text: by either clock, in words, and as hours alone."""

import re
from collections.abc import Iterator

from pace.summarizers.words import NUMBER_WORDS

_TIME_12 = re.compile(r"(?<![\d.:])(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b", re.IGNORECASE)
_TIME_24 = re.compile(r"(?<![\d.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])")
_NOON, _HOUR = 12, 60
_HALF_A_DAY = _NOON * _HOUR
_HOURS = {word: int(number) for word, number in NUMBER_WORDS.items() if int(number) <= _NOON}
_AN_HOUR = rf"(?P<hour>1[0-2]|[1-9]|{'|'.join(_HOURS)})"
_MINUTES = {"quarter": 15, "half": 30, "twenty": 20, "ten": 10, "five": 5, "twenty-five": 25}
# "Ten to five" is a span as often: only behind such a word it is a time.
_AHEAD = r"(?:(?<=\bat\s)|(?<=\bby\s)|(?<=\buntil\s)|(?<=\bbefore\s)|(?<=\bafter\s)|(?<=\bit's\s))"
_WORDED = re.compile(
    rf"\b(?:(?:a\s)?(?P<minutes>quarter|half|(?:{_AHEAD}|(?=[a-z]{{3,6}}(?:[- ]five)?\spast))"
    r"(?:twenty[- ]five|twenty|ten|five))"
    rf"\s(?P<side>past|to)\s{_AN_HOUR}\b(?![:.]?\d)"
    rf"|{_AN_HOUR.replace('hour', 'sharp')}\s?o['’]clock\b)",
    re.IGNORECASE,
)
_SIDES = re.compile(r"\spast\s|\sto\s|clock\b", re.IGNORECASE)
# With a capital, they name somebody.
_NAMED = re.compile(r"\b(?:(?P<noon>noon|midday)|midnight)\b(?!-)")
# Where an hour is told, its minutes are seldom. What is counted stands right behind a number.
_HOUR_ALONE = re.compile(
    rf"\b(?:at|by|until|till|from|before|after|around|between|since|um|kl|alle)\s{_AN_HOUR}"
    rf"(?:\s?(?:-|and|to|until|till)\s?{_AN_HOUR.replace('hour', 'end')})?"
    r"(?=\s?(?:[!?,;)]|\.(?!\d)|$)"
    r"|\s(?:on|in|every|each|today|tomorrow|tonight|sharp|and|or|to|for|with|because|but|so|then)\b)",
    re.IGNORECASE | re.MULTILINE,
)


def in_digits(text: str) -> str:
    """A text in which times that were told in words stand in digits: half past five is 5:30."""
    text = _NAMED.sub(lambda found: "12:00" if found["noon"] else "0:00", text)
    if not _SIDES.search(text):
        return text
    return _WORDED.sub(_worded, text)


def _worded(found: re.Match[str]) -> str:
    if sharp := found["sharp"]:
        return f"{_hour(sharp)}:00"
    minutes = _MINUTES[found["minutes"].lower().replace(" ", "-")]
    hour = _hour(found["hour"])
    if found["side"].lower() == "to":
        hour, minutes = (hour - 1) or _NOON, _HOUR - minutes
    return f"{hour}:{minutes:02}"


def _hour(told: str) -> int:
    return int(told) if told.isdigit() else _HOURS[told.lower()]


def other_times(text: str) -> Iterator[str]:
    """The times of a text, by the clock of 12 hours where it has 24, and the other way round."""
    for found in _TIME_12.finditer(text):
        hour = int(found[1]) % _NOON + (_NOON if found[3] in "pP" else 0)
        minutes = found[2] or "00"
        yield from (f"{hour}:{minutes}", f"{hour:02}:{minutes}", f"{hour}")
    for found in _TIME_24.finditer(text) if ":" in text else ():
        hour = int(found[1])
        twelve = hour % _NOON or _NOON
        yield from (f"{hour}:{found[2]}", f"{hour:02}:{found[2]}", f"{twelve}:{found[2]}")
        if found[2] == "00":
            yield from (str(hour), str(twelve))


def times_told(text: str) -> Iterator[str]:
    """The times that a text may be said to tell, in words and as hours alone: at ten is 10:00.

    A text that holds these does not keep the time: "not before noon" is no call at 12:00.
    """
    text = in_digits(text)
    yield from other_times(text)
    for found in _HOUR_ALONE.finditer(text):
        first = _hour(found["hour"])
        yield from (f"{first}:00", f"{first:02}:00")
        if end := found["end"] and _hour(found["end"]):
            yield from (f"{end}:00", f"{end:02}:00")
            if end < first:
                yield f"{end + _NOON}:00"


def is_other_half_of_day(text: str, said: str) -> bool:
    """Whether a text has a time in the morning that was said of the evening, or the other way."""
    known = frozenset(_minutes_in(said))
    return any(
        told not in known and (told + _HALF_A_DAY) % (2 * _HALF_A_DAY) in known
        for told in _minutes_of_12(text)
    )


def _minutes_of_12(text: str) -> Iterator[int]:
    for found in _TIME_12.finditer(text):
        hour = int(found[1]) % _NOON + (_NOON if found[3] in "pP" else 0)
        yield hour * _HOUR + int(found[2] or 0)


def _minutes_in(text: str) -> Iterator[int]:
    """The minutes of the day that a text's times may be: of both halves, if it names none."""
    yield from _minutes_of_12(text)
    for found in _TIME_24.finditer(_TIME_12.sub("", text)):
        minutes = int(found[1]) * _HOUR + int(found[2])
        yield minutes
        if _HOUR <= minutes < _HALF_A_DAY + _HOUR:
            yield (minutes + _HALF_A_DAY) % (2 * _HALF_A_DAY)
    for found in _HOUR_ALONE.finditer(text):
        for hour in (_hour(told) for told in (found["hour"], found["end"]) if told):
            yield from (hour * _HOUR, (hour + _NOON) % (2 * _NOON) * _HOUR)
