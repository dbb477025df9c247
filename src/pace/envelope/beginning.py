"""Follows what may be the beginning of an envelope, with what models like to put around one."""

import re
from collections.abc import Collection
from enum import Enum, auto

from pace.envelope.outline import Found, Outline

FENCE = "```"
OPENER = re.compile(r"[{\[<`~]")
"""What an envelope, or a thing around it, can begin with; all other text may pass."""
_BLANK = re.compile(r"[\s\ufeff]*")

_LABEL = "json"
_LONGEST_HEAD = 64


class _Stage(Enum):
    OPENER = auto()
    TAG = auto()
    MARKS = auto()
    LABEL = auto()
    GAP = auto()
    VALUE = auto()


class Opening:
    """Takes a text from an OPENER on: a value in JSON, at most a fence or a tag ahead of it.

    `head_size` is how much stands ahead of the value, `is_fenced` whether that is the one thing
    that is allowed there: models that are merely asked for a form like to fence it in.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.outline = Outline(names)
        self.head_size = 0
        self.is_fenced = False
        self._stage = _Stage.OPENER
        self._head = ""
        self._is_none = False

    @property
    def found(self) -> Found:
        """What is known of it so far."""
        return Found.NOTHING if self._is_none else self.outline.found

    def read(self, text: str, at: int) -> int:
        """Read on from there until something is known; where it came to."""
        while self._stage is not _Stage.VALUE and not self._is_none:
            if self._stage is _Stage.GAP:
                size = blank_size(text, at)
                at += size
                self.head_size += size
            if at == len(text):
                return at
            if text[at] in "{[" and self._stage is not _Stage.TAG:
                self._stage = _Stage.VALUE
            else:
                self._is_none = not self._leads_on(text[at])
                at += 1
                self.head_size += 1
        return at if self._is_none else self.outline.read(text, at)

    def _leads_on(self, character: str) -> bool:
        """Whether a value may still come."""
        if self._stage is _Stage.OPENER:
            self._stage = _Stage.TAG if character == "<" else _Stage.MARKS
        elif self._stage is _Stage.GAP:
            return False
        elif self._stage is _Stage.TAG:
            if character == ">":
                self._stage = _Stage.GAP
            elif not (character.isalnum() or character in "_|/=:.-"):
                return False
        elif len(self._head) < len(FENCE):
            return self._adds(character) and character == self._head[0]
        elif character == "\n":
            label = self._head.removeprefix(FENCE).strip().lower()
            self.is_fenced = self._head.startswith(FENCE) and label in {"", _LABEL}
            self._stage = _Stage.GAP
        else:
            self._stage = _Stage.LABEL
            if not (character.isalnum() or character in " \t\r+#._-"):
                return False
        return self._adds(character)

    def _adds(self, character: str) -> bool:
        self._head += character
        return len(self._head) <= _LONGEST_HEAD


def blank_size(text: str, at: int) -> int:
    """How much white space is there; a mark of byte order counts as such."""
    blank = _BLANK.match(text, at)
    return 0 if blank is None else blank.end() - at
