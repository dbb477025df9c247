"""Finds what can be checked in a text: names, numbers, dates and identifiers.

What is a name is told by its capital letters, so in scripts without them only numbers, identifiers
and names with an honorific are found; and where all nouns have capitals, as in German, only names
of two words or more.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pace.summarizers.letters import as_it_looks, legible
from pace.summarizers.rarity import has_ordinary_end, is_common, word_key
from pace.summarizers.words import NUMBER_WORDS, TELLING_NUMBER_WORDS

# A letter or digit of a script that puts spaces between words.
LETTER = r"[^\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_ONE = r"[^\W\d_]"
WORD = re.compile(rf"{LETTER}+(?:['’]{LETTER}+)*")
_RUN = re.compile(rf"[#@]?{LETTER}+(?:(?:[._/@\-–+'’&=%~?]|(?<=\d)[,:](?=\d)|:(?=//))+{LETTER}+)*")
POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)

# --- numbers and identifiers

_IDENTIFIER = re.compile(r"\d|[a-z][A-Z]|[_@=]|://|[a-z0-9]\.[a-z]{2,}")
_NUMBER_AND_UNIT = re.compile(r"(\d[\d.,:]*)[-–]?(?:[a-z]+|[AP]M)")
_TWO_NUMBERS = re.compile(r"(\d[\d.,:]*)[-–/](\d[\d.,:]*)")

# --- names

_OPENS_SENTENCE = re.compile(r"[.!?…:;\n\"“«(\[•|؟。！？：；「『]")
# The point after a title or an initial ends no sentence.
_SHORT_FORM = re.compile(r"^(?:dr|mr|mrs|ms|prof|st|sr|sra|dra|mme|mlle|\w)\.", re.IGNORECASE)
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "sr", "sra", "dra", "mme", "mlle"})
# Before a number these are no names, and the point after them ends no sentence.
_COUNTED_BY = re.compile(r"(?:nos?|nr|num|vol|op|ch|fig|pp?)\.?\s?\d", re.IGNORECASE)
_LONGEST_NUMBER_WORD = 12
_HALF_OF_DAY = re.compile(r"[AP]M\b")
# Letters with points between them are a name; those of two are "e.g." and "p.m.", too.
_POINTED = re.compile(rf"(?<![\w.]){_ONE}(?:\.{_ONE}){{2,}}(?![^\W_])")
# In any summary these are ours, or the person themselves.
_ROLES = frozenset({"user", "users", "pace", "assistant", "i", "i'm", "i'd", "i'll", "i've", "ok"})
_NO_NAMES = _ROLES | _TITLES
_ENGLISH_WORDS = """
    the a an and or but if so as at by for from in into of off on onto out over to up with about
    after before between during since through until under without is are was were be been am do does
    did has have had will would can could should may might must not no yes it its this that these
    those there here he him his she her hers they them their theirs we us our ours you your yours
    my me who whom whose what when where which why how all any both each every some such than then
    too very just also only more most much many other another same own"""
ENGLISH = frozenset(_ENGLISH_WORDS.split())
_GERMAN_WORDS = """
    der die das und ist nicht ein eine einen einem ich sie wir mit für auf zu den dem des von im
    am er es wird hat sich auch oder aber wenn dass"""
_GERMAN = frozenset(_GERMAN_WORDS.split())
# A language is told when this share of the words is its function words.
_ENGLISH_SHARE = 0.15
_GERMAN_SHARE = 0.12
# A letter of another script than the rest of its word passes for a Latin capital: Greek, Cyrillic,
# Armenian, Cherokee, Lisu. The Greek mu stands for a millionth.
_LOOK_ALIKE = re.compile(
    "[\u0370-\u03bb\u03bd-\u058f\u13a0-\u13ff\ua4d0-\ua4ff\uab70-\uabbf](?=[A-Za-z])"
)
_HONORIFIC = re.compile(
    r"[\u3400-\u9fff](?:先生|女士|小姐)|[\u3040-\u30ff\u3400-\u9fff]{2}(?:さん|様)"
    r"|[\uac00-\ud7af]{2,3}\s?씨"
)


@dataclass(frozen=True, slots=True)
class Values:
    """What can be checked in a text, each once, as it was written."""

    names: frozenset[str]
    numbers: frozenset[str]

    def __len__(self) -> int:
        return len(self.names) + len(self.numbers)


def values_in(text: str) -> Values:
    """Find a text's names, and its numbers, dates and identifiers."""
    text = normal(text)
    runs = [run for run in _RUN.finditer(text) if _IDENTIFIER.search(run[0])]
    inside = {at for run in runs for at in range(*run.span())}
    words = [word for word in WORD.finditer(text) if word.start() not in inside]
    counted = (word[0].lower() for word in words)
    return Values(
        names=frozenset(_names_in(text, words)),
        numbers=frozenset(number for run in runs for number in _numbers_of(run[0]))
        | (TELLING_NUMBER_WORDS & frozenset(counted)),
    )


