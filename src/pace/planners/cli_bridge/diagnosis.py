"""What a program said of its failure, told from what the conversation says."""

import re
from collections.abc import Sequence
from functools import cached_property

from pace.memory.prompt import Message

_WORD = re.compile(r"\w+")
# Shorter ones tell nothing, and are in every sentence.
_SHORTEST = 3
# So many words in a row stand in two texts by chance seldom enough.
_PASSAGE = 3
_LONGEST = 2000
_BLANK = "…"


class Said:
    """The words of a conversation, which a program may repeat among its own."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def without_words(self, lines: Sequence[str]) -> tuple[str, ...]:
        """The lines, with every word blanked that the conversation has, too: fit to be kept."""

        def blanked(word: re.Match[str]) -> str:
            return _BLANK if word[0].casefold() in self._words else word[0]

        return tuple(_WORD.sub(blanked, line) for line in lines)

    def without_passages(self, text: str) -> str:
        """The text's beginning, with all blanked that repeats the conversation: fit to judge by.

        Single words stay. Or no program could say that a limit is reached to somebody who speaks
        of limits.
        """
        text = text[:_LONGEST]
        found = list(_WORD.finditer(text))
        words = [word[0].casefold() for word in found]
        repeated = set[int]()
        for start in range(len(words)):
            for length in range(1, _PASSAGE + 1):
                if tuple(words[start : start + length]) in self._passages:
                    repeated.update(range(start, min(start + length, len(words))))
        numbers = iter(range(len(found)))
        return _WORD.sub(lambda word: _BLANK if next(numbers) in repeated else word[0], text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(
            word for words in self._spoken() for word in words if len(word) >= _SHORTEST
        )

    @cached_property
    def _passages(self) -> frozenset[tuple[str, ...]]:
        """All rows of words of that length, and messages that are shorter."""
        return frozenset(
            tuple(words[start : start + _PASSAGE])
            for words in self._spoken()
            for start in range(max(1, len(words) - _PASSAGE + 1))
            if words
        )

    def _spoken(self) -> Sequence[list[str]]:
        return [
            [word.casefold() for word in _WORD.findall(message.content)]
            for message in self._messages
        ]
