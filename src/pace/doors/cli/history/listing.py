"""`pace history`: the past conversations, the newest first."""

import click

from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import period_of, shown_time
from pace.doors.cli.history.opened import (
    begins_how,
    is_number,
    open_history,
    session_named,
    tell,
    wishes,
)
from pace.doors.cli.history.page import Page
from pace.doors.cli.history.words import called, counted, how_it_ended, short_id
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError
from pace.folders import Folders

_HEADS = ("ID", "LAST TURN", "TURNS", "ENDED", "CONVERSATION")
_MOST = 100_000
_LONGEST_NAME = 200


def show_list(*, since: str | None, before: str | None, limit: str) -> None:
    """List conversations, of a period if one is given."""
    run_until_ended(_list(since, before, checked_limit(limit)))


def show_path() -> None:
    """Where the journal is, or would be."""
    click.echo(str(Folders.of().history))


def rename(beginning: str, name: str) -> None:
    """Give a conversation a name, or take it away again."""
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(
            f"A conversation cannot be called {name!r}; that is no text."
        ) from error
    run_until_ended(_rename(beginning, " ".join(name.split())))


async def _list(since: str | None, before: str | None, limit: int) -> None:
    period = period_of(since, before, now=SystemClock().local_time())
    async with open_history() as history:
        if not await history.count():
            tell(begins_how())
            return
        found = await history.conversations(limit=limit + 1, period=period)
    if not found:
        tell("No conversation of that time is in the history.")
        return
    rows = [
        (
            short_id(each.session_id),
            shown_time(each.last_at),
            f"{each.turns:,}",
            how_it_ended(each.cause),
            called(each),
        )
        for each in found[:limit]
    ]
    Page().table(_HEADS, rows)
    if len(found) > limit:
        tell(f"There are older ones. See them with: pace history --limit {limit * 10}")
    _tell_wishes()


def _tell_wishes() -> None:
    wanted = wishes()
    if not wanted.keep:
        tell("What is said now is not kept, because history.keep is off.")
    if wanted.retention_days is not None:
        days = counted(wanted.retention_days, "day")
        tell(f"A turn leaves the history after {days} (history.retention_days).")


async def _rename(beginning: str, name: str) -> None:
    if len(name) > _LONGEST_NAME:
        raise SettingsError(f"A name may have at most {_LONGEST_NAME} characters.")
    async with open_history() as history:
        session_id = await session_named(history, beginning)
        await history.rename(session_id, name)
    listed = short_id(session_id)
    if name:
        click.echo(f"{listed} is now called {safe_line(name)}.")
    else:
        click.echo(f"{listed} is called by its first words again.")


def checked_limit(limit: str) -> int:
    """How many are to be shown. Raises SettingsError."""
    if is_number(limit) and 0 < int(limit) <= _MOST:
        return int(limit)
    raise SettingsError(f"--limit cannot be {limit!r}; it has to be a number, 1 to {_MOST:,}.")
