"""What to do with a damaged journal: read what can be read, and keep the damaged file aside."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pace.errors import HistoryError
from pace.journal.file import BrokenFileError, JournalFile, connect
from pace.journal.rows import Entry, entry_of, insert, transaction
from pace.journal.schema import migrate

_MOST_ASIDE = 1000
_BESIDE = ("", "-wal", "-shm")
_COLUMNS = (
    "number, turn_id, thread_id, session_id, source, planner, model, said_at, status, "
    "user_text, reply_text"
)


@dataclass(frozen=True, slots=True)
class Mended:
    """A damaged file was kept as `aside`, and `turns` of it stand in the new one."""

    aside: Path
    turns: int


def is_broken(file: JournalFile) -> bool:
    """Whether the file is still damaged; another process may have mended it meanwhile."""
    try:
        return file.use(_has_damage)
    except BrokenFileError:
        return True


def mend(path: Path) -> Mended:
    """Put a new file in the place of a damaged one, with all that can be read of it.

    The damaged one stays where it is until the new one is whole. Raises HistoryError if neither
    can be done.
    """
    new = path.with_name(f"{path.name}.mended")
    try:
        _remove(new)
        turns = _copy_readable(path, new)
        aside = _free_name(path)
        for suffix in _BESIDE:
            with suppress(FileNotFoundError):
                _beside(path, suffix).rename(_beside(aside, suffix))
        new.rename(path)
    except (OSError, sqlite3.Error) as error:
        raise HistoryError(
            f"The history at {path} is damaged and cannot be mended. Move the file away; a new one "
            "is begun then."
        ) from error
    return Mended(aside, turns)


def _has_damage(connection: sqlite3.Connection) -> bool:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return bool(verdict != "ok")


def _copy_readable(path: Path, new: Path) -> int:
    os.close(os.open(new, os.O_RDWR | os.O_CREAT, 0o600))
    turns = 0
    with closing(connect(new)) as target:
        migrate(target)
        with transaction(target):
            for entry in _readable(path):
                insert(target, entry.turn, entry.number)
                turns += 1
            for line in _session_lines(path):
                target.execute(
                    "UPDATE sessions SET name = ?, ended_at = ?, cause = ? WHERE session_id = ?",
                    line,
                )
        # Its write-ahead log goes with the connection, so that one file is all there is to rename.
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        target.execute("PRAGMA journal_mode = DELETE")
    return turns


def _readable(path: Path) -> Iterator[Entry]:
    """Every entry that can be read, each once: from the front, from the back, then one by one."""
    try:
        source = sqlite3.connect(path)
    except sqlite3.Error:
        return
    with closing(source):
        seen: dict[int, None] = {}
        for order in ("ASC", "DESC"):
            yield from _scan(source, f"ORDER BY number {order}", seen)
        low, high = min(seen, default=0), max(seen, default=0)
        for number in range(low, high):
            if number not in seen:
                yield from _scan(source, f"WHERE number = {number}", seen)


def _scan(source: sqlite3.Connection, which: str, seen: dict[int, None]) -> Iterator[Entry]:
    """Entries until the damage; those that were seen before are left out."""
    with suppress(sqlite3.Error):
        for row in source.execute(f"SELECT {_COLUMNS} FROM turns {which}"):  # noqa: S608
            with suppress(ValueError, TypeError):
                entry = entry_of(row)
                if entry.number not in seen:
                    seen[entry.number] = None
                    yield entry


def _session_lines(path: Path) -> Iterator[tuple[object, ...]]:
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as source:
        yield from source.execute("SELECT name, ended_at, cause, session_id FROM sessions")


def _free_name(path: Path) -> Path:
    for number in range(1, _MOST_ASIDE):
        aside = path.with_name(f"{path.name}.broken-{number}")
        if not aside.exists():
            return aside
    raise FileExistsError(f"{path.name} was damaged too often")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _remove(path: Path) -> None:
    for suffix in _BESIDE:
        _beside(path, suffix).unlink(missing_ok=True)
