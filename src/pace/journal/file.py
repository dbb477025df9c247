"""The journal's database file: opened when needed, private to its person, shared by processes.

Everything here blocks; history.py runs it in a thread of its own.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pace.errors import HistoryError
from pace.journal.schema import migrate

Result = TypeVar("Result")

# How long another process's transaction is waited for, in milliseconds.
_BUSY_LIMIT = 10_000
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it may only be read",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it is not allowed",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_BUSY: "another program holds it",
    sqlite3.SQLITE_LOCKED: "another program holds it",
}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FOR_ITS_PERSON, _FOR_OTHERS = 0o600, 0o077


class BrokenFileError(HistoryError):
    """The file is damaged, and has to be mended before anything else."""


class JournalFile:
    """One connection to the journal, made anew when another process put a new file in its place.

    Deleted rows are overwritten, and nothing is sorted in files elsewhere.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self.path.exists()

    def use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the open file, which is made if there is none.

        Raises BrokenFileError for a damaged file, HistoryError for whatever else is in the way.
        """
        try:
            return work(self._open())
        except sqlite3.Error as error:
            raise self._told(error) from error
        except OSError as error:
            raise HistoryError(
                f"The history at {self.path} cannot be used ({error.strerror}). Check who owns its "
                "folder."
            ) from error

    def close(self) -> None:
        """Let go of the file; harmless when repeated."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._opened == _identity(self.path):
            return self._connection
        self.close()
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(self.path)
        connection = connect(self.path)
        try:
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._opened = connection, _identity(self.path)
        return connection

    def _told(self, error: sqlite3.Error) -> HistoryError:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _BROKEN:
            self.close()
            return BrokenFileError(f"The history at {self.path} is damaged.")
        reason = _REASONS.get(code, "the database refuses")
        return HistoryError(
            f"The history at {self.path} cannot be used: {reason}. Check its folder and the room "
            "on its disk."
        )


def connect(path: Path) -> sqlite3.Connection:
    """A connection with everything set that a journal needs. Raises sqlite3.Error."""
    connection = sqlite3.connect(
        path, timeout=_BUSY_LIMIT / 1000, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # Every acknowledged turn is on the disk, also if the machine loses its power.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _make_private(path: Path) -> None:
    """Have the file be its person's alone; what SQLite puts beside it takes after it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, _FOR_ITS_PERSON)
    try:
        if os.fstat(descriptor).st_mode & _FOR_OTHERS:
            with suppress(OSError):
                path.chmod(_FOR_ITS_PERSON)
    finally:
        os.close(descriptor)
