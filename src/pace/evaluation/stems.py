"""Words as facts are compared by them: stems in lower case, numbers and times in one form.

The stems are those of English, by Snowball: "7pm" is "7 pm", "8th" and "eight" are "8", "Tues" is
"Tuesday". A word in another script is its own stem; where a script has no spaces between words, as
in Chinese, two characters stand for one.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from pace.summarizers.dates import MONTHS, WEEKDAYS
from pace.summarizers.values import normal
from pace.summarizers.words import NUMBER_WORDS

_STEMMER = snowballstemmer.stemmer("english")
# Words that tell no fact: small ones, and what people say to be civil.
_SMALL = """
    a an the this that these those there here it its it's i i'm me my mine myself we us our ours
    ourselves you your yours yourself he him his himself she her hers herself they them their
    theirs themselves who whom whose which what when where why how is am are was were be been
    being do does did doing done have has had having will would shall should can could may might
    must ought need to of in on at by for with from into onto about as than then so too very
    just also and or but if because while until though although not no nor yes don doesn didn
    isn aren wasn weren won wouldn couldn shouldn can't cannot ll ve re d s t m let lets got get
    gets getting go goes going gonna wanna really actually quite pretty much many more most some
    any all both each every few own same such only other another again ever never always up down
    out off over under between through during before after above below like well oh ah um uh hey
    hi hello wow yeah yep nope okay ok sure thanks thank please sorry great good nice cool
    awesome im ive id ill youre youve youll dont didnt doesnt isnt cant wont thats whats lol
    haha maybe perhaps kind sort lot lots thing things stuff something anything nothing
    everything someone anyone everyone one ones etc via per"""
_TELL_NOTHING = frozenset(_SMALL.split())
_NUMBERS = {"zero": "0", **NUMBER_WORDS}
# It counts as seldom as it points.
_ONE = "one"
# Short names of months and days; "sat" and "sun" are words of their own.
_IN_FULL = {
    **{name[:3]: name for name in (*MONTHS, *WEEKDAYS) if name[:3] not in {"sat", "sun"}},
    "tues": "tuesday",
    "weds": "wednesday",
    "thur": "thursday",
    "thurs": "thursday",
    "sept": "september",
}
_ENDS_OF_CONTRACTIONS = frozenset({"s", "m", "re", "ve", "ll", "d", "t"})

# Thai and Lao, Burmese, Khmer, Japanese, Chinese; and Korean, whose words carry their endings.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\U00020000-\U0003ffff"
)
# What two of these make is an ending or a small word.
_SMALL_CHARACTERS = frozenset(
    "的了是吗呢吧啊和在我你您他她它们这那也都就很有"
    "のはがをにでともへやかねよすまたしるてい"
    "은는이가을를에의도로와과하니다습서입"
)
# Vowel signs and accents that stand as characters of their own are parts of their words.
_SIGNS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"[^\W\d_{_UNSPACED}]"
_LETTERS = rf"{_LETTER}(?:{_LETTER}|[{_SIGNS}])*"
UNSPACED = f"[{_UNSPACED}]"
"""A character of a script without spaces between its words, for `re`."""
SIGN = f"[{_SIGNS}]"
"""A sign that stands as a character of its own beside its letter, for `re`."""
PART_OF_WORD = rf"(?:[^\W{_UNSPACED}]|[{_SIGNS}])"
"""A letter, digit or sign of another script, for `re`."""

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])|[;\n]+")
_WORD = re.compile(
    rf"\d+:\d+|\d+(?:\.\d+)?|(?P<unspaced>[{_UNSPACED}]+)|{_LETTERS}(?:'{_LETTERS})?"
)
_BEFORE_OR_AFTER_NOON = re.compile(r"\b([ap])\.\s?m\b\.?")
_THOUSANDS = re.compile(rf"(?<=\d),(?=\d{{3}}(?![^\W{_UNSPACED}]))")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_LETTER_DIGIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")


class Stem(NamedTuple):
    """A word of a text, and whether it tells anything.

    One of two characters `is_half` a word: the next one begins with its second character.
    """

    text: str
    tells: bool
    is_half: bool = False


def stems_of(text: str) -> list[Stem]:
    """All words of a text, in their order."""
    text = normal(text).lower()
    text = text.replace("\u2019", "'").replace("\u2018", "'").replace("n't", " not")
    text = _BEFORE_OR_AFTER_NOON.sub(r"\1m", text)
    text = _THOUSANDS.sub("", text)
    text = _LETTER_DIGIT.sub(" ", _ORDINAL.sub(r"\1", text))
    stems: list[Stem] = []
    for found in _WORD.finditer(text):
        if found["unspaced"]:
            stems += _of_two_characters(found[0])
        else:
            stems.append(_stem(found[0]))
    return stems


def telling_stems(text: str) -> list[str]:
    """The words of a text that tell something, in their order."""
    return [stem.text for stem in stems_of(text) if stem.tells]


def sentences_of(text: str) -> list[str]:
    """A text cut at the ends of its sentences, semicolons and lines."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _of_two_characters(row: str) -> list[Stem]:
    if len(row) == 1:
        return [Stem(row, tells=False)]
    pairs = (row[at : at + 2] for at in range(len(row) - 1))
    return [
        Stem(pair, tells=not _SMALL_CHARACTERS.issuperset(pair), is_half=True) for pair in pairs
    ]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> Stem:
    if word == _ONE:
        return Stem(_NUMBERS[word], tells=False)
    word = _NUMBERS.get(word, word)
    if word[0].isdigit():
        return Stem(_time(word) if ":" in word else word, tells=True)
    start, apostrophe, end = word.partition("'")
    if apostrophe:
        word = start if end in _ENDS_OF_CONTRACTIONS else start + end
    word = _IN_FULL.get(word, word)
    if len(word) == 1 or word in _TELL_NOTHING:
        return Stem(word, tells=False)
    return Stem(_STEMMER.stemWord(word), tells=True)


def _time(word: str) -> str:
    """A time as people say it: 07:00 is 7, and 07:30 is 7:30."""
    hours, minutes = word.split(":")
    hours = hours.lstrip("0") or "0"
    return f"{hours}:{minutes}" if minutes.strip("0") else hours
