"""The history as a file to keep: made while it is read, in memory alone, a few turns at a time.

The address of a file names a form and an id, and no word of what was said.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime
from enum import StrEnum

from fastapi import Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from pace.doors.safe_text import safe_line
from pace.errors import HistoryError
from pace.history import PaceHistory
from pace.journal.rows import Entry, TurnStatus
from pace.memory.turn import SessionId

_NOTHING = "There is nothing to export.\n"


class ExportForm(StrEnum):
    """What a file is written in."""

    MARKDOWN = "markdown"
    JSONL = "jsonl"


_KINDS = {
    ExportForm.MARKDOWN: ("text/markdown; charset=utf-8", "md"),
    ExportForm.JSONL: ("application/jsonl; charset=utf-8", "jsonl"),
}


async def exported(history: PaceHistory, form: ExportForm, conversation: str) -> Response:
    """A conversation, or everything if none is named, as an answer to be saved."""
    session_id = SessionId(conversation) if conversation else None
    entries = history.entries(session_id=session_id)
    try:
        first = await anext(entries, None)
    except HistoryError as error:
        return PlainTextResponse(f"{error}\n", status_code=503)
    if first is None:
        return PlainTextResponse(_NOTHING, status_code=404)
    kind, ending = _KINDS[form]
    day = first.turn.said_at.date() if session_id else datetime.now().astimezone().date()
    name = f"pace-{'conversation' if session_id else 'history'}-{day.isoformat()}.{ending}"
    return StreamingResponse(
        _written(form, first, entries),
        media_type=kind,
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            "cache-control": "no-store",
        },
    )


async def _written(
    form: ExportForm, first: Entry, others: AsyncIterator[Entry]
) -> AsyncIterator[str]:
    write: Callable[[Entry, Entry | None], str] = _MAKERS[form]
    yield write(first, None)
    before = first
    # A history that cannot be read any more ends the file where it stands, after a whole turn.
    with suppress(HistoryError):
        async for entry in others:
            yield write(entry, before)
            before = entry


def _line(entry: Entry, before: Entry | None) -> str:
    del before  # each line stands alone
    turn = entry.turn
    fields = {
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
    }
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _section(entry: Entry, before: Entry | None) -> str:
    """A turn as it was said, under a heading that says when, by whom, and what became of it."""
    turn = entry.turn
    pieces = []
    if before is None or before.turn.session_id != turn.session_id:
        pieces.append(f"# Conversation of {turn.said_at:%Y-%m-%d %H:%M}\n\n")
    status = "" if turn.status is TurnStatus.ANSWERED else f" ({turn.status})"
    pieces.append(f"## {turn.said_at:%Y-%m-%d %H:%M}{status}\n\n**You**\n\n{turn.user_text}\n\n")
    if turn.reply_text:
        by = safe_line(turn.model or turn.planner)
        pieces.append(f"**Pace**{f' ({by})' if by else ''}\n\n{turn.reply_text}\n\n")
    return "".join(pieces)


_MAKERS = {ExportForm.MARKDOWN: _section, ExportForm.JSONL: _line}
