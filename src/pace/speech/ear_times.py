"""How times of the day are said."""

import re

from pace.speech.ear_phrases import EarPhrases, language_code, phrases_of

_NOON = 12
_DAY = 24
_TWO_FIGURES = 10
_TIME = r"(?:[01]?\d|2[0-4])(?::[0-5]\d|h[0-5]\d)"
_RANGE = re.compile(rf"(?<![\w:.])({_TIME})\s?[–-]\s?(?={_TIME}(?![\w:]))")
_TIME_OF_DAY = re.compile(
    r"(?<![\w:.])([01]?\d|2[0-4])[:h]([0-5]\d)(?::[0-5]\d)?(?![\d:]|h\b)"
    r"(?:\s?(?:Uhr|uur|h|Z)\b)?(?:\s?([aApP])\.?[mM]\b\.?)?"
)


def with_times(text: str, language: str) -> str:
    """The text with its times of the day in words; figures where Pace has no words for them."""
    phrases = phrases_of(language)
    if phrases is None:
        return text
    text = _RANGE.sub(rf"\1 {phrases.to} ", text)
    english = language_code(language) == "en"
    return _TIME_OF_DAY.sub(
        lambda found: _english(found) if english else _on_the_clock(found, phrases), text
    )


def _on_the_clock(found: re.Match[str], phrases: EarPhrases) -> str:
    hour, minute = int(found[1]), int(found[2])
    return phrases.clock.format(hour, minute) if minute else phrases.full_clock.format(hour)


def _english(found: re.Match[str]) -> str:
    hour, minute = int(found[1]), int(found[2])
    half = f"{found[3].upper()}M" if found[3] else ""
    if not half and (hour > _NOON or hour == 0):
        half = "PM" if _NOON <= hour < _DAY else "AM"
    if hour == 0 or hour > _NOON:
        hour = hour % _NOON or _NOON
    after = found.string[found.end() :].lstrip()[:1]
    ends = "." if half and found[0].endswith(".") and (not after or after.isupper()) else ""
    if not minute:
        return f"{hour} {half}{ends}" if half else f"{hour} o'clock"
    minutes = f"oh {minute}" if minute < _TWO_FIGURES else f"{minute}"
    return f"{hour} {minutes} {half}{ends}".rstrip()
