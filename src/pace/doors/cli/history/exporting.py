"""`pace history export`: turns as JSON lines, which hold everything, or as Markdown, to be read."""

import os
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import period_of
from pace.doors.cli.history.opened import open_history, session_named, tell
from pace.doors.cli.history.words import counted
from pace.doors.exported import as_json_line, as_markdown
from pace.errors import HistoryError, SettingsError
from pace.history import PaceHistory
from pace.journal.rows import Entry, Period

FORMATS = ("jsonl", "markdown")
_PRIVATE = 0o600


def export(
    beginning: str | None,
    *,
    written_as: str | None,
    output: str | None,
    may_replace: bool,
    since: str | None,
    before: str | None,
) -> None:
    """Write one conversation or all turns to standard output or to a private file."""
    path = None if output in {None, "-"} else Path(str(output)).expanduser()
    chosen = written_as or ("markdown" if path is not None and path.suffix == ".md" else "jsonl")
    if chosen not in FORMATS:
        raise SettingsError(f"--format cannot be {chosen!r}; it has to be jsonl or markdown.")
    period = period_of(since, before, now=SystemClock().local_time())
    run_until_ended(_export(beginning, chosen, path, period, may_replace=may_replace))


async def _export(
    beginning: str | None, chosen: str, path: Path | None, period: Period, *, may_replace: bool
) -> None:
    async with open_history() as history:
        session_id = None if beginning is None else await session_named(history, beginning)
        entries = history.entries(session_id=session_id, period=period)
        pieces = _json_lines(entries) if chosen == "jsonl" else _markdown(history, entries)
        if path is None:
            count = await _write_all(pieces, sys.stdout.buffer)
        else:
            with _private_file(path, may_replace=may_replace) as file:
                count = await _write_all(pieces, file)
    if path is not None:
        click.echo(f"{counted(count, 'turn')} written to {path}")
    elif not count:
        tell("No turn of that is in the history.")


async def _write_all(pieces: AsyncIterator[str], file: BinaryIO) -> int:
    count = 0
    async for piece in pieces:
        file.write(piece.encode("utf-8", "replace"))
        count += 1
    file.flush()
    return count


async def _json_lines(entries: AsyncIterator[Entry]) -> AsyncIterator[str]:
    async for entry in entries:
        yield as_json_line(entry)


async def _markdown(history: PaceHistory, entries: AsyncIterator[Entry]) -> AsyncIterator[str]:
    """Turns, each conversation's under a heading of its own."""
    last = None
    async for entry in entries:
        session_id = entry.turn.session_id
        is_first = session_id != last
        conversation = await history.conversation(session_id) if is_first else None
        yield as_markdown(entry, conversation)
        last = session_id


@contextmanager
def _private_file(path: Path, *, may_replace: bool) -> Iterator[BinaryIO]:
    """A file that only its person may read; what was begun of a new one is not left behind."""
    how = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if may_replace else os.O_EXCL)
    try:
        descriptor = os.open(path, how, _PRIVATE)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            path.chmod(_PRIVATE)
    except FileExistsError as error:
        raise SettingsError(f"{path} is there already. Replace it with --force.") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}).") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
    except BaseException as error:
        with suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise HistoryError(f"{path} cannot be written ({error.strerror}).") from error
        raise