def normal(text: str) -> str:
    """A text in the form in which texts are compared: what looks the same is the same."""
    if text.isascii() and text.isprintable():
        return text
    text = legible(text)
    return text if text.isascii() else as_it_looks(text)


def is_english(words: list[str]) -> bool:
    """Whether a text's words, in lower case, are mostly of an English one."""
    return _share(words, ENGLISH) >= _ENGLISH_SHARE


def _share(words: list[str], telling: frozenset[str]) -> float:
    return sum(word in telling for word in words) / len(words) if words else 0.0


def _numbers_of(run: str) -> tuple[str, ...]:
    run = POSSESSIVE.sub("", run)
    if unit := _NUMBER_AND_UNIT.fullmatch(run):
        return (unit[1],)
    if two := _TWO_NUMBERS.fullmatch(run):
        return (two[1], two[2])
    return (run,)


def _names_in(text: str, words: list[re.Match[str]]) -> Iterator[str]:
    words = [word for word in words if not _tells_of_a_number(text, word.start())]
    lower = [word[0].lower().replace("’", "'") for word in words]
    english = is_english(lower)
    capital_nouns = _share(lower, _GERMAN) >= _GERMAN_SHARE
    opens = False
    for at, word in enumerate(words):
        before = text[words[at - 1].start() : word.start()] if at else ""
        after_opening = opens
        if lower[at] not in ENGLISH:  # the point after an initial may end a sentence all the same
            before = _SHORT_FORM.sub("", before)
        opens = not at or bool(_OPENS_SENTENCE.search(before))
        is_capital = word[0][0].isupper() or _LOOK_ALIKE.match(word[0])
        if not is_capital or len(word[0]) == 1 or lower[at] in _NO_NAMES:
            continue
        name = POSSESSIVE.sub("", word[0])
        if name.isupper():
            yield name
        elif opens:
            if english and not _is_ordinary(name.lower()):
                yield name
        elif not capital_nouns or (
            not after_opening and before[0].isupper() and before.endswith(f"{words[at - 1][0]} ")
        ):
            yield name
    yield from (found[0] for found in _POINTED.finditer(text) if found[0] != found[0].lower())
    for found in _HONORIFIC.finditer(text):
        yield found[0]


def _tells_of_a_number(text: str, start: int) -> bool:
    """Whether a word only says what a number counts, as in "No. 1" and "2 PM"."""
    if _COUNTED_BY.match(text, start):
        return True
    if not _HALF_OF_DAY.match(text, start):
        return False
    last = text[max(0, start - _LONGEST_NUMBER_WORD) : start].split()[-1:]
    return bool(last) and (last[0][-1].isdigit() or last[0].lower() in NUMBER_WORDS)


def _is_ordinary(word: str) -> bool:
    """Whether an English word has a capital only because a sentence opens with it."""
    return word in ENGLISH or is_common(word_key(word)) or has_ordinary_end(word)
