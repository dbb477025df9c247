"""The journal's tables, and the steps by which an older file becomes a newer one."""

import sqlite3

from pace.errors import HistoryError

# Each step leads from the version before it to its own; a step that was published never changes.
_STEPS: tuple[tuple[str, ...], ...] = (
    (
        # A number is never used again, also after the newest row was deleted.
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
            user_text TEXT NOT NULL,
            reply_text TEXT NOT NULL
        ) STRICT""",
        "CREATE INDEX turns_of_session ON turns (session_id, number)",
        "CREATE INDEX turns_by_time ON turns (said_seconds)",
        """CREATE TABLE sessions (
            session_id TEXT PRIMARY KEY,
            thread_id TEXT NOT NULL,
            last_number INTEGER NOT NULL,
            name TEXT,
            ended_at TEXT,
            cause TEXT
        ) STRICT""",
        "CREATE INDEX sessions_by_last ON sessions (last_number)",
        # Without content of its own: the words stand in `turns` and nowhere else. What a row was
        # indexed by is made anew from the row when it goes (words.py).
        """CREATE VIRTUAL TABLE words USING fts5(
            said, reply, content='', prefix='2 3',
            tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
        )""",
    ),
)
NEWEST = len(_STEPS)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest version, whole or not at all.

    Raises HistoryError for a file of a newer Pace, which stays as it is.
    """
    if _version(connection) == NEWEST:
        return
    with connection:
        # Whoever else migrates is waited for, and has then done it.
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)
        if version > NEWEST:
            raise HistoryError(
                "The history was written by a newer version of Pace. Use that one, or set "
                "PACE_HOME to another folder."
            )
        for step in _STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {NEWEST}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
