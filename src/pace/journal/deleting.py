"""Deletes turns so that no byte of them is left: in rows, index, free pages or write-ahead log.

The index has to be told what words a row was indexed by. A row that was indexed by other rules than
ours cannot be told that way, so the whole index is made anew then.
"""

import sqlite3
from contextlib import suppress

from pace.journal.rows import index, transaction
from pace.journal.words import INDEXED_BY, indexed

_PURGE = "purge"


def delete(connection: sqlite3.Connection, chosen: str, parameters: tuple[object, ...]) -> int:
    """Delete the turns that a condition of ours chooses; gives how many they were.

    What they leave in free pages and in the write-ahead log is gone only after `purge`.
    """
    with transaction(connection):
        count, ours = connection.execute(
            f"SELECT count(*), coalesce(sum(indexed_by = ?), 0) FROM turns WHERE {chosen}",  # noqa: S608
            (INDEXED_BY, *parameters),
        ).fetchone()
        if not count:
            return 0
        connection.execute("INSERT OR IGNORE INTO chores (name) VALUES (?)", (_PURGE,))
        (held,) = connection.execute("SELECT count(*) FROM turns").fetchone()
        if count == ours and count <= held - count:
            _delete_words(connection, chosen, parameters)
            connection.execute(f"DELETE FROM turns WHERE {chosen}", parameters)  # noqa: S608
        else:
            connection.execute(f"DELETE FROM turns WHERE {chosen}", parameters)  # noqa: S608
            _index_anew(connection)
        # Merged into one, the index holds no word any more that no row holds.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        _tidy_sessions(connection)
    return int(count)


def purge(connection: sqlite3.Connection) -> bool:
    """Have no byte of deleted rows be left; harmless when there is nothing to do.

    False while another process reads them still, or there is no room on the disk to do it; whoever
    opens the file next tries again.
    """
    if not _is_due(connection):
        return True
    try:
        connection.execute("VACUUM")
        is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not is_busy:
            connection.execute("DELETE FROM chores WHERE name = ?", (_PURGE,))
    except sqlite3.OperationalError:
        return False
    return not is_busy


def finish_deleting(connection: sqlite3.Connection) -> None:
    """Purge what another process deleted and could not purge; it does not wait for anybody."""
    if not _is_due(connection):
        return
    (limit,) = connection.execute("PRAGMA busy_timeout").fetchone()
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA busy_timeout = 0")
        purge(connection)
    connection.execute(f"PRAGMA busy_timeout = {limit}")


def _is_due(connection: sqlite3.Connection) -> bool:
    (due,) = connection.execute("SELECT count(*) FROM chores WHERE name = ?", (_PURGE,)).fetchone()
    return bool(due)


def _delete_words(
    connection: sqlite3.Connection, chosen: str, parameters: tuple[object, ...]
) -> None:
    rows = connection.execute(
        f"SELECT number, user_text, reply_text FROM turns WHERE {chosen}",  # noqa: S608
        parameters,
    )
    connection.executemany(
        "INSERT INTO words (words, rowid, said, reply) VALUES ('delete', ?, ?, ?)",
        ((number, indexed(said), indexed(reply)) for number, said, reply in rows),
    )


def _index_anew(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for row in connection.execute("SELECT number, user_text, reply_text FROM turns"):
        index(connection, *row)
    connection.execute(
        "UPDATE turns SET indexed_by = ? WHERE indexed_by <> ?", (INDEXED_BY, INDEXED_BY)
    )


def _tidy_sessions(connection: sqlite3.Connection) -> None:
    """A session without turns goes, with its name; the others know their newest turn."""
    connection.execute(
        "DELETE FROM sessions WHERE NOT EXISTS "
        "(SELECT 1 FROM turns WHERE turns.session_id = sessions.session_id)"
    )
    connection.execute(
        "UPDATE sessions SET last_number = "
        "(SELECT max(number) FROM turns WHERE turns.session_id = sessions.session_id) "
        "WHERE last_number NOT IN (SELECT number FROM turns)"
    )
