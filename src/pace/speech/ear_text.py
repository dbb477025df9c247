"""Turns plain text into what is said: figures, units, signs and abbreviations as people say them.

Each step rewrites one kind of thing; they stand in the order in which they must run, since a date
holds figures, and a range holds a hyphen.
"""

import re
from urllib.parse import urlsplit

from pace.speech.ear_maths import without_signs
from pace.speech.ear_numbers import (
    NUMBER,
    UNIT,
    currency,
    date_of,
    day,
    decade,
    grouped_in_words,
    measure,
    money,
    months,
    ordinal,
    unit_name,
    value_of,
    year,
)
from pace.speech.ear_phrases import EarPhrases, language_code, phrases_of
from pace.speech.ear_times import with_times

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'`|]+", re.IGNORECASE)
_MAIL = re.compile(r"\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u25a0-\u25ff\u2500-\u257f"
    "\ufe0e\ufe0f\u20e3\u200d\U000e0020-\U000e007f©®™†‡]"
)
_SHORT_EMOJI = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]+:(?![\w:])")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:?|(?<=[^\W\d_]{2})\[\d{1,3}\]|(?<=[.,;!?])\[\d{1,3}\]")
_RAISED = re.compile(r"(?<=[^\W\d_]{2})[¹²³⁰⁴-⁹]+")

_PHONE = re.compile(
    r"(?<![\w.,:/-])(?:\+\d[\d ()./-]{6,}\d|\(\d{2,5}\)[ -]?\d[\d -]{4,}\d"
    r"|0\d{1,4}(?:[ /-]\d{2,}){1,5}|\d{3}-\d{4}|\d{3}[ -]\d{3}[ -]\d{4}"
    r"|(?!\d{4}-\d\d-\d\d(?!\d))\d+(?:-\d+){2,})(?![\w/-]|[.,:]\d)"
)
_LONG_DIGITS = re.compile(r"(?<![\w.,:/-])(?:0\d+|\d{7,})(?!\w|[.,:/]\d)")
_IDENTIFIER = re.compile(r"\b([A-Z]{2,})-?(\d{3,})\b")
_ISO_DATE = re.compile(r"(?<![\d/.-])(\d{4})-(\d\d)-(\d\d)(?![\d-])(?:T(?=\d))?")
_SLASHED_DATE = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?:/(\d{4}))?(?![\d/]|\s?[=+*])")
_DOTTED_DATE = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
# Two figures that look like a day and a month, and are said as they are.
_NO_DATES = frozenset({"24/7", "16/9", "16/10", "18/9", "21/9", "15/8", "20/1", "30/1"})

