"""Turns of the history as they leave Pace: a JSON line holds everything, Markdown is to be read.

Neither can do anything to a terminal that shows it.
"""

import json
import unicodedata
from collections.abc import AsyncIterator
from enum import StrEnum

from pace.doors.safe_text import safe_line, safe_text
from pace.history import PaceHistory
from pace.journal.rows import Entry, PastConversation, TurnStatus
from pace.memory.turn import SessionId, is_invisible

_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}


class ExportForm(StrEnum):
    """What turns are written as."""

    JSONL = "jsonl"
    MARKDOWN = "markdown"


async def written(
    history: PaceHistory, entries: AsyncIterator[Entry], form: ExportForm
) -> AsyncIterator[str]:
    """One piece for each turn; in Markdown, a conversation's turns stand under its heading."""
    last: SessionId | None = None
    async for entry in entries:
        if form is ExportForm.JSONL:
            yield as_json_line(entry)
            continue
        is_first = entry.turn.session_id != last
        yield as_markdown(entry, await history.conversation_of(entry) if is_first else None)
        last = entry.turn.session_id


def as_json_line(entry: Entry) -> str:
    """One turn with its line end; texts word for word, what is unseen in them as JSON's escapes."""
    turn = entry.turn
    line = json.dumps(
        {
            "number": entry.number,
            "turn": turn.turn_id,
            "session": turn.session_id,
            "thread": turn.thread_id,
            "source": turn.source,
            "planner": turn.planner,
            "model": turn.model,
            "said_at": turn.said_at.isoformat(),
            "status": turn.status,
            "user": turn.user_text,
            "reply": turn.reply_text,
        },
        ensure_ascii=False,
    )
    return "".join(_escaped(c) if _is_unseen(c) else c for c in line) + "\n"


def as_markdown(entry: Entry, begins: PastConversation | None = None) -> str:
    """One turn, its texts quoted so that nothing in them reaches beyond.

    Ahead of it stands a heading, if a conversation begins with it.
    """
    turn = entry.turn
    parts = [] if begins is None else [f"# {_heading(begins)}"]
    mark = "" if turn.status is TurnStatus.ANSWERED else f" ({turn.status})"
    parts += [
        f"## {entry.number} · {turn.said_at:%Y-%m-%d %H:%M}{mark}",
        "**You**",
        _quoted(turn.user_text),
    ]
    if turn.reply_text:
        parts += ["**Pace**", _quoted(turn.reply_text)]
    return "\n\n".join(parts) + "\n\n"


def _heading(conversation: PastConversation) -> str:
    called = safe_line(conversation.name or conversation.first_words)
    # At the beginning of a heading, nothing in a name is read as markup but what stands for itself.
    return "".join(f"\\{c}" if c in "\\`*_[]<>#!|~&" else c for c in called)


def _quoted(text: str) -> str:
    lines = safe_text(text).replace("\r", "\n").split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _is_unseen(character: str) -> bool:
    if character <= "~":
        # Within JSON, all control characters of ASCII are escapes already.
        return False
    return is_invisible(character) or unicodedata.category(character) in _UNSEEN


def _escaped(character: str) -> str:
    return json.dumps(character).strip('"')
