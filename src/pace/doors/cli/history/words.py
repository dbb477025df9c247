"""How conversations and turns are called on a line."""

from pace.doors.safe_text import safe_line
from pace.journal.rows import PastConversation, TurnStatus

SHORT_ID = 8
_LONGEST = 80
_HOW_IT_ENDED = {
    "closed": "left",
    "reset": "reset",
    "idle": "paused",
    "off": "memory off",
}


def counted(number: int, thing: str) -> str:
    """`1 turn`, `12 turns`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def short_id(session_id: str) -> str:
    """The beginning of an id, as it is listed."""
    return safe_line(session_id[:SHORT_ID])


def called(conversation: PastConversation) -> str:
    """A conversation's name, or else its first words, on one line."""
    line = safe_line(conversation.name or conversation.first_words[: 4 * _LONGEST])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def how_it_ended(cause: str | None) -> str:
    """In a word or two; `open` also if its program was killed."""
    return "open" if cause is None else _HOW_IT_ENDED.get(cause, safe_line(cause))


def marked(status: TurnStatus) -> str:
    """What has to be said of a turn besides its words; nothing of one that was answered."""
    return "" if status is TurnStatus.ANSWERED else f" ({status})"
