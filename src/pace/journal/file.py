"""The journal's database file: opened when needed, private to its person, shared by processes.

Everything here blocks; shared.py runs it in a thread of its own.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from pace.errors import HistoryError
from pace.journal.schema import migrate

Result = TypeVar("Result")

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite puts beside a database file, by the ending of its name."""

PATIENCE = timedelta(seconds=10)
"""How long another process's transaction is waited for."""

_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it may only be read",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it is not allowed",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_BUSY: "another program holds it",
    sqlite3.SQLITE_LOCKED: "another program holds it",
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FOR_ITS_PERSON, _FOR_OTHERS = 0o600, 0o077


class BrokenFileError(HistoryError):
    """The file is damaged, and has to be mended before anything else."""


class JournalFile:
    """One connection to the journal.

    Only one process at a time may open the file or put another in its place, which is for the
    caller to see to; any number may use it.
    """

    def __init__(self, path: Path, *, patience: timedelta = PATIENCE) -> None:
        self.path = path
        self._patience = patience
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self.path.exists() or mended_name(self.path).exists()

    def is_open(self) -> bool:
        """Whether the file that is open is the one that has its name now."""
        return self._connection is not None and self._opened == _identity(self.path)

    def open(self) -> None:
        """Open the file, which is made if there is none.

        Raises BrokenFileError for a damaged file, HistoryError for whatever else is in the way.
        """
        self.close()
        try:
            self._make_private()
            connection = connect(self.path, patience=self._patience)
            try:
                migrate(connection)
            except BaseException:
                connection.close()
                raise
            self._connection, self._opened = connection, _identity(self.path)
        except sqlite3.Error as error:
            raise self._told(error) from error
        except OSError as error:
            raise unusable(self.path, error) from error

    def use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the open file; raises as `open` does."""
        assert self._connection is not None, "the file is not open"  # noqa: S101  # shared.py does
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            raise self._told(error) from error

    def close(self) -> None:
        """Let go of the file; harmless when repeated."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _make_private(self) -> None:
        """Have the file be its person's alone; what SQLite puts beside it takes after it.

        A file that is there is not opened for this: closing it again would undo SQLite's locks.
        """
        new = mended_name(self.path)
        if new.exists() and not self.path.exists():
            # Whoever mended it was killed before the last step.
            new.rename(self.path)
        try:
            found = self.path.stat()
        except FileNotFoundError:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FOR_ITS_PERSON))
            return
        if found.st_size == 0 and _size(beside(self.path, "-wal")):
            # SQLite would take the file for a new one, and remove what was written ahead.
            raise BrokenFileError(f"The history at {self.path} is damaged.")
        if found.st_mode & _FOR_OTHERS:
            with suppress(OSError):
                self.path.chmod(_FOR_ITS_PERSON)

    def _told(self, error: sqlite3.Error) -> HistoryError:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in _BUSY:
            self.close()
        if code in _BROKEN:
            return BrokenFileError(f"The history at {self.path} is damaged.")
        reason = _REASONS.get(code, "the database refuses")
        return HistoryError(
            f"The history at {self.path} cannot be used: {reason}. Check its folder and the room "
            "on its disk."
        )


def connect(path: Path, *, patience: timedelta = PATIENCE) -> sqlite3.Connection:
    """A connection with everything set that a journal needs. Raises sqlite3.Error.

    Deleted rows are overwritten, and nothing is sorted in files elsewhere.
    """
    connection = sqlite3.connect(
        path, timeout=patience.total_seconds(), isolation_level=None, check_same_thread=False
    )
    connection.text_factory = _decoded
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


def _decoded(stored: bytes) -> str:
    """A text; a character of which a damaged file holds a part is a sign in it, and no fault."""
    return stored.decode("utf-8", "replace")


def unusable(path: Path, error: OSError) -> HistoryError:
    """What is said when the file's folder is in the way."""
    return HistoryError(
        f"The history at {path} cannot be used ({error.strerror}). Check who owns its folder, and "
        "the room on its disk."
    )


def beside(path: Path, ending: str) -> Path:
    """A file that stands beside the journal."""
    return path.with_name(path.name + ending)


def mended_name(path: Path) -> Path:
    """What a mended file is called until it takes the damaged one's place.

    Where it stands alone, it is whole and was to take that place.
    """
    return beside(path, ".mended")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
