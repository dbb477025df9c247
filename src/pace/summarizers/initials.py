"""Finds what upper-case names may stand for: the first letters of a name's words, in a row."""

import re
from collections.abc import Iterator

from pace.summarizers.values import ENGLISH, WORD
from pace.summarizers.words import SMALL_WORDS

# Names go on over these: Bank of America.
_JOINING_WORDS = "of and the for in de da do di du del van von la le et und y e"
_JOINERS = frozenset(_JOINING_WORDS.split())
# Nothing but these stands between the words of a name; the point after an initial is no end.
_BETWEEN = frozenset({" ", "-", "‐", "–", " & ", "/", ".", ". ", "\u00a0"})
# Who writes no capitals writes no name with them; two telling words stand together everywhere.
_FEWEST_IN_LOWER_CASE = 3

# Of these the long form is said as often, and the letters are not its words' first ones, or its
# words are no capitals.
LONG_FORMS = {
    "tv": "television",
    "us": "united states",
    "usa": "united states",
    "uk": "united kingdom",
    "eu": "european union",
    "un": "united nations",
}
_SHORT_FORM = re.compile(r"\b(?:TV|tv|USA?|UK|EU|UN|U\.\s?[SK]\.(?:\s?A\.)?)(?!\w)")
_POINTED = re.compile(r"[^\W\d_](?:\.[^\W\d_]){2,}")


def written_out(text: str) -> Iterator[str]:
    """The words of what the short forms of a text stand for."""
    for found in _SHORT_FORM.finditer(text):
        yield from LONG_FORMS[re.sub(r"\W", "", found[0]).lower()].split()


def without_points(name: str) -> str:
    """A name without points between its letters: "B.o.b" is Bob."""
    return name.replace(".", "") if _POINTED.fullmatch(name) else name


def initials_in(text: str) -> Iterator[str]:
    """Give the first letters, in lower case, of each row of words that may be a name.

    These are rows of words with capitals, with the joining words between them and without; and of
    words without, if none is one that every sentence has.
    """
    row: list[str] = []
    end = 0
    for word in WORD.finditer(text):
        between = text[end : word.start()]
        is_apart = between not in _BETWEEN or ("." in between and row and len(row[-1]) > 1)
        if is_apart:
            yield from _of_row(row)
            row = []
        row.append(word[0])
        end = word.end()
    yield from _of_row(row)


def _of_row(row: list[str]) -> Iterator[str]:
    """The initials of the names in words that nothing parts."""
    whole, telling, plain = "", "", ""
    for word in row:
        first, lower = word[0].lower(), word.lower()
        if word[0].isupper() or word[0].isdigit():
            whole, telling = whole + first, telling + first
        elif lower in _JOINERS and whole:
            whole += first
        else:
            yield from (whole, telling)
            whole = telling = ""
        if word[0].isupper() or lower in ENGLISH or lower in SMALL_WORDS:
            yield from (plain,) if len(plain) >= _FEWEST_IN_LOWER_CASE else ()
            plain = ""
        else:
            plain += first
    yield from (whole, telling)
    yield from (plain,) if len(plain) >= _FEWEST_IN_LOWER_CASE else ()
