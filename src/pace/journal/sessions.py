"""The journal's line for each session: how it ended, what its person calls it, what it holds."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from pace.journal.rows import ALWAYS, PastConversation, Period, transaction
from pace.journal.stand_ins import Reader
from pace.memory.turn import SessionId, ThreadId

_HIGHEST = 2**63 - 1


def end_session(
    connection: sqlite3.Connection, session_id: SessionId, cause: str, ended_at: datetime
) -> None:
    """Write the line of a session's end, once; a session of which nothing was kept has none."""
    with transaction(connection):
        connection.execute(
            "UPDATE sessions SET ended_at = ?, cause = ? WHERE session_id = ? AND cause IS NULL",
            (ended_at.isoformat(), cause, session_id),
        )


def rename(connection: sqlite3.Connection, session_id: SessionId, name: str | None) -> bool:
    """Give a conversation a name of its own, or none; False if there is no such conversation."""
    with transaction(connection):
        cursor = connection.execute(
            "UPDATE sessions SET name = ? WHERE session_id = ?", (name, session_id)
        )
        return cursor.rowcount > 0


# --- reading

_CONVERSATION = """SELECT session_id, thread_id, name, ended_at, cause, last_number,
    (SELECT user_text FROM turns t WHERE t.session_id = s.session_id ORDER BY number),
    (SELECT said_at FROM turns t WHERE t.session_id = s.session_id ORDER BY number),
    (SELECT said_seconds FROM turns t WHERE t.session_id = s.session_id ORDER BY number),
    (SELECT said_at FROM turns t WHERE t.session_id = s.session_id ORDER BY number DESC),
    (SELECT said_seconds FROM turns t WHERE t.session_id = s.session_id ORDER BY number DESC),
    (SELECT count(*) FROM turns t WHERE t.session_id = s.session_id)
FROM sessions s"""


_IN_PERIOD = """AND session_id IN
    (SELECT session_id FROM turns WHERE said_seconds >= ? AND said_seconds < ?)"""


def conversations(
    connection: sqlite3.Connection, *, limit: int, before_number: int | None, period: Period
) -> list[PastConversation]:
    """Those with the newest turns first; of a period, those with a turn in it."""
    highest = _HIGHEST if before_number is None else before_number
    in_period, bounds = ("", ()) if period == ALWAYS else (_IN_PERIOD, period.seconds)
    rows = connection.execute(
        f"{_CONVERSATION} WHERE last_number < ? {in_period} ORDER BY last_number DESC LIMIT ?",
        (highest, *bounds, limit),
    )
    return [_conversation_of(row) for row in rows]


def conversation(connection: sqlite3.Connection, session_id: SessionId) -> PastConversation | None:
    """One conversation."""
    row = connection.execute(f"{_CONVERSATION} WHERE session_id = ?", (session_id,)).fetchone()
    return None if row is None else _conversation_of(row)


def _conversation_of(row: Sequence[object]) -> PastConversation:
    session_id, thread_id, name, ended, cause, newest, first_words, *rest = row
    began, began_seconds, last, last_seconds, turns = rest
    read = Reader()
    return PastConversation(
        session_id=SessionId(read.text(session_id)),
        thread_id=ThreadId(read.text(thread_id)),
        name=read.optional(name),
        first_words=read.text(first_words),
        began_at=read.moment(began, began_seconds),
        last_at=read.moment(last, last_seconds),
        turns=int(str(turns)),
        last_number=newest if isinstance(newest, int) else 0,
        ended_at=read.optional_moment(ended),
        cause=read.optional(cause),
        is_damaged=read.is_damaged,
    )


def matching_sessions(connection: sqlite3.Connection, beginning: str) -> list[SessionId]:
    """The sessions whose id begins like this."""
    rows = connection.execute(
        "SELECT session_id FROM sessions WHERE substr(session_id, 1, ?) = ? LIMIT 2",
        (len(beginning), beginning),
    )
    return [SessionId(Reader().text(found)) for (found,) in rows]
