"""The history as a file to keep: made while it is read, in memory alone, a few turns at a time.

The address of a file names a form and an id, and no word of what was said.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime

from fastapi import Response
from fastapi.responses import PlainTextResponse, StreamingResponse

from pace.doors.exported import ExportForm, written
from pace.errors import HistoryError
from pace.history import PaceHistory
from pace.journal.rows import Entry
from pace.memory.turn import SessionId

_NOTHING = "There is nothing to export.\n"


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
        _written(history, form, first, entries),
        media_type=kind,
        headers={
            "content-disposition": f'attachment; filename="{name}"',
            "cache-control": "no-store",
        },
    )


async def _written(
    history: PaceHistory, form: ExportForm, first: Entry, others: AsyncIterator[Entry]
) -> AsyncIterator[str]:
    # A history that cannot be read any more ends the file where it stands, after a whole turn.
    with suppress(HistoryError):
        async for piece in written(history, _with(first, others), form):
            yield piece


async def _with(first: Entry, others: AsyncIterator[Entry]) -> AsyncIterator[Entry]:
    yield first
    async for entry in others:
        yield entry
