"""Follows an envelope while it streams: where its words are, and where its root ends.

It looks at every character once. It judges nothing: whether all of it is an envelope is read when
it is whole.
"""

from pace.envelope.escapes import StringDecoder
from pace.envelope.model import SPOKEN


class Outline:
    """Takes an object from its "{" on; `deepest` is how far anything in it is nested."""

    def __init__(self) -> None:
        self.is_whole = False
        self.deepest = 0
        self._depth = 0
        self._string: StringDecoder | None = None
        self._is_key = False
        self._is_spoken = False
        self._has_spoken = False
        self._awaits_key = False
        self._key = ""

    def take(self, character: str) -> str:
        """The spoken words that this character makes certain; nothing once the root has ended."""
        if self._string is not None:
            return self._within(self._string, character)
        at_root = self._depth == 1
        if character == '"':
            self._begin_string(at_root=at_root)
        elif character in "{[":
            self._depth += 1
            self.deepest = max(self.deepest, self._depth)
            self._awaits_key = self._awaits_key or self._depth == 1
        elif character in "}]":
            self._depth -= 1
            self.is_whole = self._depth == 0
        elif at_root and character == ",":
            self._awaits_key, self._key = True, ""
        elif at_root and character == ":":
            self._awaits_key = False
        return ""

    def _begin_string(self, *, at_root: bool) -> None:
        self._string = StringDecoder()
        self._is_key = at_root and self._awaits_key
        self._is_spoken = (
            at_root and not self._is_key and self._key == SPOKEN and not self._has_spoken
        )
        if self._is_key:
            self._key = ""

    def _within(self, string: StringDecoder, character: str) -> str:
        if character == '"' and not string.is_within_escape:
            self._string = None
            self._has_spoken = self._has_spoken or self._is_spoken
            piece = string.finish()
        else:
            piece = string.feed(character)
        if self._is_key and len(self._key) <= len(SPOKEN):
            self._key += piece
        return piece if self._is_spoken else ""
