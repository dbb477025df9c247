"""Tells the program's own voice, come back through the microphone, from a person's words.

Letters are compared, not words, since a recogniser joins and parts words; then each heard word
must have its place, since a person who answers with nearly the same sentence changes one word.
"""

from collections.abc import Sequence

from pace.speech.plain_words import plain_words

# Of what was heard, at most this share may differ: 10 % wrong letters, and as much again for
# what a recogniser leaves out.
_WRONG_SHARE = 0.25
# What was spoken and not heard counts half: numbers are spoken as words and heard as figures.
_SKIPPED = 0.5
# A word of which less is in its place was not among what was spoken.
_SAME_WORD = 0.6
# One strange word in so many is the recogniser's: 10 %, and room for a second wrong letter. In a
# shorter sentence one other word may be all that a person changes ("... to nine minutes").
_WORDS_PER_STRANGE_ONE = 6
_FEWEST_WORDS_WITH_A_STRANGE_ONE = 8
_SHORTEST_WORD_COMPARED = 3
# Fewer words than these, or letters where words are not parted, may be a person's answer even if
# they stand in the middle of what was spoken ("the blue one").
_FEWEST_WORDS = 4
_FEWEST_LETTERS = 16


def is_echo(heard_text: str, spoken: Sequence[str]) -> bool:
    """Whether it is (a part of) these last spoken sentences, given in the order of their sound.

    A few words in a row that were also spoken are no echo, unless they are a whole sentence.
    """
    heard = plain_words(heard_text)
    if not heard:
        return False
    if len(heard) < _FEWEST_WORDS and len("".join(heard)) < _FEWEST_LETTERS:
        return any(heard == plain_words(sentence) for sentence in spoken)
    own = "".join("".join(plain_words(sentence)) for sentence in spoken)
    return bool(own) and _has_its_place("".join(heard), heard, own)


def _has_its_place(letters: str, heard: list[str], own: str) -> bool:
    cost, matched = _best_place(letters, own)
    if cost > _WRONG_SHARE * len(letters):
        return False
    strange = 0
    start = 0
    for word in heard:
        in_place = sum(matched[start : start + len(word)])
        start += len(word)
        compared = len(word) >= _SHORTEST_WORD_COMPARED and not word.isdigit()
        strange += compared and in_place < _SAME_WORD * len(word)
    if len(heard) < _FEWEST_WORDS_WITH_A_STRANGE_ONE:
        return strange == 0
    return strange <= len(heard) // _WORDS_PER_STRANGE_ONE


def _best_place(letters: str, own: str) -> tuple[float, list[bool]]:
    """The least cost of `letters` anywhere in `own` (Sellers 1980), and which of them are there."""
    rows = [[0.0] * (len(own) + 1)]
    for row, letter in enumerate(letters, 1):
        above = rows[-1]
        line = [float(row)]
        for column, other in enumerate(own, 1):
            line.append(
                min(
                    above[column - 1] + (letter != other),
                    above[column] + 1,
                    line[column - 1] + _SKIPPED,
                )
            )
        rows.append(line)
    return min(rows[-1]), _matched(rows, letters, own)


def _matched(rows: list[list[float]], letters: str, own: str) -> list[bool]:
    matched = [False] * len(letters)
    row = len(letters)
    column = rows[-1].index(min(rows[-1]))
    while row and column:
        same = letters[row - 1] == own[column - 1]
        if rows[row][column] == rows[row - 1][column - 1] + (not same):
            matched[row - 1] = same
            row, column = row - 1, column - 1
        elif rows[row][column] == rows[row - 1][column] + 1:
            row -= 1
        else:
            column -= 1
    return matched
