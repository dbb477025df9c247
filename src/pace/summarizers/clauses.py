"""An utterance as clauses, and a clause as words that may go, stay, or tell something."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from pace.summarizers.rarity import is_ordinary, plain_word, word_cost, word_key, word_value
from pace.summarizers.words import (
    ABBREVIATIONS,
    FILLERS,
    HINGES,
    NEGATIONS,
    PLACES_AND_TIMES,
    POSSESSIVES,
    SMALL_WORDS,
)


class Kind(Enum):
    """How a word behaves when space runs out."""

    TELLING = "goes by its worth"
    SMALL = "goes first"
    STAYS = "goes only with what it belongs to"
    NEGATION = "goes only with all that follows"


class Word(NamedTuple):
    """One word of a clause, as said, but without the quotes and commas around it.

    A telling word has a worth; words with equal keys repeat each other. `is_checkable` marks
    numbers, identifiers and names.
    """

    text: str
    kind: Kind
    key: str = ""
    value: float = 0.0
    cost: float = 1.0
    is_checkable: bool = False


INTERRUPTED = "…"
# A sentence of more words is cut where a comma stands, or where it must be.
_LONGEST = 36
# A row of characters without spaces is cut at this length, in scripts that are written so.
_LONGEST_ROW = 16
# Of a longer text only the head, the tail, and what has digits in between is looked at.
LONGEST_TEXT = 60_000
_HEAD_AND_TAIL = 20_000
_MOST_BETWEEN = 1_000
# No summary has room for a longer word, and it is never cut.
_LONGEST_WORD = 4_000

# A word that would pass for one of our leads, or for a role, if it kept its colon.
_LABEL = re.compile(
    r"\b(user|pace|assistant|system|human|earlier|ai|bot)([\"'”’*_`)\]}>]{0,4})\s*[:：]",
    re.IGNORECASE,
)
# What numbers the lines of a list; in one line alone it may be a date. Its start is sought within
# one line: over blank ones, each would be looked at again from every line before it.
_LIST_NUMBER = re.compile(r"^[^\S\n]*(?:[-*•]\s+)?\d{1,3}[.)]\s+(?=\S)", re.MULTILINE)
# Signs that part words though no space stands there: dashes, rows of dots, and what follows a
# sentence that was typed without a space.
_JOINED = re.compile(r"(?<=\w)(?:[—…]|--+|\.{2,}|(?<=[a-z])[?!,;]+(?=[A-Z]))(?=\w)")
_AROUND_LEFT = "\"“”„‘’'`([{<«»‹›*_,;:!?¿¡…—–•|~。，、！？；：「」『』（）《》،؛؟·"
_AROUND_RIGHT = _AROUND_LEFT.translate({ord(c): None for c in "([{<"}) + ")]}>.-"
_FENCES = ("```", "~~~")
_SENTENCE_ENDS = tuple(".!?…。！？؟।")
_CLOSING = "\"”’')]*_"
_QUESTION_MARKS = ("?", "？", "؟")
_COMMAS = (",", ";", ":", "，", "、", "；", "،")
_KEPT_SIGNS = frozenset("+=<>/*%&@→÷×≈≠≤≥")
# Scripts that are written without spaces: kana, Han, Thai, Lao, Burmese, Khmer.
_UNSPACED = r"[぀-ヿ㐀-鿿豈-﫿฀-໿က-႟ក-៿]"
_HAS_UNSPACED = re.compile(_UNSPACED)
_UNSPACED_MARK = re.compile(r"(?<=[。！？；，、：])(?=.)")
_UNSPACED_CUT = re.compile(rf"(?<={_UNSPACED})(?={_UNSPACED})")


def clauses_of(text: str) -> Iterator[str]:
    """An utterance sentence by sentence, each as clean words with single spaces between them.

    Code in a fence keeps its signs, line by line: without them it would be other code.
    """
    if len(text) > LONGEST_TEXT:
        text = _thinned(_without_blanks(text))
    text = unlabelled(text)
    if len(_LIST_NUMBER.findall(text)) > 1:
        text = _LIST_NUMBER.sub("", text)
    for line, is_code in _lines(text):
        yield from _code(line) if is_code else _prose(line)


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether each is code; the fences around it are no words."""
    is_code = False
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
        else:
            yield line, is_code


def _prose(line: str) -> Iterator[str]:
    """A line sentence by sentence; a long one is cut at a comma, or where it must be."""
    raws = [raw for joined in line.split() for raw in _parted(joined)]
    start = comma = length = 0
    for at, raw in enumerate(raws, 1):
        length += _length(raw)
        cut = 0
        if _ends_sentence(raw, raws[at] if at < len(raws) else ""):
            cut = at
        elif length >= _LONGEST:
            cut = comma if comma > start else at
        elif raw.endswith(_COMMAS):
            comma = at
        if cut:
            yield from _cleaned(raws[start:cut])
            start = cut
            length = sum(map(_length, raws[start:at]))
    yield from _cleaned(raws[start:])


def _code(line: str) -> Iterator[str]:
    words = line.split()
    for start in range(0, len(words), _LONGEST):
        part = " ".join(words[start : start + _LONGEST])
        if any(map(str.isalnum, part)):
            yield part


