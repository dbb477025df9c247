"""What was said: ids, and turn pairs that are never half of one."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import NewType

ThreadId = NewType("ThreadId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)

INTERRUPTED_SIGN = " [interrupted]"
"""What prompts show behind a reply that was cut short; no pair holds it."""

# What shows nothing though its category is not one of hidden characters: fillers of Hangul, Khmer
# and braille, the grapheme joiner, variation selectors.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10))
}
# Tags and the other variation selectors; the whole of this range is set aside to show nothing.
_FIRST_UNSEEN, _LAST_UNSEEN = "\U000e0000", "\U000e0fff"


def is_invisible(char: str) -> bool:
    """Whether a character shows nothing and is no white space: zero-width, control, selector."""
    if char.isspace():
        return False
    if char in _FILLERS or _FIRST_UNSEEN <= char <= _LAST_UNSEEN:
        return True
    return unicodedata.category(char) in {"Cf", "Cc"}


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: empty, or white space and invisible characters only."""
    for char in text:
        # Nearly every text is told by its first letter, so that one is looked at the short way.
        if "!" <= char <= "~" or not (char.isspace() or is_invisible(char)):
            return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPair:
    """What a person said and what Pace replied; never half of it.

    `number` counts the pairs of one session from 1. `recorded_at` is the person's local time, with
    its offset. Raises ValueError for a blank half or a time without an offset.
    """

    turn_id: TurnId
    number: int
    user_text: str
    reply_text: str
    recorded_at: datetime
    interrupted: bool = False

    def __post_init__(self) -> None:
        if is_blank(self.user_text) or is_blank(self.reply_text):
            raise ValueError("a turn pair needs the person's words and a reply, both not blank")
        if self.number < 1:
            raise ValueError("turn pairs are numbered from 1")
        if self.recorded_at.tzinfo is None:
            raise ValueError("a turn pair's time needs its offset")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """A turn that is to be recorded, in the session in which it began.

    `replaces` names the pair whose place it takes, if that is still the last one.
    """

    turn_id: TurnId
    session_id: SessionId
    user_text: str
    reply_text: str
    recorded_at: datetime
    interrupted: bool = False
    replaces: TurnId | None = None
