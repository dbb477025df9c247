"""What a program said of its failure, without a word of the conversation in it."""

import re
from collections.abc import Sequence

from pace.memory.prompt import Message

_WORD = re.compile(r"\w+")
# Shorter ones tell nothing, and are in every sentence.
_SHORTEST = 3
_BLANK = "…"


def without_words(lines: Sequence[str], messages: Sequence[Message]) -> tuple[str, ...]:
    """The lines, with every word blanked that stands in one of the messages, too."""
    said = {
        word.casefold()
        for message in messages
        for word in _WORD.findall(message.content)
        if len(word) >= _SHORTEST
    }

    def blanked(word: re.Match[str]) -> str:
        return _BLANK if word[0].casefold() in said else word[0]

    return tuple(_WORD.sub(blanked, line) for line in lines)
