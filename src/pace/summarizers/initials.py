"""Finds what upper-case names may stand for: the first letters of a name's words, in a row."""

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