_CURRENCY_SIGN = (
    r"(?:\b(?:US|R))?\$|[€£¥₹₽]|\b(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|INR|BRL)\b"
)
_LARGE = r"\s?(?:thousand|million|billion|trillion|Millionen|Milliarden|millions?|milliards?"
_LARGE += r"|millones|milioni|miliardi|milhões|bilhões|miljoen|miljard)\b"
_SHORT_LARGE = {"k": "thousand", "M": "million", "m": "million", "bn": "billion", "B": "billion"}
_MONEY_FIRST = re.compile(
    rf"({_CURRENCY_SIGN})\s?({NUMBER})(?:\s?[–-]\s?(?:{_CURRENCY_SIGN})?({NUMBER}))?"
    rf"({_LARGE}|(?:bn|[kKmMB])\b)?"
)
_MONEY_LAST = re.compile(rf"(?<![\w.,])({NUMBER})({_LARGE})?\s?({_CURRENCY_SIGN})")
_RANGE_END = rf"(?:\s?[–-]\s?({NUMBER}))?"
_MEASURE = re.compile(rf"(?<![\w.,])([-−]?{NUMBER}){_RANGE_END}[\s\u00a0]?({UNIT})(?![\w/²³])")
_PERCENT = re.compile(rf"({NUMBER})[\s\u00a0]?%(?!\w)")
_VERSION = re.compile(
    r"(?P<before>\b[vV]|\b[Vv]ersion |\b[A-Z][\w+#]*[ -])(?P<two>\d+\.\d+)(?![\w.]*[\d%]|\s?[°€$%])"
    r"|(?<![\w.])(?:[vV])?(?P<more>\d+\.\d+(?:\.\d+)+)(?!\w)"
)
_NO_PRODUCTS = frozenset(
    {"About", "Around", "Roughly", "Nearly", "Almost", "Only", "Over", "Under", "The", "A", "At"}
)
_RANGE = re.compile(rf"(?<![\w.,/:=-])({NUMBER})(\s?[–-]\s?)({NUMBER})(?![\w/-]|[.,:]\d|\s*=)")
_ORDINALS = {
    "en": re.compile(r"\b(\d{1,4})(st|nd|rd|th)\b"),
    "fr": re.compile(r"\b(\d{1,4})(er|re|ère|e|ème)\b"),
    "nl": re.compile(r"\b(\d{1,4})(e|de|ste)\b"),
    **dict.fromkeys(("es", "it", "pt"), re.compile(r"\b(\d{1,4})\.?([ºª°])")),
}
_FEMININE = frozenset({"re", "ère", "ª"})
_DECADE = re.compile(r"\b(1[1-9]\d0|20[1-9]0)['’]?s\b")
_YEAR = re.compile(r"(?<![\w.,'’#/-])(1[1-9]\d\d|20[1-9]\d)(?![\w'’]|[.,]\d|-\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[.,\u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\w|[.,]\d)")
_NUMBER_SIGN = re.compile(r"(?<!\w)#(?=\d)")
_LISTS_END = ("etc", "usw", "ecc", "enz")
_MARKS = re.compile(r"\*+|~~+|`+|(?<!\w)_+|_+(?!\w)|(?<!\w)#{1,6}(?=\s|$)|[│¦]")


def said(text: str, language: str) -> str:
    """One line of plain text as it is said, in a language of any tag; it may be empty."""
    phrases = phrases_of(language)
    text = _ADDRESS.sub(lambda found: _host(found[0]), text)
    if phrases:
        text = _abbreviated(_MAIL.sub(rf"\1 {phrases.at} \2", text), phrases)
    text = _EMOJI.sub("", _SHORT_EMOJI.sub("", _FOOTNOTE.sub("", text)))
    text = _DECADE.sub(lambda found: decade(int(found[1]), language), _by_digits(text))
    text = with_times(_with_dates(text, language), language)
    text = _with_amounts(text, language)
    text = _RAISED.sub("", text)
    if phrases:
        text = _with_ranges(text, phrases, language)
    text = _with_ranks_and_years(text, language)
    text = _GROUPED.sub(lambda found: grouped_in_words(found[0], language), text)
    text = without_signs(text, phrases)
    if phrases:
        text = _NUMBER_SIGN.sub(f"{phrases.number} ", text)
    return _tidy(_MARKS.sub("", text))


def host(address: str) -> str:
    """What is said of an address: "example.com"."""
    try:
        name = urlsplit(address if "//" in address else f"//{address}").hostname
    except ValueError:
        return ""
    return (name or "").removeprefix("www.")


def _host(address: str) -> str:
    trailing = re.search(r"[.,;:!?)\]*_~]*$", address)
    end = trailing[0] if trailing else ""
    return host(address.removesuffix(end)) + end


def _by_digits(text: str) -> str:
    text = _PHONE.sub(lambda found: _spelled(found[0]), text)
    text = _IDENTIFIER.sub(lambda found: f"{found[1]} {' '.join(found[2])}", text)
    return _LONG_DIGITS.sub(lambda found: " ".join(found[0]), text)


def _spelled(number: str) -> str:
    groups = ", ".join(" ".join(group) for group in re.findall(r"\d+", number))
    return f"+{groups}" if number.startswith("+") else groups


