"""`pace privacy`: what left this machine, what was agreed to, what is kept and where."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from pace.doors.cli.fitting_width import say, show_table
from pace.doors.safe_text import safe_line
from pace.doors.switching import AGREED, who_answers
from pace.errors import SettingsError
from pace.folders import Folders
from pace.planners.consent import (
    agreed_as,
    agreed_names,
    agreed_told,
    needs_asking,
    picked_as,
    recipient_of,
)
from pace.planners.sent_log import SentLog, SentTotal
from pace.settings import Provider, Settings
from pace.settings_file import SettingsFile, Without

_THOUSAND, _MILLION = 1_000, 1_000_000


def show(*, as_json: bool) -> None:
    """Everything, in words or as one JSON object."""
    folders, settings = Folders.of(), SettingsFile.open().current
    log = SentLog(folders.sent_log)
    totals, odd = log.totals(), log.odd_rows()
    if as_json:
        click.echo(json.dumps(_told(folders, settings, totals, odd), ensure_ascii=False, indent=2))
        return
    say(who_answers(settings))
    click.echo()
    _show_sent(totals, odd)
    _show_agreed(settings)
    click.echo("\nWhat is kept, and where:")
    for title, where in _kept(folders):
        click.echo(f"  {title:<14}{where}")


def clear() -> None:
    """Forget what was sent."""
    SentLog(Folders.of().sent_log).clear()
    click.echo("The log of what was sent is empty.")


def forget(name: str) -> None:
    """Withdraw what was agreed to, by its name there or that of a tier."""
    file = SettingsFile.open()
    meant = agreed_as(file.current, name)
    if not meant:
        listed = "; ".join(
            f"{_word_for(each)} ({agreed_told(each)})" for each in agreed_names(file.current)
        )
        raise SettingsError(
            f"You have not agreed to {name[:60]!r}. You have agreed to: "
            f"{safe_line(listed or 'nothing')}."
        )
    for one in meant:
        change = file.change(AGREED, Without(one))
        if change.is_overridden:
            say(change.sentence)
            return
        say(f"Withdrawn: {safe_line(agreed_told(one))}. No word goes there until you agree again.")
    if needs_asking(file.current):
        say(
            "It is still set to answer, and each turn will fail instead, in a Pace that runs, too. "
            "Pick another: pace tier"
        )


def size(count: int) -> str:
    """Bytes as a person reads them."""
    if count < _THOUSAND:
        return f"{count} B"
    return f"{count / _THOUSAND:,.1f} kB" if count < _MILLION else f"{count / _MILLION:,.1f} MB"


def odd_told(rows: int) -> str:
    """That rows of the log could not be shown, in a sentence."""
    are = "1 row of the log makes" if rows == 1 else f"{rows:,} rows of the log make"
    return f"{are} no sense to this Pace and could not be shown."


def when(at: datetime) -> str:
    """A local time, to the minute."""
    return f"{at:%Y-%m-%d %H:%M}"


def _show_sent(totals: Sequence[SentTotal], odd: int) -> None:
    if odd:
        click.echo(odd_told(odd))
    elif not totals:
        click.echo("The log of what was sent is empty: nothing left this machine.")
    if not totals:
        return
    rows = [
        (
            total.tier,
            safe_line(total.host),
            total.kind.value,
            f"{total.count:,}",
            size(total.bytes),
            when(total.first_at),
            when(total.last_at),
        )
        for total in totals
    ]
    show_table(("TIER", "WORDS WENT TO", "FOR", "REQUESTS", "SENT", "FIRST", "LAST"), rows)
    say("The log holds these numbers and no words. Empty it with: pace privacy clear")


def _show_agreed(settings: Settings) -> None:
    names = agreed_names(settings)
    if not names:
        click.echo("\nYou have not agreed that anybody gets your words.")
        return
    click.echo("\nYou have agreed that your words go to:")
    for name in names:
        word = safe_line(_word_for(name))
        say(f"  {safe_line(agreed_told(name))}  (withdraw it: pace privacy forget {word})")
    remote = "may" if settings.summaries.remote else "may not"
    click.echo(f"  They {remote} make summaries (pace settings summaries.remote)")


def _word_for(name: str) -> str:
    """A word that withdraws this agreement, and as few others as can be."""
    word = picked_as(name)
    return name.partition(":")[2] if word == Provider.CUSTOM else word


def _kept(folders: Folders) -> Sequence[tuple[str, str]]:
    return (
        ("conversation", "this program's memory, on no disk; gone when you stop"),
        ("history", _where(folders.history)),
        ("settings", _where(folders.settings_file)),
        ("sent", _where(folders.sent_log)),
        ("models", _where(folders.models)),
        ("keys", "this machine's keyring, or your environment"),
    )


def _where(path: Path) -> str:
    return str(path) if path.exists() else f"{path} (not there yet)"


def _told(
    folders: Folders, settings: Settings, totals: Sequence[SentTotal], odd: int
) -> dict[str, object]:
    recipient = recipient_of(settings.planner)
    return {
        "answers": {
            "tier": settings.planner.tier,
            "provider": settings.planner.provider,
            "host": None if recipient is None else recipient.host,
        },
        "sent": [
            {
                "tier": total.tier,
                "host": total.host,
                "kind": total.kind,
                "requests": total.count,
                "bytes": total.bytes,
                "first": total.first_at.isoformat(),
                "last": total.last_at.isoformat(),
            }
            for total in totals
        ],
        "sent_odd_rows": odd,
        "agreed": list(agreed_names(settings)),
        "remote_summaries": settings.summaries.remote,
        "kept": dict(_kept(folders)),
    }
