"""How numbers, dates, amounts and units are said: by Babel's data and num2words' words.

Plain numbers stay figures, which every voice reads; what a voice reads wrongly becomes words.
"""

import re
from datetime import date
from decimal import Decimal

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton
from babel.numbers import get_currency_name, get_decimal_symbol
from babel.units import format_unit
from num2words import num2words  # type: ignore[import-untyped]

from pace.speech.ear_phrases import language_code, phrases_of

NUMBER = r"\d+(?:[.,\u00a0\u202f]\d+)*"

_UNITS = {
    "km": "length-kilometer",
    "m": "length-meter",
    "cm": "length-centimeter",
    "mm": "length-millimeter",
    "mi": "length-mile",
    "ft": "length-foot",
    "kg": "mass-kilogram",
    "g": "mass-gram",
    "mg": "mass-milligram",
    "lb": "mass-pound",
    "lbs": "mass-pound",
    "oz": "mass-ounce",
    "l": "volume-liter",
    "L": "volume-liter",
    "ml": "volume-milliliter",
    "mL": "volume-milliliter",
    "cl": "volume-centiliter",
    "kB": "digital-kilobyte",
    "KB": "digital-kilobyte",
    "MB": "digital-megabyte",
    "GB": "digital-gigabyte",
    "TB": "digital-terabyte",
    "km/h": "speed-kilometer-per-hour",
    "mph": "speed-mile-per-hour",
    "m/s": "speed-meter-per-second",
    "°C": "temperature-celsius",
    "°F": "temperature-fahrenheit",
    "h": "duration-hour",
    "min": "duration-minute",
    "s": "duration-second",
    "ms": "duration-millisecond",
    "W": "power-watt",
    "kW": "power-kilowatt",
    "kWh": "energy-kilowatt-hour",
    "V": "electric-volt",
    "Hz": "frequency-hertz",
    "kHz": "frequency-kilohertz",
    "MHz": "frequency-megahertz",
    "GHz": "frequency-gigahertz",
    "m²": "area-square-meter",
    "km²": "area-square-kilometer",
    "ha": "area-hectare",
    "m³": "volume-cubic-meter",
    "kcal": "energy-kilocalorie",
}
UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))

_CURRENCY_CODES = {
    "$": "USD",
    "R$": "BRL",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₽": "RUB",
}
_SIGN_OF_CODE = {"USD": "$", "US$": "$", "EUR": "€", "GBP": "£"}
_LEAP_YEAR = 2000
_GROUPED_FROM = 1000
# Where people say a year's centuries: "nineteen eighty-four", "neunzehnhundertvierundachtzig".
_SAY_CENTURIES = {
    "en": (range(1100, 2000), range(2010, 2100)),
    "de": (range(1100, 2000),),
    "nl": (range(1100, 2000),),
}
_PLURAL_DECADE = re.compile(r"y$")


def words_of(number: Decimal | int, language: str, kind: str = "cardinal") -> str:
    """A number in words, or in figures if there are none for this language."""
    try:
        return str(num2words(number, lang=language_code(language), to=kind))
    except (NotImplementedError, OverflowError):
        return str(number)


def value_of(figures: str, language: str) -> Decimal:
    """What written figures stand for; a separator that the language does not use is read kindly."""
    locale = _locale(language)
    decimal = get_decimal_symbol(locale) if locale else "."
    figures = re.sub(r"[\u00a0\u202f]", "", figures)
    group = "," if decimal == "." else "."
    thousands = rf"\d{{1,3}}(?:\{group}\d{{3}})+(?:\{decimal}\d+)?"
    if re.fullmatch(thousands, figures):
        return Decimal(figures.replace(group, "").replace(decimal, "."))
    whole, _, part = figures.replace(",", ".").rpartition(".")
    return Decimal(f"{whole.replace('.', '')}.{part}" if whole else part)


def grouped_in_words(figures: str, language: str) -> str:
    """Figures with separators of thousands in words: "1,234.5" is a list to some voices."""
    value = value_of(figures, language)
    return figures if value < _GROUPED_FROM else words_of(value, language)


