"""The journal's tables, and the steps by which an older file becomes a newer one."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

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


APPLICATION = 0x50614365
"""By which a file says that it is a journal, in its head: `PaCe`."""

_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"turns", "sessions", "words", "chores"})
# A version that is further ahead than this was not written by a newer Pace.
_FURTHEST = 1000
# The version of files that do not say yet that they are journals.
_UNNAMED = 1


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Bring a file to the newest version, whole or not at all.

    Raises HistoryError for a file of a newer Pace or another program, which stays as it is, and
    sqlite3.DatabaseError for a journal that is damaged.
    """
    if _head(connection) == (len(steps), APPLICATION):
        return
    with connection:
        # Whoever else migrates is waited for, and has then done it.
        connection.execute("BEGIN IMMEDIATE")
        version = check(connection, steps)
        for step in steps[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")


def check(connection: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> int:
    """The version of a file, which is 0 if nothing is in it; raises as `migrate` does."""
    version, application = _head(connection)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if application != APPLICATION and version == 0 and not names:
        return 0
    is_known = application == APPLICATION or names >= _TABLES
    if not is_known and not 0 < version <= len(steps):
        raise HistoryError(
            f"The history cannot be kept in {_where(connection)}: it is a database of another "
            "program. Move it away, or set PACE_HOME to another folder."
        )
    if len(steps) < version < len(steps) + _FURTHEST:
        raise HistoryError(
            "The history was written by a newer version of Pace. Use that one, or set "
            "PACE_HOME to another folder."
        )
    if not 0 < version <= len(steps) or not names >= _TABLES:
        raise BrokenSchemaError("the file's head or its tables are not what was written")
    return version


class BrokenSchemaError(sqlite3.DatabaseError):
    """What SQLite has no eye for: it is a journal, and its head or its tables were changed."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def is_as_made(connection: sqlite3.Connection) -> bool:
    """Whether the tables and indexes of a file of the newest version are those of the steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh)
        return _made(fresh) == _made(connection)


def is_ours(head: bytes) -> bool:
    """Whether the first hundred bytes of a database file are those of a journal."""
    if not head.startswith(_MAGIC):
        return False
    version, application = (int.from_bytes(head[at : at + 4], "big") for at in (60, 68))
    return application == APPLICATION or (application == 0 and version == _UNNAMED)


def _made(connection: sqlite3.Connection) -> set[tuple[object, ...]]:
    """Tables and indexes as they were asked for, without those that the word index makes."""
    return set(
        connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master "
            "WHERE substr(name, 1, 6) <> 'words_' AND sql IS NOT NULL AND name <> 'sqlite_sequence'"
        )
    )


def _where(connection: sqlite3.Connection) -> str:
    _, _, path = connection.execute("PRAGMA database_list").fetchone()
    return str(path)


def _head(connection: sqlite3.Connection) -> tuple[int, int]:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(version), int(application)
