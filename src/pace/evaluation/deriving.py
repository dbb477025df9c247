"""Finds facts to check in a talk that brings none.

A fact is a name, number, date or identifier that either side says (`pace.summarizers.values`), at
its first mention; restated, it is the same one. Its keywords are the telling stems of the value,
its cues those of up to six other words in its sentence, the nearest first. It is weak if that is
one keyword, and a number below 1,000 or a common word. Left out are values in more than a third of
all turns, since they tell nothing, and weak ones without a cue, since nothing could show them.
Stems are for English, so a value in another script has none and is left out, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pace.evaluation.stems import sentences_of, stems_of, telling_stems
from pace.evaluation.talks import Fact, SaidTurn, Side
from pace.summarizers.rarity import is_common, word_key
from pace.summarizers.values import Values, values_in
from pace.summarizers.words import NUMBER_WORDS

HOW = (
    "The facts are the names, numbers, dates and identifiers that Pace finds in what was said, "
    "each at its first mention."
)

_MOST_CUES = 6
_WEAK_BELOW = 1_000
_MOST_TURNS = 1 / 3
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


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
    said = [frozenset(telling_stems(f"{turn.user}\n{turn.assistant}")) for turn in turns]
    most = max(1.0, len(turns) * _MOST_TURNS)
    return tuple(fact for key, fact in facts.items() if sum(key <= words for words in said) <= most)


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
    pattern = _pattern(values)
    for sentence in sentences_of(text):
        for place in pattern.finditer(sentence):
            keywords = tuple(dict.fromkeys(telling_stems(place[0])))
            if keywords:
                yield _Found(
                    value=place[0],
                    keywords=keywords,
                    cues=_cues(sentence[: place.start()], sentence[place.end() :], keywords),
                    is_weak=_is_weak(place[0], keywords),
                )


def _pattern(values: Values) -> re.Pattern[str]:
    """Finds each value where it stands on its own; of two that begin at one place, the longer."""
    longest_first = sorted(values.names | values.numbers, key=lambda value: (-len(value), value))
    return re.compile("|".join(map(_alone, longest_first)))


def _alone(value: str) -> str:
    # A unit may follow a number at once. Number words are in lower case, however they were written.
    end = r"\d" if value[-1].isdigit() else r"\w"
    case = "i" if value in NUMBER_WORDS else ""
    return rf"(?<!\w)(?{case}:{re.escape(value)})(?!{end})"


def _cues(before: str, after: str, keywords: Sequence[str]) -> tuple[str, ...]:
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