def ordinal(number: int, language: str, *, feminine: bool = False) -> str:
    """A rank in words, such as "first" or "primera"."""
    words = words_of(number, language, "ordinal")
    if feminine and language_code(language) == "fr":
        return "première" if words == "premier" else words
    return re.sub(r"o\b", "a", words) if feminine else words


def year(number: int, language: str) -> str:
    """A year as it is said, where that differs from the number."""
    spans = _SAY_CENTURIES.get(language_code(language), ())
    if not any(number in span for span in spans):
        return str(number)
    return words_of(number, language, "year").replace(" honderd ", "honderd")


def decade(number: int, language: str) -> str:
    """Ten years, "nineteen eighties" of 1980; figures where English is not spoken."""
    words = year(number, language)
    if words.isdecimal() or language_code(language) != "en":
        return str(number)
    return _PLURAL_DECADE.sub("ies", words) if words.endswith("y") else f"{words}s"


def day(when: date, language: str, *, with_year: bool) -> str | None:
    """A date as it is said; None if the language is unknown."""
    locale = _locale(language)
    if locale is None:
        return None
    code = language_code(language)
    if code == "en":
        month = format_date(when, "MMMM", locale=locale)
        said = f"{month} {ordinal(when.day, language)}"
        return f"{said}, {year(when.year, language)}" if with_year else said
    if with_year:
        said = format_date(when, "long", locale=locale)
    else:
        said = format_skeleton("MMMMd", when, locale=locale)
    firsts = {"fr": "premier", "it": "primo", "pt": "primeiro"}
    return re.sub(r"^1(?= )", firsts[code], said) if code in firsts else said


def date_of(year_figures: str | None, month: str, day_figures: str) -> date | None:
    """The date of these figures, in a leap year if they name none; None if there is no such."""
    try:
        return date(int(year_figures or _LEAP_YEAR), int(month), int(day_figures))
    except ValueError:
        return None


def measure(figures: str, unit: str, language: str) -> str | None:
    """A quantity with its unit in words; None if the language is unknown."""
    locale = _locale(language)
    if locale is None:
        return None
    negative = figures[0] in "-−"
    value = value_of(figures.lstrip("-−"), language)
    said = format_unit(value, _UNITS[unit], "long", locale=locale)
    phrases = phrases_of(language)
    return f"{phrases.minus if phrases else '-'} {said}" if negative else said


def unit_name(unit: str, language: str) -> str | None:
    """The name of a unit for more than one; None if the language is unknown."""
    said = measure("2", unit, language)
    return said and re.sub(r"\s?2\s?", "", said, count=1)


def money(figures: str, sign: str, language: str) -> str | None:
    """An amount with its currency's name: "5 dollars 50"; None if the language is unknown."""
    value = value_of(figures, language)
    name = currency(sign, value, language)
    if name is None:
        return None
    whole = int(value)
    cents = round((value - whole) * 100)
    said = f"{grouped_in_words(f'{whole}', language)} {name}"
    phrases = phrases_of(language)
    if not cents:
        return said
    return phrases.cents.format(said, cents) if phrases else f"{said} {cents}"


def currency(sign: str, value: Decimal, language: str) -> str | None:
    """The name of a currency, by its sign or its code, for so many of it."""
    locale = _locale(language)
    phrases = phrases_of(language)
    sign = _SIGN_OF_CODE.get(sign, sign)
    if phrases and sign in phrases.money:
        one, more = phrases.money[sign]
        return one if value == 1 else more
    return get_currency_name(_CURRENCY_CODES.get(sign, sign), value, locale) if locale else None


def months(language: str) -> tuple[str, ...]:
    """The names of the months."""
    locale = _locale(language)
    if locale is None:
        return ()
    firsts = (date(_LEAP_YEAR, month, 1) for month in range(1, 13))
    return tuple(format_date(first, "MMMM", locale=locale) for first in firsts)


def _locale(language: str) -> Locale | None:
    try:
        return Locale.parse(language_code(language))
    except (UnknownLocaleError, ValueError):
        return None
