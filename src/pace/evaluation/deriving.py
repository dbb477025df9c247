"""Finds facts to check in a talk that brings none.

A fact is a name, number, date or identifier that either side says (`pace.summarizers.values`), at
its first mention; restated, it is the same one. Its keywords are the telling stems of the value,
its cues those of up to six other words in its sentence, the nearest first. It is weak if that is
one keyword, and a number below 1,000 or a common word. Left out are values in more than a third of
all turns, since they tell nothing, and weak ones without a cue, since nothing could show them.
Names are told by their capital letters, so in a script without them only those beside a title are
found (`is_poor_in_names`).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pace.evaluation.stems import (
    PART_OF_WORD,
    SIGN,
    UNSPACED,
    sentences_of,
    stems_of,
    telling_stems,
)
from pace.evaluation.talks import Fact, SaidTurn, Side
from pace.summarizers.rarity import is_common, word_key
from pace.summarizers.values import Values, normal, values_in
from pace.summarizers.words import NUMBER_WORDS

HOW = (
    "the facts are the names, numbers, dates and identifiers that Pace finds in what was said, "
    "each at its first mention"
)

WITHOUT_CAPITALS = (
    "in a script without capital letters, names are found only beside a title, so few facts are"
)

# Of the letters of a talk, so many have neither a small nor a capital form.
_MANY = 0.5
_MOST_CUES = 6
# So many characters hold as many words as a cue may be away; a sentence can be a whole file.
_NEAR = 400
_WEAK_BELOW = 1_000
_MOST_TURNS = 1 / 3
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNSPACED = re.compile(UNSPACED)
# Where there is no such character, \w says the same as PART_OF_WORD, and is compiled much sooner.
_OTHER_SCRIPT = re.compile(f"{UNSPACED}|{SIGN}")


def derived_facts(turns: Sequence[SaidTurn]) -> tuple[Fact, ...]:
    """The facts of a talk, in the order in which they are said."""
    facts: dict[frozenset[str], Fact] = {}
    for number, turn in enumerate(turns):
        for side in Side:
            for found in _found_in(turn.said_by(side)):
                key = frozenset(found.keywords)
                if key not in facts and (found.cues or not found.is_weak):
                    facts[key] = Fact(
                        turn=number,
                        by=side,
                        answer=found.value,
                        keywords=found.keywords,
                        cues=found.cues,
                        weak=found.is_weak,
                    )
    said_in: defaultdict[str, set[int]] = defaultdict(set)
    for number, turn in enumerate(turns):
        for stem in telling_stems(f"{turn.user}\n{turn.assistant}"):
            said_in[stem].add(number)
    most = max(1.0, len(turns) * _MOST_TURNS)
    return tuple(
        fact
        for key, fact in facts.items()
        if len(set.intersection(*(said_in[stem] for stem in key))) <= most
    )


def is_poor_in_names(turns: Sequence[SaidTurn]) -> bool:
    """Whether a talk is mostly in a script without capital letters, which tell what is a name."""
    halves = [turn.said_by(side) for turn in turns for side in Side]
    letters = sum(sum(map(str.isalpha, text)) for text in halves)
    caseless = sum(
        c.isalpha() and c.lower() == c.upper()
        for text in halves
        if not text.isascii()
        for c in text
    )
    return caseless > _MANY * letters


@dataclass(frozen=True, slots=True)
class _Found:
    """A value in a sentence."""

    value: str
    keywords: tuple[str, ...]
    cues: tuple[str, ...]
    is_weak: bool


def _found_in(text: str) -> Iterator[_Found]:
    """The values of one half of a turn, in their order, as often as they are said."""
    values = values_in(text)
    if not len(values):
        return
    pattern = _pattern(values, PART_OF_WORD if _OTHER_SCRIPT.search(text) else r"\w")
    for sentence in map(normal, sentences_of(text)):
        for place in pattern.finditer(sentence):
            keywords = tuple(dict.fromkeys(telling_stems(place[0])))
            if keywords:
                yield _Found(
                    value=place[0],
                    keywords=keywords,
                    cues=_cues(sentence[: place.start()], sentence[place.end() :], keywords),
                    is_weak=_is_weak(place[0], keywords),
                )


def _pattern(values: Values, part_of_word: str) -> re.Pattern[str]:
    """Finds each value where it stands on its own; of two that begin at one place, the longer."""
    longest_first = sorted(values.names | values.numbers, key=lambda value: (-len(value), value))
    return re.compile("|".join(_alone(value, part_of_word) for value in longest_first))


def _alone(value: str, part_of_word: str) -> str:
    # A unit may follow a number at once, and where there are no spaces, anything may follow or go
    # before. Number words are in lower case, however they were written.
    start = "" if _UNSPACED.match(value) else f"(?<!{part_of_word})"
    end = f"(?!{part_of_word})"
    if value[-1].isdigit():
        end = r"(?!\d)"
    elif _UNSPACED.match(value[-1]):
        end = ""
    case = "i" if value in NUMBER_WORDS else ""
    return rf"{start}(?{case}:{re.escape(value)}){end}"


def _cues(before: str, after: str, keywords: Sequence[str]) -> tuple[str, ...]:
    if len(before) > _NEAR:
        before = before[-_NEAR:].partition(" ")[2] or before[-_NEAR:]
    if len(after) > _NEAR:
        after = after[:_NEAR].rpartition(" ")[0] or after[:_NEAR]
    around = [
        (distance, stem.text)
        for stems in (reversed(stems_of(before)), stems_of(after))
        for distance, stem in enumerate(stems)
        if stem.tells and stem.text not in keywords
    ]
    nearest = sorted(around, key=lambda found: found[0])
    return tuple(dict.fromkeys(stem for _, stem in nearest))[:_MOST_CUES]


def _is_weak(value: str, keywords: Sequence[str]) -> bool:
    if len(keywords) > 1:
        return False
    if _NUMBER.fullmatch(keywords[0]):
        return float(keywords[0]) < _WEAK_BELOW
    return is_common(word_key(value))
