"""The journal and the settings of a command, open while it runs, and what it has to say of them."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click

from pace.clock import SystemClock
from pace.doors.safe_text import safe_line
from pace.errors import HistoryError, SettingsError
from pace.folders import Folders
from pace.history import PaceHistory
from pace.memory.turn import SessionId
from pace.settings import HistorySettings
from pace.settings_file import SettingsFile

NOTHING = "Nothing is in the history."
_LONGEST_NUMBER = 18


@asynccontextmanager
async def open_history() -> AsyncIterator[PaceHistory]:
    """The person's journal, without what has been in it for longer than they want."""
    wanted = wishes()
    history = PaceHistory(Folders.of().history)
    fault: HistoryError | None = None
    try:
        if wanted.retention_days is not None:
            try:
                await history.let_go_of_old(wanted.retention_days, now=SystemClock().local_time())
            except HistoryError as error:
                # Where nothing can be deleted, the rest may still be read.
                fault = error
        yield history
        if fault is not None:
            tell(f"What is older than you want is still there. {fault}")
    finally:
        await history.aclose()
        for notice in history.notices:
            tell(notice)


def wishes() -> HistorySettings:
    """What is set about keeping."""
    return SettingsFile.open().current.history


def begins_how() -> str:
    """What to do when nothing is there yet."""
    if wishes().keep:
        return f"{NOTHING} Begin with: pace chat"
    return f"{NOTHING} Nothing is kept, because history.keep is off."


async def session_named(history: PaceHistory, beginning: str) -> SessionId:
    """The conversation whose id begins so. Raises NotInHistoryError."""
    return await history.session_id(beginning.strip().lower())


def turn_number(written: str, *, flag: str) -> int:
    """A turn's number. Raises SettingsError."""
    if is_number(written):
        return int(written)
    raise SettingsError(f"{flag} cannot be {written!r}; it has to be a turn's number, like 12.")


def is_number(written: str) -> bool:
    """Whether a turn could have this number; what is longer than any number of a turn is none."""
    return written.isascii() and written.isdecimal() and len(written) <= _LONGEST_NUMBER


def tell(sentence: str) -> None:
    """Say something that is no part of what was asked for."""
    click.echo(f"pace: {safe_line(sentence)}", err=True)


def is_terminal() -> bool:
    """Whether a person reads what is written."""
    return sys.stdout.isatty()
