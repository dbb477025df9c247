"""A text that is asked whether it holds a value, in whatever way it is written there.

Letter case, accents, possessives, thousands separators, and the ways to write a date or a time make
no difference. A name may be inflected; a number or an identifier has to stand there as a whole.
"""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache

from pace.summarizers.counting import amounts_in
from pace.summarizers.dates import dates_in, ways_to_write
from pace.summarizers.hours import other_times
from pace.summarizers.initials import LONG_FORMS, initials_in, without_points, written_out
from pace.summarizers.values import LETTER, POSSESSIVE, WORD, Values, is_english, normal
from pace.summarizers.words import NUMBER_WORDS

_THOUSANDS = re.compile(r"(?<=\d)[,.'’\u00a0\u202f](?=\d{3}(?!\d))")
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_TRAILING_ZEROS = re.compile(r"(?<=\d)(?:\.0+|(\.\d*[1-9])0+)(?!\d|\.\d)")
_LETTER = r"[^\W\d_]"
_BETWEEN_WORDS = re.compile(rf"(?<={_LETTER})[\W_]+(?={_LETTER})")
_BETWEEN_NUMBERS = re.compile(r"(?<=\d)(?:[^\w.:]|_|[.:](?!\d))+(?=\d)|(?<=\d)[\W_]{2,}(?=\d)")
_BETWEEN_KINDS = re.compile(
    rf"(?<=\d)[\W_]+(?={_LETTER})|(?<={_LETTER})[\W_]+(?=\d)|^[\W_]+|[\W_]+$"
)
# These count as often as they point; all others count, and may be parts of a number in a row.
_POINTING = ("one", "two")
_DIGITS = re.compile(r"(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?")
# What may not stand next to a number's or an identifier's first and last character.
_BEFORE = {True: r"(?<!\d)(?<!\d[.:])", False: r"(?<![a-z])"}
_AFTER = {True: r"(?!\d|\.\d)", False: r"(?![a-z])"}

# What English adds to a name: plurals and the people, language or manner of a place.
_ENGLISH_ENDS = frozenset(
    {"s", "es", "n", "an", "ian", "ean", "ese", "ish", "er", "i", "ic", "ite", "esque"}
)
_SHORTEST_STEM = 3
# Other languages change ends: so many letters at the end of either form, after so many in common.
# Cyrillic, with its six cases, changes short names too.
_CHANGED_END = 3
_COMMON_START = 4
_CHANGED_END_OF_SHORT = 2


class Source:
    """`dates` are days that the text speaks of; each counts as said in all the usual ways."""

    def __init__(self, text: str, dates: Iterable[date] = ()) -> None:
        text = normal(text)
        words = [found[0] for found in WORD.finditer(text)]
        self._text = text
        self._words = {_plain(word) for word in (*words, *written_out(text))}
        self._by_start: dict[str, list[str]] = {}
        for word in self._words:
            self._by_start.setdefault(word[:_SHORTEST_STEM], []).append(word)
        self._is_english = is_english([word.lower() for word in words])
        self._flat = _flat(text)
        self._also = {NUMBER_WORDS[word] for word in _POINTING if word in self._words}
        self._also.update(f[0].replace(" ", "") for f in _SPACED_THOUSANDS.finditer(text))
        self._also.update(other_times(text))
        for day in {*dates, *dates_in(text)}:
            ways = tuple(ways_to_write(day))
            self._words.update(ways)
            self._also.update(map(_flat, ways))

    def kept(self, values: Values) -> int:
        """How many of the values it holds."""
        return len(values) - len(self.missing(values))

    def missing(self, values: Values) -> frozenset[str]:
        """Those of the values that it does not hold."""
        names = {name for name in values.names if not self.has_name(name)}
        return frozenset(names | {n for n in values.numbers if not self.has_number(n)})

    def has_name(self, name: str) -> bool:
        """Whether a name, a form of it, or what its initials stand for is in the text."""
        name = without_points(name)
        plain = _plain(name)
        if plain in self._words or self._stands(name):
            return True
        if name.isupper():
            return plain in self._initials or self._holds_long_form(plain)
        alike = self._by_start.get(plain[:_SHORTEST_STEM], ())
        return any(self._is_form(plain, word) for word in alike)

    def _stands(self, name: str) -> bool:
        """Whether a name stands there; inside another word only where words have no spaces."""
        if name not in self._text:
            return False
        if not re.match(LETTER, name):
            return True
        return re.search(rf"(?<!{LETTER}){re.escape(name)}(?!{LETTER})", self._text) is not None

    def _holds_long_form(self, plain: str) -> bool:
        words = LONG_FORMS.get(plain, "").split()
        return bool(words) and self._words.issuperset(words)

    @cached_property
    def _initials(self) -> str:
        return " ".join(initials_in(self._text))

    def has_number(self, number: str) -> bool:
        """Whether a number or an identifier is in the text, as a whole."""
        if number in NUMBER_WORDS:
            return number in self._words or self.has_number(NUMBER_WORDS[number])
        flat = _flat(number)
        if flat in self._also or self._stands_whole(flat):
            return True
        return _DIGITS.fullmatch(flat) is not None and Decimal(flat) in self._worded

    def _stands_whole(self, flat: str) -> bool:
        if flat not in self._flat:
            return False
        before, after = _BEFORE[flat[:1].isdigit()], _AFTER[flat[-1:].isdigit()]
        return re.search(f"{before}{re.escape(flat)}{after}", self._flat) is not None

    @cached_property
    def _worded(self) -> frozenset[Decimal]:
        """What its numbers come to that are not, or not alone, in digits."""
        told = amounts_in(self._text.lower())
        return frozenset(
            amount.value
            for amount in told
            if (amount.is_worded or amount.is_scaled) and not (amount.is_place or amount.refers)
        )

    def _is_form(self, name: str, word: str) -> bool:
        """Whether two words that begin alike are forms of one."""
        shorter, longer = sorted((name, word), key=len)
        if len(shorter) < _SHORTEST_STEM or any(map(str.isdigit, longer)):
            return False
        if longer.startswith(shorter):
            end = longer[len(shorter) :]
            return end in _ENGLISH_ENDS if self._is_english else len(end) <= _CHANGED_END
        if self._is_english:
            return _is_derived(shorter, longer)
        common = next(at for at, letter in enumerate(shorter) if letter != longer[at])
        if common < _COMMON_START:
            return not name.isascii() and len(longer) - common <= _CHANGED_END_OF_SHORT
        return len(longer) - common <= _CHANGED_END


def _is_derived(shorter: str, longer: str) -> bool:
    """Whether English made one of the other and lost a letter: Norway, Norwegian."""
    stem = shorter[:-1]
    return (
        len(stem) > _SHORTEST_STEM
        and longer.startswith(stem)
        and longer[len(stem) :]
        in {
            "ian",
            "an",
            "ese",
            "ish",
            "ic",
            "ies",
        }
    )


@lru_cache(maxsize=8192)
def _plain(word: str) -> str:
    """A word without case, accents and possessive."""
    word = POSSESSIVE.sub("", word).casefold()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _flat(text: str) -> str:
    """Words and numbers in lower case, whatever joins them: "INC-5521" and "inc 5521" are one.

    Numbers stay apart from each other, with the points and colons inside them, and so do words.
    """
    text = _DECIMAL_COMMA.sub(".", _THOUSANDS.sub("", text))
    text = _TRAILING_ZEROS.sub(lambda found: found[1] or "", text)
    text = _BETWEEN_NUMBERS.sub("_", _BETWEEN_WORDS.sub(" ", text))
    return _BETWEEN_KINDS.sub("", text).casefold()