def _with_dates(text: str, language: str) -> str:
    def dated(found: re.Match[str], figures: tuple[str | None, str, str]) -> str:
        when = date_of(*figures)
        spoken = when and day(when, language, with_year=figures[0] is not None)
        tail = " " if found[0].endswith("T") else ""
        return f"{spoken}{tail}" if spoken else found[0]

    def slashed(found: re.Match[str]) -> str:
        first, second = int(found[1]), int(found[2])
        if found[0] in _NO_DATES or (first <= 12 and second <= 12 and first != second):  # noqa: PLR2004
            return found[0]
        if first == second and not found[3]:
            return found[0]
        month, day_ = (found[1], found[2]) if second > first else (found[2], found[1])
        return dated(found, (found[3], month, day_))

    text = _ISO_DATE.sub(lambda found: dated(found, (found[1], found[2], found[3])), text)
    text = _DOTTED_DATE.sub(lambda found: dated(found, (found[3], found[2], found[1])), text)
    text = _SLASHED_DATE.sub(slashed, text)
    if language_code(language) != "en":
        return text
    named = rf"\b({'|'.join(months(language))}) (\d{{1,2}})(?!\d|[:.]\d|(?:st|nd|rd|th)\b)"
    return re.sub(named, lambda found: f"{found[1]} {ordinal(int(found[2]), language)}", text)


def _with_amounts(text: str, language: str) -> str:
    phrases = phrases_of(language)
    to = phrases.to if phrases else "–"

    def first(found: re.Match[str]) -> str:
        sign, low, high, large = found.groups()
        if not large and not high:
            return money(low, sign, language) or found[0]
        name = currency(sign, value_of("2", language), language)
        size = _SHORT_LARGE.get(large or "", (large or "").strip())
        amount = f"{low} {to} {high}" if high else low
        return " ".join(filter(None, (amount, size, name))) if name else found[0]

    def last(found: re.Match[str]) -> str:
        if not found[2]:
            return money(found[1], found[3], language) or found[0]
        name = currency(found[3], value_of("2", language), language)
        return f"{found[1]} {found[2].strip()} {name}" if name else found[0]

    def measured(found: re.Match[str]) -> str:
        low, high, unit = found.groups()
        if high is None:
            return measure(low, unit, language) or found[0]
        name = unit_name(unit, language)
        return f"{low} {to} {high} {name}" if name else found[0]

    text = _MONEY_LAST.sub(last, _MONEY_FIRST.sub(first, text))
    text = _MEASURE.sub(measured, text)
    return _PERCENT.sub(rf"\1 {phrases.percent}", text) if phrases else text


def _with_ranges(text: str, phrases: EarPhrases, language: str) -> str:
    def version(found: re.Match[str]) -> str:
        if found["more"]:
            return found["more"].replace(".", f" {phrases.point} ")
        if found["before"].strip() in _NO_PRODUCTS:
            return found[0]
        before = "version " if found["before"] in {"v", "V"} else found["before"]
        return before + found["two"].replace(".", f" {phrases.point} ")

    def ranged(found: re.Match[str]) -> str:
        low, sign, high = found.groups()
        rises = value_of(low, language) < value_of(high, language)
        return f"{low} {phrases.to} {high}" if rises else f"{low}{sign}{high}"

    return _RANGE.sub(ranged, _VERSION.sub(version, text))


def _with_ranks_and_years(text: str, language: str) -> str:
    ranks = _ORDINALS.get(language_code(language))
    if ranks:
        text = ranks.sub(
            lambda found: ordinal(int(found[1]), language, feminine=found[2] in _FEMININE), text
        )
    return _YEAR.sub(lambda found: year(int(found[1]), language), text)


def _abbreviated(text: str, phrases: EarPhrases) -> str:
    for pattern, words in phrases.abbreviations.items():
        small = re.sub(r"\\.", "", pattern).islower()

        def full(found: re.Match[str], words: str = words, *, small: bool = small) -> str:
            start = found[0][0]
            raised = small and start.isupper()
            spoken = words[0].upper() + words[1:] if raised else words
            after = found.string[found.end() :].lstrip()
            ends = found[0].lower().startswith(_LISTS_END) and not after[:1].islower()
            return f"{spoken}." if ends and after[:1] not in {",", ")", ";", ":"} else spoken

        case = re.IGNORECASE if small else re.NOFLAG
        text = re.sub(rf"(?<![\w.])(?:{pattern})(?!\w)", full, text, flags=case)
    return text


def _tidy(text: str) -> str:
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"(?<=\S)\s+(?=[,.!?](?:\s|$))", "", re.sub(r"\s+", " ", text))
    return text.strip()
