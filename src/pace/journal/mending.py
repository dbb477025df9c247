"""What to do with a damaged journal: read what can be read, and keep the damaged file aside."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from pace.errors import HistoryError
from pace.journal.aside import free_name
from pace.journal.faults import BUSY, ODD, BrokenFileError, code_of
from pace.journal.file import JournalFile, connect, decoded
from pace.journal.log import has_foreign_log
from pace.journal.names import BESIDE, beside, mended_name, remove
from pace.journal.raw_pages import RawPages, Value
from pace.journal.rows import ROW, Entry, entry_of, insert, transaction
from pace.journal.schema import is_as_made, migrate

# Between what could be read from the front and from the back, so many are asked for one by one.
_MOST_SINGLE = 1_000_000
_TURN_COLUMNS = 13
# A number beyond this is damage: no one says so much.
_HIGHEST_LIKELY = 2**32


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
    try:
        return _without_log(path) if has_foreign_log(path) else _replaced(path)
    except (OSError, sqlite3.Error, *ODD) as error:
        raise HistoryError(
            f"The history at {path} is damaged and cannot be mended. Move the file away; a new one "
            "is begun then."
        ) from error


def _without_log(path: Path) -> Mended:
    """The file is whole, if another one's log is not read into it."""
    aside = free_name(path)
    beside(path, "-wal").rename(aside)
    with closing(connect(path)) as connection, suppress(sqlite3.Error):
        (turns,) = connection.execute("SELECT count(*) FROM turns").fetchone()
        return Mended(aside, int(turns))
    return Mended(aside, 0)


def _replaced(path: Path) -> Mended:
    new = mended_name(path)
    remove(new)
    with RawPages(path) as raw, closing(_held(path)) as damaged:
        turns = _copy_readable(damaged, raw, new)
        aside = free_name(path)
        for ending in ("", *BESIDE):
            with suppress(FileNotFoundError):
                beside(path, ending).rename(beside(aside, ending))
        new.rename(path)
    return Mended(aside, turns)


def _has_damage(connection: sqlite3.Connection) -> bool:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok" or not is_as_made(connection):
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
    source.text_factory = decoded
    try:
        # So that a file is read whose end is missing.
        source.execute("PRAGMA writable_schema = ON")
        source.execute("BEGIN IMMEDIATE")
    except (sqlite3.DatabaseError, *ODD) as error:
        # What is damaged so much that it cannot be held can be written by nobody else, either.
        if isinstance(error, sqlite3.Error) and code_of(error) in BUSY:
            source.close()
            raise
    return source


def _copy_readable(damaged: sqlite3.Connection, raw: RawPages, new: Path) -> int:
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    turns = 0
    with closing(connect(new)) as target:
        migrate(target)
        with transaction(target):
            for entry in _readable(damaged, raw):
                with suppress(sqlite3.IntegrityError):
                    insert(target, entry.turn, entry.number)
                    turns += 1
            _copy_what_is_known(damaged, raw, target)
        # Its write-ahead log goes with the connection, so that one file is all there is to rename.
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        target.execute("PRAGMA journal_mode = DELETE")
    return turns


def _readable(damaged: sqlite3.Connection, raw: RawPages) -> Iterator[Entry]:
    """Every entry that can be read, each once.

    From the front, from the back, from pages that nothing leads to any more, then one by one.
    """
    seen: set[int] = set()
    for order in ("ASC", "DESC"):
        yield from _scan(damaged, f"ORDER BY number {order}", seen)
    for number, values in raw.rows():
        if number not in seen and len(values) >= _TURN_COLUMNS and values[0] is None:
            row = (number, *values[1:8], values[9], *values[11:13], values[8])
            if _is_turn(row):
                seen.add(number)
                yield entry_of(row)
    highest = max(seen, default=0)
    for number in range(1, min(highest, _MOST_SINGLE)):
        if number not in seen:
            yield from _scan(damaged, f"WHERE number = {number}", seen)


def _scan(damaged: sqlite3.Connection, which: str, seen: set[int]) -> Iterator[Entry]:
    """Entries until the damage; those that were seen before are left out."""
    with suppress(sqlite3.Error, *ODD):
        for row in damaged.execute(f"SELECT {ROW} FROM turns {which}"):  # noqa: S608
            if row[0] not in seen and _is_turn(row):
                seen.add(row[0])
                yield entry_of(row)


def _is_turn(row: Sequence[object]) -> bool:
    """Whether values could be a turn's, of which one may be damaged; a page may be another's."""
    number, *texts, _ = row
    unread = sum(not isinstance(text, str) for text in texts)
    return unread <= 1 and isinstance(number, int) and 0 < number < _HIGHEST_LIKELY


def _copy_what_is_known(
    damaged: sqlite3.Connection, raw: RawPages, target: sqlite3.Connection
) -> None:
    """Lines of sessions, and the highest number: none is used again, whether its row is left.

    What SQLite can read counts more than what stands on some page.
    """
    for _, values in raw.rows():
        match values:
            case [str(session_id), str(), int(), str() | None as name, ended_at, cause]:
                _set_line(target, (name, ended_at, cause, session_id))
            case ["turns", int(highest)]:
                _set_highest(target, highest)
    with suppress(sqlite3.Error, *ODD):
        for line in damaged.execute("SELECT name, ended_at, cause, session_id FROM sessions"):
            _set_line(target, line)
    with suppress(sqlite3.Error, *ODD):
        for (highest,) in damaged.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turns'"):
            _set_highest(target, highest)


def _set_line(target: sqlite3.Connection, line: tuple[Value, ...]) -> None:
    if all(value is None or isinstance(value, str) for value in line):
        target.execute(
            "UPDATE sessions SET name = ?, ended_at = ?, cause = ? WHERE session_id = ?", line
        )


def _set_highest(target: sqlite3.Connection, highest: Value) -> None:
    if isinstance(highest, int) and highest < _HIGHEST_LIKELY:
        target.execute(
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'turns', 0 WHERE NOT EXISTS "
            "(SELECT 1 FROM sqlite_sequence WHERE name = 'turns')"
        )
        target.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'turns'", (highest,)
        )
