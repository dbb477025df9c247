"""The journal's tables, and the steps by which an older file becomes a newer one."""

import sqlite3
from collections.abc import Sequence

from pace.errors import HistoryError

Step = tuple[str, ...]

# Each step leads from the version before it to its own; a step that was published never changes.
STEPS: tuple[Step, ...] = (
    (
        # A number is never used again, also after the newest row was deleted. `indexed_by` says by
        # which rules the row's words were made (words.py).
        """CREATE TABLE turns (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            turn_id TEXT NOT NULL UNIQUE,
            thread_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            source TEXT NOT NULL,
            planner TEXT NOT NULL,
            model TEXT NOT NULL,
            said_at TEXT NOT NULL,
            said_seconds REAL NOT NULL,
            status TEXT NOT NULL,
            indexed_by TEXT NOT NULL,
            user_text TEXT NOT NULL,
            reply_text TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX turns_of_session ON turns (session_id, number)",
        "CREATE INDEX turns_by_time ON turns (said_seconds, session_id)",
        """CREATE TABLE sessions (
            session_id TEXT PRIMARY KEY,
            thread_id TEXT NOT NULL,
            last_number INTEGER NOT NULL,
            name TEXT,
            ended_at TEXT,
            cause TEXT
        ) STRICT""",
        "CREATE INDEX sessions_by_last ON sessions (last_number)",
        # What was begun and has to be finished, by whoever opens the file next.
        "CREATE TABLE chores (name TEXT PRIMARY KEY) STRICT",
        # Without content of its own: the words stand in `turns` and nowhere else. It is given words
        # that are words already, parted by spaces, so that its tokenizer has nothing to decide.
        """CREATE VIRTUAL TABLE words USING fts5(
            said, reply, content='', prefix='2 3', tokenize='ascii'
        )""",
        # Merged in fewer steps: the slowest of a hundred appends then takes a quarter of the time
        # (ADR 10).
        "INSERT INTO words (words, rank) VALUES ('automerge', 8)",
    ),
)


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Bring a file to the newest version, whole or not at all.

    Raises HistoryError for a file of a newer Pace, which stays as it is.
    """
    if _version(connection) == len(steps):
        return
    with connection:
        # Whoever else migrates is waited for, and has then done it.
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)
        if version > len(steps):
            raise HistoryError(
                "The history was written by a newer version of Pace. Use that one, or set "
                "PACE_HOME to another folder."
            )
        for step in steps[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(steps)}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
