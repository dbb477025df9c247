"""Understands durations in English words and numerals, and says them; it never guesses a unit."""

import re
import unicodedata
from datetime import timedelta
from fractions import Fraction

LONGEST = timedelta(hours=24)
"""A timer lives no longer than its process, so that longer ones would be promises not kept."""

_EXAMPLES = 'Say it like "10 minutes", "1h 30m" or "half an hour".'
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86_400),
}
_ONES = (  # noqa: SIM905  # reads as people count
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905  # as above
_NUMBERS: dict[str, Fraction] = {
    **{word: Fraction(value) for value, word in enumerate(_ONES)},
    **{word: Fraction(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{
        f"{ten} {one}": Fraction(10 * value + _ONES.index(one))
        for value, ten in enumerate(_TENS, start=2)
        for one in _ONES[1:10]
    },
    **dict.fromkeys(("a", "an"), Fraction(1)),
    **dict.fromkeys(("half", "a half", "one half"), Fraction(1, 2)),
    **dict.fromkeys(("quarter", "a quarter", "one quarter"), Fraction(1, 4)),
    "three quarters": Fraction(3, 4),
}
_NAMED = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_UNITS = "|".join(sorted(_SECONDS, key=len, reverse=True))
_NUMERAL = r"\d{1,6}(?: \d{1,2}/\d{1,2}|[./]\d{1,6})?|\.\d{1,6}"
# "half an hour", "one and a half hours", "2 1/2 hours", "an hour and a half", "1h".
_PART = re.compile(
    rf"(?P<number>{_NUMERAL}|\b(?:{_NAMED})\b)"
    rf"(?: and (?:a )?(?P<more>half|quarter|three quarters)\b)?"
    rf"(?: (?:of )?an?\b)? ?(?P<unit>{_UNITS})(?![a-z])"
    rf"(?: and (?:a )?(?P<rest>half|quarter|three quarters)\b(?! (?:of )?(?:an? )?(?:{_UNITS})\b))?"
)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d):([0-5]\d)")
_ISO = re.compile(r"pt(?=\d)(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s)?")


def duration_of(text: str) -> timedelta:
    """The duration that is meant. Raises ValueError, with a sentence for the person."""
    plain = _plain(text)
    seconds = _of_clock(plain)
    if seconds is None:
        seconds = _of_words(plain)
    if seconds is None:
        bare = re.fullmatch(_NUMERAL, plain)
        what = "has no unit" if bare else "could not be understood"
        raise ValueError(f"The duration {what}. {_EXAMPLES}")
    if seconds < 1:
        raise ValueError("A timer takes one second at least. Give it a longer duration.")
    if seconds > LONGEST.total_seconds():
        raise ValueError("A timer takes 24 hours at most. Give it a shorter duration.")
    return timedelta(seconds=round(seconds))


def said(duration: timedelta) -> str:
    """A duration in words, to the second: 1 hour 30 minutes. `duration_of` reads it back."""
    left = max(0, round(duration.total_seconds()))
    parts: list[str] = []
    for unit, seconds in (("hour", 3600), ("minute", 60), ("second", 1)):
        number, left = divmod(left, seconds)
        if number:
            parts.append(f"{number} {unit}{'' if number == 1 else 's'}")
    return " ".join(parts) or "0 seconds"


def _plain(text: str) -> str:
    # Numerals of other scripts and fractions such as one half become plain ones: 1½ is 1 1⁄2.
    spaced = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text)
    folded = unicodedata.normalize("NFKC", spaced).replace("\u2044", "/").lower()
    numerals = "".join(
        str(unicodedata.digit(c)) if unicodedata.category(c) == "Nd" else c for c in folded
    )
    # "one-hour", "1,5 hours" and "10 minutes." mean what they say.
    decimal = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", numerals)
    words = " ".join(re.sub(r"(?<=[a-z\d])-(?=[a-z])", " ", decimal).split())
    for opening in ("for ", "in ", "about ", "exactly "):
        words = words.removeprefix(opening)
    return words.rstrip(".! ")


def _of_clock(text: str) -> Fraction | None:
    """1:30:00 and PT1H30M; 1:30 alone could be either of two things."""
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = map(int, clock.groups())
        return Fraction(hours * 3600 + minutes * 60 + seconds)
    if iso := _ISO.fullmatch(text):
        hours, minutes, seconds = (int(part or 0) for part in iso.groups())
        return Fraction(hours * 3600 + minutes * 60 + seconds)
    return None


def _of_words(text: str) -> Fraction | None:
    """The sum of all parts; None if anything is left between them, or a unit comes twice."""
    total, at, units = Fraction(0), 0, set[int]()
    for part in _PART.finditer(text):
        if not re.fullmatch(r"[ ,]*(?:and )?", text[at : part.start()]):
            return None
        seconds = _SECONDS[part["unit"]]
        number = _number(part["number"])
        if number is None or seconds in units:
            return None
        units.add(seconds)
        for fraction in (part["more"], part["rest"]):
            number += _NUMBERS[fraction] if fraction else 0
        total += number * seconds
        at = part.end()
    return total if at and at == len(text) else None


def _number(text: str) -> Fraction | None:
    if text in _NUMBERS:
        return _NUMBERS[text]
    whole, _, fraction = text.rpartition(" ")
    try:
        return Fraction(fraction) + (Fraction(whole) if whole else 0)
    except ZeroDivisionError:
        return None
