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
from pace.journal.faults import BUSY, NOT_WRITABLE, ODD, broken, code_of, told, unusable
from pace.journal.log import has_foreign_log
from pace.journal.names import beside, mended_name
from pace.journal.schema import check, migrate

Result = TypeVar("Result")

PATIENCE = timedelta(seconds=10)
"""How long another process's transaction is waited for."""

_FOR_ITS_PERSON, _FOR_OTHERS = 0o600, 0o077


class JournalFile:
    """One connection to the journal.

    Only one process at a time may open the file or put another in its place, which is for the
    caller to see to; any number may use it. `is_read_only` says that nothing can be written;
    `skips_log`, that the newest turns are not seen then.
    """

    def __init__(self, path: Path, *, patience: timedelta = PATIENCE) -> None:
        self.path = path
        self._patience = patience
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self.is_read_only = self.skips_log = False

    def exists(self) -> bool:
        """Whether anything was ever written, or something else is in its place."""
        try:
            self.path.lstat()
        except FileNotFoundError:
            folder = self.path.parent
            return mended_name(self.path).exists() or (folder.is_symlink() and not folder.exists())
        except OSError:
            return True
        return True

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
        except OSError as error:
            raise unusable(self.path, error) from error
        except sqlite3.Error as error:
            if code_of(error) in NOT_WRITABLE and self.open_to_read():
                return
            raise told(self.path, error) from error
        except ODD as error:
            raise told(self.path, error) from error

    def open_to_read(self) -> bool:
        """Open the file where nothing can be written, and nothing is; False if there is none.

        It is looked at as it stands: nobody else can change it there, either.
        """
        self.close()
        for how in ("mode=ro", "mode=ro&immutable=1"):
            try:
                address = f"{self.path.absolute().as_uri()}?{how}"
                connection = _connected(address, self._patience, uri=True)
            except sqlite3.Error:
                continue
            try:
                if check(connection) == 0:
                    raise sqlite3.OperationalError("nothing is in it")  # noqa: TRY301
            except sqlite3.OperationalError:
                connection.close()
                continue
            except sqlite3.Error as error:
                connection.close()
                raise told(self.path, error) from error
            except BaseException:
                connection.close()
                raise
            self._connection, self._opened = connection, _identity(self.path)
            self.is_read_only = True
            self.skips_log = "immutable" in how and _size(beside(self.path, "-wal")) > 0
            return True
        return False

    def use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the open file; raises as `open` does."""
        assert self._connection is not None, "the file is not open"  # noqa: S101  # shared.py does
        try:
            return work(self._connection)
        except sqlite3.Error as error:
            if code_of(error) not in BUSY:
                self.close()
            raise told(self.path, error) from error
        except ODD as error:
            raise told(self.path, error) from error

    def close(self) -> None:
        """Let go of the file; harmless when repeated."""
        connection, self._connection = self._connection, None
        self.is_read_only = self.skips_log = False
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
            if self.path.is_symlink():
                raise HistoryError(
                    f"The history at {self.path} is a link to nothing. Remove the link, or bring "
                    "back what it leads to."
                ) from None
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FOR_ITS_PERSON))
            return
        if found.st_size == 0 and _size(beside(self.path, "-wal")):
            # SQLite would take the file for a new one, and remove what was written ahead.
            raise broken(self.path)
        if has_foreign_log(self.path):
            raise broken(self.path)
        if found.st_mode & _FOR_OTHERS:
            with suppress(OSError):
                self.path.chmod(_FOR_ITS_PERSON)


def connect(path: Path, *, patience: timedelta = PATIENCE) -> sqlite3.Connection:
    """A connection with everything set that a journal needs. Raises sqlite3.Error.

    Deleted rows are overwritten, and nothing is sorted in files elsewhere.
    """
    connection = _connected(path, patience)
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


def _connected(where: Path | str, patience: timedelta, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        where,
        timeout=patience.total_seconds(),
        isolation_level=None,
        check_same_thread=False,
        uri=uri,
    )
    connection.text_factory = decoded
    return connection


def decoded(stored: bytes) -> str:
    """A text; a character of which a damaged file holds a part is a sign in it, and no fault."""
    return stored.decode("utf-8", "replace")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
