"""A part of one conversation, read from any turn on, however long the whole is."""

import sqlite3

from pace.journal.rows import ALWAYS, Page, entries
from pace.memory.turn import SessionId

_BEFORE = """SELECT min(number), count(*) FROM
    (SELECT number FROM turns WHERE session_id = ? AND number < ? ORDER BY number DESC LIMIT ?)"""
_AROUND = """SELECT (SELECT count(*) FROM turns WHERE session_id = ? AND number < ?),
    (SELECT count(*) FROM turns WHERE session_id = ? AND number > ?)"""


def page(
    connection: sqlite3.Connection, session_id: SessionId, *, first: int, before: int, limit: int
) -> Page:
    """So many entries from a number on, and so many before it; fewer where a session ends."""
    earliest, ahead = connection.execute(_BEFORE, (session_id, first, before)).fetchone()
    found = entries(
        connection,
        session_id=session_id,
        period=ALWAYS,
        after=(earliest or first) - 1,
        limit=ahead + limit,
    )
    if not found:
        return Page([], 0, 0)
    ends = (session_id, found[0].number, session_id, found[-1].number)
    earlier, later = connection.execute(_AROUND, ends).fetchone()
    return Page(found, earlier, later)
