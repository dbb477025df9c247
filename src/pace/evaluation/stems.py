"""Words as facts are compared by them: stems in lower case, numbers and times in one form.

For English alone, with the stemmer of Snowball. "7pm" is "7 pm", "8th" and "eight" are "8", "Tues"
is "Tuesday".
"""

import re
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer

from pace.summarizers.dates import MONTHS, WEEKDAYS
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

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|[;\n]+")
_WORD = re.compile(r"\d+:\d+|\d+(?:\.\d+)?|[a-z]+(?:'[a-z]+)?")
_BEFORE_OR_AFTER_NOON = re.compile(r"\b([ap])\.\s?m\b\.?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_LETTER_DIGIT = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")


class Stem(NamedTuple):
    """A word of a text, and whether it tells anything."""

    text: str
    tells: bool


def stems_of(text: str) -> list[Stem]:
    """All words of a text, in their order."""
    text = text.lower().replace("\u2019", "'").replace("\u2018", "'").replace("n't", " not")
    text = _BEFORE_OR_AFTER_NOON.sub(r"\1m", text)
    text = _THOUSANDS.sub("", text)
    text = _LETTER_DIGIT.sub(" ", _ORDINAL.sub(r"\1", text))
    return [_stem(word) for word in _WORD.findall(text)]


def telling_stems(text: str) -> list[str]:
    """The words of a text that tell something, in their order."""
    return [stem.text for stem in stems_of(text) if stem.tells]


def sentences_of(text: str) -> list[str]:
    """A text cut at the ends of its sentences, semicolons and lines."""
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


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