def _length(raw: str) -> int:
    """How many words of English a word is as long as."""
    if raw.isascii() or not _HAS_UNSPACED.search(raw):
        return 1
    return 1 + len(raw) // 2


def unlabelled(text: str) -> str:
    """A text in which no word passes for a label of ours or for a role."""
    return _LABEL.sub(r"\1 ", text)


def _without_blanks(text: str) -> str:
    """A text with one space between words and no blank lines, which reads the same."""
    return "\n".join(words for line in text.splitlines() if (words := " ".join(line.split())))


def _thinned(text: str) -> str:
    """The head, the tail, and whatever holds a digit in between, of a text that is far too long."""
    if len(text) <= LONGEST_TEXT:
        return text
    middle = text[_HEAD_AND_TAIL:-_HEAD_AND_TAIL].split()[1:-1]
    found = [raw for raw in middle if len(raw) <= _LONGEST_WORD and any(map(str.isdigit, raw))]
    step = len(found) // _MOST_BETWEEN + 1
    head = text[:_HEAD_AND_TAIL].rsplit(maxsplit=1)[:1]
    tail = text[-_HEAD_AND_TAIL:].split(maxsplit=1)[-1:]
    return "\n".join((*head, *found[::step], *tail))


def _parted(raw: str) -> list[str]:
    """A word in its parts, where signs or a script without spaces have run several together."""
    if raw.isascii() and raw.isalnum():
        return [raw]
    if "://" not in raw:
        raw = _JOINED.sub(r" ", raw)
    if raw.isascii() or not _HAS_UNSPACED.search(raw):
        return raw.split()
    parts = []
    for part in (p for word in raw.split() for p in _UNSPACED_MARK.split(word)):
        start = 0
        for cut in (found.start() for found in _UNSPACED_CUT.finditer(part)):
            if cut - start >= _LONGEST_ROW:
                parts.append(part[start:cut])
                start = cut
        parts.append(part[start:])
    return parts


def _ends_sentence(raw: str, following: str) -> bool:
    if raw[-1].isalnum() or not raw.rstrip(_CLOSING).endswith(_SENTENCE_ENDS):
        return False
    if raw[-1] != ".":
        return True
    bare = raw[:-1].lower()
    if bare in ABBREVIATIONS:
        return False
    return len(bare) > 1 or not following[:1].islower()


def _cleaned(raws: list[str]) -> Iterator[str]:
    words = [word for raw in raws if (word := _bare(raw))]
    if not words:
        return
    if raws[-1].rstrip(_CLOSING).endswith(_QUESTION_MARKS):
        words[-1] += "?"
    yield " ".join(words)


def _bare(raw: str) -> str:
    """A word without what stands around it; empty if nothing is left that tells anything."""
    if raw.isalnum():
        return raw
    word = raw.lstrip(_AROUND_LEFT)
    end = word.rstrip(_AROUND_RIGHT)
    for opening, closing in ("()", "[]", "{}", "<>"):
        if opening in end and word[len(end) : len(end) + 1] == closing:
            end += closing
    if any(map(str.isalnum, end)):
        return end
    return raw if raw in _KEPT_SIGNS else ""


def words_of(clause: str) -> list[Word]:
    """A clause's words with what each is worth."""
    return [_word(text, opens=at == 0) for at, text in enumerate(clause.split(" "))]


def _word(text: str, *, opens: bool) -> Word:
    known = _KNOWN.get(text)
    if known:
        return known
    if text.islower() and text.isalpha() and text.isascii():
        key, value, cost = plain_word(text)
        return Word(text, Kind.TELLING, key, value, cost)
    bare = text.rstrip("?")
    lower = bare.lower().replace("’", "'")
    if lower in NEGATIONS or lower.endswith("n't"):
        return Word(text, Kind.NEGATION)
    has_capital = bare[:1].isupper()
    # US, IT and May in the middle of a sentence are no small words; I is.
    if (not has_capital or opens or lower.startswith("i'")) and lower in _KNOWN:
        return Word(text, _KNOWN[lower].kind)
    if not any(map(str.isalnum, bare)):
        return Word(text, Kind.STAYS)
    key = word_key(lower)
    is_name = has_capital and not (opens and is_ordinary(lower, key))
    cost = word_cost(bare, key)
    value = word_value(bare, key, cost, is_name=is_name)
    if not bare.isascii() and _HAS_UNSPACED.search(bare):
        value = max(value, _UNSPACED_VALUE * cost)
    is_checkable = is_name or not (bare.isalpha() or not any(map(str.isdigit, bare)))
    return Word(text, Kind.TELLING, key, value, cost, is_checkable)


# Words that are the same wherever they stand, ready made.
_KNOWN = {
    **{word: Word(word, Kind.SMALL) for word in (*FILLERS, *SMALL_WORDS, "I", "I'm", "I'd")},
    **{word: Word(word, Kind.STAYS) for word in (*HINGES, *POSSESSIVES, *PLACES_AND_TIMES)},
    **{word: Word(word, Kind.NEGATION) for word in NEGATIONS},
}
# What a token of a row without spaces is worth: as much as one of a middling word.
_UNSPACED_VALUE = 2.5
