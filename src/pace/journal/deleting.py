"""Deletes turns so that no byte of them is left: in rows, index, free pages or write-ahead log.

The index has to be told what words a row was indexed by. A row that was indexed by other rules than
ours cannot be told that way, so the whole index is made anew then.
"""

import sqlite3
import time
from contextlib import suppress

from pace.journal.faults import BUSY, NO_ROOM, code_of
from pace.journal.rows import index, transaction
from pace.journal.stand_ins import text_of
from pace.journal.words import INDEXED_BY, indexed

_PURGE = "purge"
# How long to wait before a checkpoint is tried again, in seconds: others' are over in less.
_LOOK_AGAIN = 0.02


def delete(connection: sqlite3.Connection, chosen: str, parameters: tuple[object, ...]) -> int:
    """Delete the turns that a condition of ours chooses; gives how many they were.

    What they leave in free pages and in the write-ahead log is gone only after `purge`.
    """
    try:
        return _delete_rows(connection, chosen, parameters)
    except sqlite3.OperationalError as error:
        if code_of(error) != sqlite3.SQLITE_FULL:
            raise
    # What was written ahead, and is in the file by now, takes the room that is needed.
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return _delete_rows(connection, chosen, parameters)


def _delete_rows(
    connection: sqlite3.Connection, chosen: str, parameters: tuple[object, ...]
) -> int:
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
        _tidy_sessions(connection)
    return int(count)


def purge(connection: sqlite3.Connection) -> bool:
    """Have no byte of deleted rows be left; harmless when there is nothing to do.

    False if another process reads them for longer than the connection's patience, or there is no
    room on the disk to do all of it; whoever opens the file next tries again.
    """
    if not _is_due(connection):
        return True
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    until = time.monotonic() + patience / 1000
    rewrites = [
        # Merged into one, the index holds no word any more that no row holds.
        "INSERT INTO words (words) VALUES ('optimize')",
        "VACUUM",
    ]
    while True:
        try:
            while rewrites:
                connection.execute(rewrites[0])
                del rewrites[0]
            if _cut_log(connection):
                connection.execute("DELETE FROM chores WHERE name = ?", (_PURGE,))
                return True
        except sqlite3.OperationalError as error:
            if code_of(error) in NO_ROOM:
                with suppress(sqlite3.OperationalError):
                    _cut_log(connection)
                return False
            if code_of(error) not in BUSY:
                raise
        if time.monotonic() >= until:
            return False
        time.sleep(_LOOK_AGAIN)


def _cut_log(connection: sqlite3.Connection) -> bool:
    """Have nothing be left that was written ahead; False while somebody is in the way."""
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
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
        ((number, indexed(text_of(said)), indexed(text_of(reply))) for number, said, reply in rows),
    )


def _index_anew(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    rows = connection.execute("SELECT number, user_text, reply_text FROM turns")
    for number, said, reply in rows:
        index(connection, number, text_of(said), text_of(reply))
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
