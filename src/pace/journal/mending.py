"""What to do with a damaged journal: read what can be read, and keep the damaged file aside."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pace.errors import HistoryError
from pace.journal.file import (
    BESIDE,
    BrokenFileError,
    JournalFile,
    beside,
    connect,
    mended_name,
)
from pace.journal.rows import TURN, Entry, entry_of, insert, transaction
from pace.journal.schema import migrate

_ASIDE = ".broken-"
_MOST_ASIDE = 1000
# Between what could be read from the front and from the back, so many are asked for one by one.
_MOST_SINGLE = 1_000_000


@dataclass(frozen=True, slots=True)
class Mended:
    """A damaged file was kept as `aside`, and `turns` of it stand in the new one."""

    aside: Path
    turns: int


def is_broken(file: JournalFile) -> bool:
    """Whether the file is still damaged; another process may have mended it meanwhile."""
    try:
        file.open()
        return file.use(_has_damage)
    except BrokenFileError:
        return True


def mend(path: Path) -> Mended:
    """Put a new file in the place of a damaged one, with all that can be read of it.

    The damaged one stays where it is until the new one is whole, and nobody can write to it
    meanwhile. Raises HistoryError if it cannot be done.
    """
    new = mended_name(path)
    try:
        _remove(new)
        with closing(_held(path)) as damaged:
            turns = _copy_readable(damaged, new)
            aside = _free_name(path)
            for ending in ("", *BESIDE):
                with suppress(FileNotFoundError):
                    beside(path, ending).rename(beside(aside, ending))
            new.rename(path)
    except (OSError, sqlite3.Error) as error:
        raise HistoryError(
            f"The history at {path} is damaged and cannot be mended. Move the file away; a new one "
            "is begun then."
        ) from error
    return Mended(aside, turns)


def kept_aside(path: Path) -> list[Path]:
    """The damaged files that were kept, without what SQLite put beside them."""
    return sorted(
        found
        for found in path.parent.glob(f"{path.name}{_ASIDE}*")
        if found.name.removeprefix(f"{path.name}{_ASIDE}").isdecimal()
    )


def remove_aside(aside: Path) -> None:
    """Remove a file that was kept, and what stands beside it. Raises OSError."""
    _remove(aside)


def _has_damage(connection: sqlite3.Connection) -> bool:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        return True
    # This raises for a damaged index; the check above knows nothing of that.
    connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    return False


def _held(path: Path) -> sqlite3.Connection:
    """The damaged file, open for reading as far as that goes; others wait if they want to write."""
    if not path.stat().st_size:
        # SQLite would remove what was written ahead of an empty file.
        return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    source = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    source.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        # So that a file is read whose end is missing.
        source.execute("PRAGMA writable_schema = ON")
        source.execute("BEGIN IMMEDIATE")
    except sqlite3.DatabaseError as error:
        # What is damaged so much that it cannot be held can be written by nobody else, either.
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            source.close()
            raise
    return source


def _copy_readable(damaged: sqlite3.Connection, new: Path) -> int:
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    turns = 0
    with closing(connect(new)) as target:
        migrate(target)
        with transaction(target):
            for entry in _readable(damaged):
                with suppress(sqlite3.IntegrityError):
                    insert(target, entry.turn, entry.number)
                    turns += 1
            _copy_session_lines(damaged, target)
            _copy_highest_number(damaged, target)
        # Its write-ahead log goes with the connection, so that one file is all there is to rename.
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        target.execute("PRAGMA journal_mode = DELETE")
    return turns


def _readable(damaged: sqlite3.Connection) -> Iterator[Entry]:
    """Every entry that can be read, each once: from the front, from the back, then one by one."""
    seen: set[int] = set()
    for order in ("ASC", "DESC"):
        yield from _scan(damaged, f"ORDER BY number {order}", seen)
    highest = max(seen, default=0)
    for number in range(1, min(highest, _MOST_SINGLE)):
        if number not in seen:
            yield from _scan(damaged, f"WHERE number = {number}", seen)


def _scan(damaged: sqlite3.Connection, which: str, seen: set[int]) -> Iterator[Entry]:
    """Entries until the damage; those that were seen before are left out."""
    with suppress(sqlite3.Error):
        for row in damaged.execute(f"SELECT number, {TURN} FROM turns {which}"):  # noqa: S608
            if row[0] in seen:
                continue
            with suppress(ValueError, TypeError):
                entry = entry_of(row)
                seen.add(entry.number)
                yield entry


def _copy_session_lines(damaged: sqlite3.Connection, target: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        for line in damaged.execute("SELECT name, ended_at, cause, session_id FROM sessions"):
            target.execute(
                "UPDATE sessions SET name = ?, ended_at = ?, cause = ? WHERE session_id = ?", line
            )


def _copy_highest_number(damaged: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Numbers are not used again, also those of rows that nobody can read any more."""
    with suppress(sqlite3.Error):
        for (number,) in damaged.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'"):
            target.execute(
                "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'turns'", (number,)
            )


def _free_name(path: Path) -> Path:
    for number in range(1, _MOST_ASIDE):
        aside = beside(path, f"{_ASIDE}{number}")
        if not aside.exists():
            return aside
    raise FileExistsError(f"{path.name} was damaged too often")


def _remove(path: Path) -> None:
    for ending in ("", *BESIDE):
        beside(path, ending).unlink(missing_ok=True)
