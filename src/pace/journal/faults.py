"""What is said of a journal's file that cannot be used, and when it counts as damaged.

A fault that damage may have caused, or a mistake of ours, is told apart by looking at the file.
"""

import errno
import sqlite3
from pathlib import Path

from pace.errors import HistoryError

_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it may only be read",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "it is not allowed",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_BUSY: "another program holds it",
    sqlite3.SQLITE_LOCKED: "another program holds it",
}
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
NO_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
NOT_WRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FORBIDDEN = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

ODD = (ValueError, TypeError, OverflowError)
"""What SQLite's driver raises besides its own errors, where it meets what it did not write."""


class BrokenFileError(HistoryError):
    """The file is damaged, and has to be mended before anything else."""


class SuspectFileError(BrokenFileError):
    """The file may be damaged; `otherwise` is what happened if it turns out to be whole."""

    def __init__(self, message: str, otherwise: Exception) -> None:
        super().__init__(message)
        self.otherwise = otherwise


class ReadOnlyError(HistoryError):
    """Nothing can be written where the file is; it may still be read."""


class FullDiskError(HistoryError):
    """There is no room for what was to be written."""


def broken(path: Path) -> BrokenFileError:
    """The file is damaged for sure."""
    return BrokenFileError(_damaged(path))


def told(path: Path, error: Exception) -> HistoryError:
    """What an operation's fault means for its caller."""
    if not isinstance(error, sqlite3.Error):
        return SuspectFileError(_damaged(path), error)
    code = code_of(error)
    if code in _BROKEN:
        return broken(path)
    kind = FullDiskError if code == sqlite3.SQLITE_FULL else HistoryError
    reason = _REASONS.get(code, "the database refuses")
    fault = kind(
        f"The history at {path} cannot be used: {reason}. Check its folder and the room on its "
        "disk."
    )
    return fault if code in _REASONS else SuspectFileError(_damaged(path), fault)


def unusable(path: Path, error: OSError) -> HistoryError:
    """What is said when the file's folder is in the way."""
    kind = ReadOnlyError if error.errno in _FORBIDDEN else HistoryError
    return kind(
        f"The history at {path} cannot be used ({error.strerror}). Check who owns its folder, and "
        "the room on its disk."
    )


def code_of(error: sqlite3.Error) -> int:
    """Which kind of fault SQLite reports, without its finer parts."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _damaged(path: Path) -> str:
    return f"The history at {path} is damaged."
