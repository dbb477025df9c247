"""`pace history export`: turns as JSON lines, which hold everything, or as Markdown, to be read."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import click

from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import period_of
from pace.doors.cli.history.opened import open_history, session_named, tell
from pace.doors.cli.history.output import output_file, output_path
from pace.doors.cli.history.words import counted
from pace.doors.exported import ExportForm, written
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError
from pace.journal.rows import Period


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
    path = output_path(output)
    form = _form(written_as, path)
    period = period_of(since, before, now=SystemClock().local_time())
    run_until_ended(_export(beginning, form, path, period, may_replace=may_replace))


def _form(written_as: str | None, path: Path | None) -> ExportForm:
    if written_as is None:
        is_markdown = path is not None and path.suffix == ".md"
        return ExportForm.MARKDOWN if is_markdown else ExportForm.JSONL
    try:
        return ExportForm(written_as)
    except ValueError as error:
        raise SettingsError(
            f"--format cannot be {written_as!r}; it has to be jsonl or markdown."
        ) from error


async def _export(
    beginning: str | None, form: ExportForm, path: Path | None, period: Period, *, may_replace: bool
) -> None:
    async with open_history() as history:
        session_id = None if beginning is None else await session_named(history, beginning)
        entries = history.entries(session_id=session_id, period=period)
        pieces = written(history, entries, form)
        if path is None:
            count = await _write_all(pieces, sys.stdout.buffer)
        else:
            async with output_file(path, may_replace=may_replace, is_kept=history.owns) as file:
                count = await _write_all(pieces, file)
    if path is not None:
        click.echo(f"{counted(count, 'turn')} written to {safe_line(str(path))}")
    elif not count:
        tell("No turn of that is in the history.")


async def _write_all(pieces: AsyncIterator[str], file: BinaryIO) -> int:
    count = 0
    async for piece in pieces:
        file.write(piece.encode("utf-8", "replace"))
        count += 1
    file.flush()
    return count
