"""Follows a JSON value while it streams: whose it is, where its words are, and where it ends.

It looks at every character once, and takes other quotes and bare keys for keys, too: models write
them. Whether all of it is an envelope is judged elsewhere, when it is whole.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto

from pace.envelope.escapes import PLAIN_RUN, StringDecoder
from pace.envelope.model import ARGS, FIELDS, INTENT, NAME, SPOKEN

LONGEST = 1_000_000
"""How much of a value is read; the longest reply that a planner gives is a fifth of it."""
DEEPEST = 40
"""How far a value may be nested; no argument is nested that deep."""

# What models call an action and its arguments when they forget the form.
_NAMING = frozenset({NAME, "action", "tool", "function", "tool_name", "action_name"})
_TAKING = frozenset({ARGS, "arguments", "parameters", "params", "input", "action_input"})

_LONGEST_FIRST_KEY = 64  # with more than that, a quote after a brace stands in prose
_LONGEST_KEPT = 256


class Found(Enum):
    """What is known of a value so far."""

    UNTOLD = auto()
    NOTHING = auto()  # text in braces, but no object
    FIELDS = auto()  # one of an envelope's fields is at its top
    END = auto()
    TOO_LARGE = auto()


class _Stage(Enum):
    """What may come next, until a first colon shows that this is an object."""

    OPENER = auto()
    OBJECT = auto()
    KEY = auto()
    BARE_KEY = auto()
    COLON = auto()
    SURE = auto()


class _Role(Enum):
    KEY = auto()
    WORDS = auto()
    ACTION = auto()
    OTHER = auto()


@dataclass(slots=True)
class _Level:
    """One object or array that is open; at the top, there are only arrays around it."""

    is_object: bool
    is_top: bool
    awaits_key: bool
    key: str = ""
    names_action: bool = False
    takes_arguments: bool = False
    has_words: bool = False
    has_intent: bool = False

    @property
    def is_attempt(self) -> bool:
        calls = self.names_action and self.takes_arguments
        return calls or (self.has_words and self.has_intent and not self.is_top)


class Outline:
    """Takes a value from its "{" or "[" on; `names` are the actions that there are.

    `is_attempt` tells that something in it asks for one of them, or is an envelope within other
    JSON; `deepest` is how far anything in it is nested.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.found = Found.UNTOLD
        self.is_attempt = False
        self.is_list = False
        self.deepest = 0
        self._names = names
        self._room = LONGEST
        self._stage = _Stage.OPENER
        self._levels: list[_Level] = []
        self._depth = 0
        self._string: StringDecoder | None = None
        self._quote = ""
        self._role = _Role.OTHER
        self._kept = ""  # of a key or an action's name
        self._bare = ""
        self._begins_token = False
        self._has_spoken = False
        self._words: list[str] = []

    @property
    def may_be_field(self) -> bool:
        """Whether it is within a key at its top that may become one of an envelope's fields."""
        if not self._levels or not self._levels[-1].is_top or self._depth > len(self._levels):
            return False
        if self._string is not None and self._role is _Role.KEY:
            return any(field.startswith(self._kept) for field in FIELDS)
        is_bare = self._levels[-1].awaits_key and bool(self._bare)
        return is_bare and any(field.startswith(self._bare) for field in FIELDS)

    def read(self, text: str, at: int) -> int:
        """Read on from there until more is known than before; where it came to."""
        before = self.found
        if before not in {Found.UNTOLD, Found.FIELDS}:
            return at
        start, end = at, min(len(text), at + self._room)
        while at < end and self.found is before:
            if self._string is not None:
                at = self._within(self._string, text, at, end)
            else:
                self._between(text[at])
                at += 1
        self._room -= at - start
        if self.found is before and at < len(text):
            self.found = Found.TOO_LARGE
        return at

    def said(self) -> str:
        """The spoken words that became certain since this was last asked."""
        words = "".join(self._words)
        self._words.clear()
        return words

    # --- inside

    def _between(self, character: str) -> None:
        """A character outside strings."""
        if self._stage is not _Stage.SURE and not self._leads_on(character):
            self.found = Found.NOTHING
        elif character.isspace():
            return
        elif character == '"' or (character == "'" and self._begins_token):
            self._begin_string(character)
        elif character in "{[":
            self._open(is_object=character == "{")
        elif character in "}]":
            self._close()
        elif self._depth <= len(self._levels):
            self._in_level(self._levels[-1], character)
        self._begins_token = character in "{[,:"

    def _leads_on(self, character: str) -> bool:
        """Whether this may still become an object with a key."""
        stage, is_blank = self._stage, character.isspace()
        if stage is _Stage.OPENER:
            self.is_list = character == "["
            self._stage = _Stage.OBJECT if self.is_list else _Stage.KEY
        elif stage is _Stage.OBJECT and not is_blank:
            self._stage = _Stage.KEY
            return character == "{"
        elif stage is _Stage.KEY and not is_blank:
            if character == "}":
                self._stage = _Stage.SURE
            else:
                is_quote = character in "\"'"
                self._stage = _Stage.COLON if is_quote else _Stage.BARE_KEY
                return is_quote or character.isalpha() or character in "_$"
        elif stage is _Stage.BARE_KEY and not (character.isalnum() or character in "_$-"):
            self._stage = _Stage.SURE if character == ":" else _Stage.COLON
            return is_blank or character == ":"
        elif stage is _Stage.COLON and not is_blank:
            self._stage = _Stage.SURE
            return character == ":"
        return len(self._bare) < _LONGEST_FIRST_KEY

    def _open(self, *, is_object: bool) -> None:
        self._depth += 1
        self.deepest = max(self.deepest, self._depth)
        if self._depth <= DEEPEST:
            above = self._levels[-1] if self._levels else None
            is_top = above is None or (above.is_top and not above.is_object)
            self._levels.append(_Level(is_object, is_top, is_object))
        self._bare = ""

    def _close(self) -> None:
        if self._depth == len(self._levels):
            self._levels.pop()
        self._depth -= 1
        self._bare = ""
        if self._depth == 0:
            self.found = Found.END

    def _in_level(self, level: _Level, character: str) -> None:
        if character == ",":
            level.awaits_key, level.key, self._bare = level.is_object, "", ""
        elif character == ":":
            if level.awaits_key and self._bare:
                self._name(level, self._bare)
            level.awaits_key, self._bare = False, ""
        elif len(self._bare) < _LONGEST_KEPT:
            self._bare += character

    def _begin_string(self, quote: str) -> None:
        self._string, self._quote = StringDecoder(), quote
        self._role, self._kept, self._bare = _Role.OTHER, "", ""
        if self._depth > len(self._levels):
            return
        level = self._levels[-1]
        if level.awaits_key:
            self._role = _Role.KEY
        elif self._depth == 1 and level.key == SPOKEN and not self._has_spoken:
            self._role = _Role.WORDS
        elif level.key in _NAMING:
            self._role = _Role.ACTION

    def _within(self, string: StringDecoder, text: str, at: int, end: int) -> int:
        """Read a character of a string, or as many as stand for themselves."""
        if not string.is_within_escape:
            if text[at] == self._quote:
                self._keep(string.finish())
                self._end_string()
                return at + 1
            if run := PLAIN_RUN.match(text, at, end):
                self._keep(string.feed(run[0]))
                return run.end()
        self._keep(string.feed(text[at]))
        return at + 1

    def _keep(self, piece: str) -> None:
        if self._role is _Role.WORDS:
            self._words.append(piece)
        elif self._role is not _Role.OTHER:
            self._kept = (self._kept + piece)[:_LONGEST_KEPT]
            is_first = self._stage is not _Stage.SURE
            if is_first and (len(self._kept) > _LONGEST_FIRST_KEY or "\n" in self._kept):
                self.found = Found.NOTHING

    def _end_string(self) -> None:
        self._string = None
        if self._role is _Role.KEY and self.found is not Found.NOTHING:
            self._name(self._levels[-1], self._kept)
        elif self._role is _Role.WORDS:
            self._has_spoken = True
        elif self._role is _Role.ACTION and self._kept in self._names:
            self._levels[-1].names_action = True
            self.is_attempt = self.is_attempt or self._levels[-1].is_attempt

    def _name(self, level: _Level, key: str) -> None:
        """A key was read."""
        level.key = key
        level.takes_arguments = level.takes_arguments or key in _TAKING
        level.has_words = level.has_words or key == SPOKEN
        level.has_intent = level.has_intent or key == INTENT
        self.is_attempt = self.is_attempt or level.is_attempt
        if level.is_top and key in FIELDS and self.found is Found.UNTOLD:
            self.found = Found.FIELDS
