"""Parts a reply into the sentences that are spoken while it still streams, and maps them back."""

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pace.speech.for_the_ear import for_the_ear
from pace.speech.plain_words import plain_words
from pace.speech.sentence_ends import Reply

_CLAUSE_DASH = re.compile(r"(?<=\w)(?:\s*[–—]|\s+-)$")
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# What belongs to the word before it; other signs belong to the next.
_CLOSING = r"。、，．！？：；」』）】》〉”’…～ー!?,.;:)\]}"
_WORD = re.compile(rf"[{_IDEOGRAPHS}][{_CLOSING}]*|[^\s{_IDEOGRAPHS}]+")
# A figure is said with about so many letters: "one", "four", "seven".
_LETTERS_OF_A_FIGURE = 4
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """What is said for `written`, the reply from `start` to `end`; the last may say nothing."""

    spoken: str = field(repr=False)
    written: str = field(repr=False)
    start: int
    end: int


class SpokenSentences:
    """The sentences of one reply. Their ranges follow each other and cover all of it.

    How the reply is cut into deltas changes nothing.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""
        self._start = 0
        self._scanned = 0
        self._has_spoken = False

    def feed(self, delta: str) -> list[SpokenSentence]:
        """The sentences that are complete with these words; the first may be a mere clause."""
        self._text += delta
        return self._complete(is_whole=False)

    def so_far(self) -> list[SpokenSentence]:
        """All that was fed and is not given yet, since the rest may be long in coming."""
        return self._complete(is_whole=True)

    def end(self) -> list[SpokenSentence]:
        """The rest; its last sentence says nothing if only space or signs were left."""
        rest = self._complete(is_whole=True)
        if self._start < len(self._text):
            rest.append(self._sentence("", len(self._text)))
        return rest

    def _complete(self, *, is_whole: bool) -> list[SpokenSentence]:
        reply = Reply(self._text, is_whole, self._language)
        sentences: list[SpokenSentence] = []
        while True:
            end = reply.piece_end(self._scanned, early=not self._has_spoken)
            if end is None:
                return sentences
            written = _CLAUSE_DASH.sub(",", self._text[self._scanned : end].strip())
            self._scanned = end
            if spoken := for_the_ear(written, self._language):
                sentences.append(self._sentence(spoken, end))
                self._has_spoken = True

    def _sentence(self, spoken: str, end: int) -> SpokenSentence:
        start, self._start = self._start, end
        return SpokenSentence(spoken, self._text[start:end], start, end)


def written_until(sentence: SpokenSentence, share: float) -> int:
    """Where the last word ends, in the written reply, that was heard as a whole.

    `share`, from 0 to 1, is how much of the sentence's sound was played. What is written and said
    otherwise, such as "5 km" or a code block, counts once all of it was heard.
    """
    if share >= 1:
        return sentence.end
    spoken = [word for word, _ in _words(sentence.spoken)]
    written = _words(sentence.written)
    heard = _words_heard(spoken, share)
    reached = 0
    matcher = SequenceMatcher(None, [word for word, _ in written], spoken, autojunk=False)
    for kind, first, last, spoken_first, spoken_last in matcher.get_opcodes():
        if kind == "equal":
            until = min(last, first + max(0, heard - spoken_first))
        elif heard and spoken_last <= heard:
            until = last
        else:
            break
        if until > first:
            reached = written[until - 1][1]
    return sentence.start + reached


def _words(text: str) -> list[tuple[str, int]]:
    """The plain words of a text, each with where it ends; marks alone are none."""
    found = ((_plain(match[0]), match.end()) for match in _WORD.finditer(text))
    return [(word, end) for word, end in found if word]


def _words_heard(spoken: list[str], share: float) -> int:
    weights = [_weight(word) for word in spoken]
    played = share * sum(weights) + _ROUNDING
    heard = 0
    for weight in weights:
        played -= weight
        if played < 0:
            break
        heard += 1
    return heard


def _weight(word: str) -> int:
    return sum(_LETTERS_OF_A_FIGURE if letter.isdigit() else 1 for letter in word)


def _plain(word: str) -> str:
    return "".join(plain_words(word))
