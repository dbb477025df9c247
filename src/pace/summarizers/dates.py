"""Finds the days that a text speaks of, also those it counts from the day on which it was said."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from pace.memory.turn import TurnPair

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NUMBERS = {
    **{name: number for number, name in enumerate(MONTHS, 1)},
    **{name[:3]: number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_YEAR = r"(?:,?\s+(\d{4})\b)?"
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?([A-Za-z]{{3,9}})\b\.?{_YEAR}"
)
_MONTH_DAY = re.compile(rf"\b([A-Za-z]{{3,9}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR}")
# Days from the day on which they are said, in the languages that are asked for most.
_DAYS_AWAY = {
    **dict.fromkeys(("tomorrow", "amanhã", "mañana", "demain", "domani", "imorgen", "morgon"), 1),
    **dict.fromkeys(("morgen", "завтра", "jutro", "zítra", "yarın", "明天", "明日", "내일"), 1),
    **dict.fromkeys(("yesterday", "ontem", "ayer", "hier", "ieri", "gestern", "gisteren"), -1),
    **dict.fromkeys(("вчера", "wczoraj", "včera", "dün", "昨天", "昨日", "어제"), -1),
}
_AWAY = re.compile("|".join(_DAYS_AWAY), re.IGNORECASE)
_IN_DAYS = re.compile(r"\b(?:in\s+)?(\d{1,2})\s+(day|week)s?\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b[A-Za-z]{3,6}day\b", re.IGNORECASE)
_OTHER_DAYS = (
    (re.compile(r"day after tomorrow|übermorgen|après-demain", re.IGNORECASE), 2),
    (re.compile(r"day before yesterday|vorgestern|avant-hier", re.IGNORECASE), -2),
    (re.compile(r"next week|in a week", re.IGNORECASE), 7),
    (re.compile(r"last week|a week ago", re.IGNORECASE), -7),
)


def dates_of(pair: TurnPair) -> frozenset[date]:
    """The day on which a pair was said, and the days that it speaks of, counted from that day."""
    today = pair.recorded_at.date()
    text = f"{pair.user_text}\n{pair.reply_text}"
    away = {0}
    away |= {_DAYS_AWAY[found[0].lower()] for found in _AWAY.finditer(text)}
    away |= {days for other, days in _OTHER_DAYS if other.search(text)}
    for found in _IN_DAYS.finditer(text):
        days = int(found[1]) * (7 if found[2].lower() == "week" else 1)
        away |= {days, -days}
    for weekday in {found[0].lower() for found in _WEEKDAY.finditer(text)} & set(WEEKDAYS):
        ahead = (WEEKDAYS.index(weekday) - today.weekday()) % 7
        away |= {ahead, ahead - 7, ahead + 7}
    return frozenset(today + timedelta(days=days) for days in away) | dates_in(text, today.year)


def dates_in(text: str, year: int | None = None) -> frozenset[date]:
    """The dates that a text names with day and month; `year` is for those that have none."""
    named: set[date] = set()
    for found in _ISO_DATE.finditer(text):
        named |= _date(int(found[1]), int(found[2]), int(found[3]))
    for pattern, day, month in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        for found in pattern.finditer(text):
            number = _MONTH_NUMBERS.get(found[month].lower())
            said_year = int(found[3]) if found[3] else year
            if number and said_year:
                named |= _date(said_year, number, int(found[day]))
    return frozenset(named)


def _date(year: int, month: int, day: int) -> set[date]:
    try:
        return {date(year, month, day)}
    except ValueError:
        return set()


def ways_to_write(day: date) -> Iterator[str]:
    """Give a day in the usual ways, and each of its parts; names in English, all in lower case."""
    year, month, number = day.year, day.month, day.day
    weekday, name = WEEKDAYS[day.weekday()], MONTHS[month - 1]
    yield from (weekday, weekday[:3], name, name[:3], str(year), str(number), f"{number:02}")
    yield from (f"{year}-{month:02}-{number:02}", f"{number}.{month}.{year}")
    for a, b in ((number, month), (month, number)):
        yield from (f"{a}/{b}/{year}", f"{a:02}/{b:02}/{year}", f"{a}/{b}", f"{a:02}/{b:02}")
