"""`pace tier`: who could answer here, who does, and switching; also the keys of tier direct."""

import asyncio
import shlex
import sys
from collections.abc import Sequence

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fitting_width import say, show_table
from pace.doors.safe_text import safe_line
from pace.doors.standing import standing
from pace.doors.switching import AGREED, values_to_switch, who_answers
from pace.doors.yes import is_yes
from pace.errors import ConsentNeededError, SettingsError
from pace.folders import Folders
from pace.planners.ability import why_not
from pace.planners.consent import needs_asking
from pace.planners.offers import Offer, offers, pick_named
from pace.planners.picking import TIER
from pace.settings import Provider, Tier
from pace.settings_file import SettingsFile, Source, With


def show_tiers() -> None:
    """A table of all that could answer, and who does."""
    file = _opened()

    async def seen() -> tuple[Sequence[Offer], str]:
        found = await offers(file.current, models=Folders.of().models)
        return found, await standing(file.current)

    found, stands = run_until_ended(seen())
    show_table(("", "NAME", "HERE NOW", "WORDS GO TO", ""), [_row(offer) for offer in found])
    click.echo()
    say(safe_line(stands))
    say("Switch with: pace tier NAME; for one run: pace chat --tier NAME")


def switch(name: str, *, model: str | None, base_url: str | None, agrees: bool) -> None:
    """Have another one answer from now on; asks first if words leave this machine for it."""
    file = _opened()
    again = f"pace tier {name}{_option('--model', model)}{_option('--base-url', base_url)} --agree"

    async def ask(sentence: str) -> bool:
        return await asyncio.to_thread(_asked, sentence, again, agrees)

    async def values() -> dict[str, object] | None:
        pick = await pick_named(name, file.current.planner, model=model, base_url=base_url)
        return await values_to_switch(file, file.current.planner, pick, ask)

    changed = run_until_ended(values())
    if changed is None:
        say(f"Nothing is changed. {who_answers(file.current)}")
        return
    for change in file.change_all(changed):
        if change.is_overridden:
            say(f"pace: {safe_line(change.sentence)}", err=True)
    say(safe_line(run_until_ended(standing(file.current))))


def keep_key(name: str) -> None:
    """Keep a provider's key in the system's keyring; it is asked for without an echo, or piped."""
    from pace.planners.direct.keys import (  # noqa: PLC0415  # an extra
        ApiKey,
        check_keyring,
        store_key,
    )

    provider = _provider_with_key(name)
    # Nobody is asked for a secret that could not be kept.
    check_keyring(provider)
    if sys.stdin.isatty():
        given = str(click.prompt(f"The key for {provider}", hide_input=True, err=True))
    else:
        given = sys.stdin.readline()
    store_key(provider, ApiKey(given))
    click.echo(f"The key is in this machine's keyring. Use it with: pace tier {provider}")


def remove_key(name: str) -> None:
    """Take a provider's key out of the keyring."""
    from pace.planners.direct.keys import has_key  # noqa: PLC0415  # an extra
    from pace.planners.direct.keys import remove_key as remove  # noqa: PLC0415

    provider = _provider_with_key(name)
    was_there = remove(provider)
    told = "The key is gone from the keyring." if was_there else "The keyring holds no key for it."
    if has_key(provider):
        told += " The one in the environment stays."
    click.echo(told)


def ask_consent(file: SettingsFile) -> None:
    """Ask whether words may go where they would, if nobody was asked yet.

    Raises ConsentNeededError for a no, and without a terminal to ask, and as `check_able` does.
    """
    check_able(file)
    recipient = needs_asking(file.current)
    if recipient is None:
        return
    if not _asked(recipient.tells, recipient.agreeing, agrees=False):
        raise ConsentNeededError("Nothing was sent. `pace tier` shows who else could answer.")
    file.change(AGREED, With(recipient.name))


def check_able(file: SettingsFile) -> None:
    """Raise SettingsError, with what is missing, if who was named just now cannot answer here.

    That is one of a flag, or one that has yet to be agreed to; nobody is asked for a yes that
    would be of no use. Anybody else was there once, and is tried: a turn that fails offers others.
    """
    if file.source_of(TIER) is not Source.FLAG and needs_asking(file.current) is None:
        return
    planner = file.current.planner
    if reason := why_not(planner.tier, planner.provider):
        raise reason


def _asked(sentence: str, agreeing: str, agrees: bool) -> bool:  # noqa: FBT001  # the flag itself
    """A person's yes or no. Raises ConsentNeededError if there is nobody to ask.

    `agreeing` is the command that agrees.
    """
    if agrees:
        say(sentence)
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConsentNeededError(
            f"{sentence} There is no terminal to ask you here. If you want it: {agreeing}"
        )
    say(sentence, err=True)
    try:
        answer = click.prompt("Do you want that? Type yes or no", default="no", err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    return is_yes(str(answer))


def _option(name: str, value: str | None) -> str:
    return "" if value is None else f" {name} {shlex.quote(value)}"


def _provider_with_key(name: str) -> Provider:
    if name in {provider for provider in Provider if provider.tier is Tier.DIRECT}:
        return Provider(name)
    if name in set(Provider):
        raise SettingsError(f"{name} signs in by itself and needs no key here. Run: {name}")
    keyed = ", ".join(provider for provider in Provider if provider.tier is Tier.DIRECT)
    raise SettingsError(f"There is no provider {name[:60]!r} with a key. Name one of {keyed}.")


def _row(offer: Offer) -> tuple[str, ...]:
    return (
        "*" if offer.is_active else "",
        offer.command,
        offer.here,
        offer.host or ("" if offer.provider else "this machine"),
        safe_line(offer.told),
    )


def _opened() -> SettingsFile:
    file = SettingsFile.open()
    for notice in file.notices:
        say(f"pace: {safe_line(notice)}", err=True)
    return file
