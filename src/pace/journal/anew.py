"""Deletes everything where a disk has no room for deleting row by row: the file itself goes."""

import sqlite3
from contextlib import suppress

from pace.errors import HistoryError
from pace.journal.file import JournalFile
from pace.journal.names import mended_name, remove


def begin_anew(file: JournalFile) -> None:
    """Remove the file, and begin another that goes on with its numbers, if there is room for one.

    Others that have it open see that its name has another file now. Raises OSError.
    """
    highest = 0
    with suppress(HistoryError):
        file.open()
        highest = file.use(_highest)
    file.close()
    remove(mended_name(file.path))
    remove(file.path)
    with suppress(HistoryError):
        file.open()
        file.use(lambda connection: _go_on_after(connection, highest))


def _highest(connection: sqlite3.Connection) -> int:
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'").fetchone()
    return 0 if found is None else int(found[0])


def _go_on_after(connection: sqlite3.Connection, highest: int) -> None:
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('turns', ?)", (highest,))
