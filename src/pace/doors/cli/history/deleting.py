"""`pace history delete`: turns go for good, after one question."""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

import click

from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.history.days import moment, shown_time
from pace.doors.cli.history.opened import (
    NOTHING,
    open_history,
    session_named,
    tell,
    turn_number,
)
from pace.doors.cli.history.words import called, counted
from pace.errors import SettingsError
from pace.history import PaceHistory
from pace.journal.rows import PastConversation, Period

_STILL_OPEN = (
    "If that conversation is still open, it goes on remembering until it is reset, and a turn that "
    "is being answered now is kept when it is over."
)
_LONGEST_OPEN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What is to go, in words, how many turns that are, and how it goes.

    `may_live` says that it may be of a conversation that is still open.
    """

    words: str
    turns: int
    may_live: bool
    delete: Callable[[], Awaitable[int]]


def delete(
    *,
    turn: str | None,
    conversation: str | None,
    before: str | None,
    everything: bool,
    is_sure: bool,
) -> None:
    """Delete a turn, a conversation, what was said before a day, or everything."""
    given = [turn is not None, conversation is not None, before is not None, everything]
    if sum(given) != 1:
        raise click.UsageError("Give one of --turn, --conversation, --before and --all.")
    if not is_sure and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError("Deleting asks first, and nobody is here to answer. Add --yes.")
    run_until_ended(_delete(turn, conversation, before, is_sure=is_sure))


async def _delete(
    turn: str | None, conversation: str | None, before: str | None, *, is_sure: bool
) -> None:
    async with open_history() as history:
        chosen = await _choose(history, turn, conversation, before)
        if not is_sure and chosen.turns and not _is_wanted(chosen):
            click.echo("Nothing was deleted.")
            return
        deleted = await chosen.delete()
    if deleted:
        if chosen.may_live:
            tell(_STILL_OPEN)
        click.echo(f"Deleted {counted(deleted, 'turn')}; nothing of it is left in the history.")
    else:
        tell("Nothing of that is in the history." if before else NOTHING)


async def _choose(
    history: PaceHistory, turn: str | None, conversation: str | None, before: str | None
) -> _Chosen:
    if turn is not None:
        entry = await history.entry(turn_number(turn, flag="--turn"))
        return _Chosen(
            words=f"turn {entry.number} of {shown_time(entry.turn.said_at)}",
            turns=1,
            may_live=_may_live(await history.conversation_of(entry)),
            delete=lambda: history.delete_turn(entry.number),
        )
    if conversation is not None:
        session_id = await session_named(history, conversation)
        found = await history.conversation(session_id)
        return _Chosen(
            words=f"{called(found)!r} of {shown_time(found.last_at)}",
            turns=found.turns,
            may_live=_may_live(found),
            delete=lambda: history.delete_conversation(session_id),
        )
    if before is not None:
        day = moment(before, flag="--before", now=SystemClock().local_time())
        period = Period(before=day)
        return _Chosen(
            words=f"all that was said before {shown_time(day)}",
            turns=await history.count(period=period),
            may_live=False,
            delete=lambda: history.delete_period(period),
        )
    return _Chosen(
        words="the whole history",
        turns=await history.count(),
        may_live=any(map(_may_live, await history.conversations(limit=1))),
        delete=history.delete_all,
    )


def _may_live(conversation: PastConversation) -> bool:
    """Whether it has not ended, and is no older than a program may have been left open for."""
    now = SystemClock().local_time()
    return conversation.cause is None and now - conversation.last_at < _LONGEST_OPEN


def _is_wanted(chosen: _Chosen) -> bool:
    """Ask once; whatever is not a yes is a no."""
    click.echo(
        f"Delete {chosen.words} ({counted(chosen.turns, 'turn')}) for good? [y/N] ", nl=False
    )
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
