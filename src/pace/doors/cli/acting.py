"""`pace actions`: what Pace can do besides talk, what it may do unasked, and a way to try it."""

import asyncio
import difflib
import json
import re
import sys
from collections.abc import Iterable
from contextlib import suppress

import click

from pace.actions.builtin import builtin_actions
from pace.actions.mcp.config import read_config
from pace.actions.notes.folder import NotesFolder
from pace.actions.places import mcp_file, notes_folder
from pace.actions.registry import Registry
from pace.actions.telling import quoted
from pace.actions.timers.notification import DesktopNotification
from pace.actions.timers.timers import Timers
from pace.clock import SystemClock
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fitting_width import show_table
from pace.doors.safe_text import safe_line, safe_text
from pace.errors import ActionRefusedError, ActionUncertainError, SettingsError
from pace.ports import Action, ActionResult, Arguments, Risk
from pace.settings_file import Change, SettingsFile

_SAY_IT = " Say it, too."
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")


def show_actions() -> None:
    """All actions that Pace brings, as a table, and whether it may act at all."""
    file = _opened()
    allowed = file.current.actions.allowed_names
    rows = [
        (
            action.traits.name,
            _asks(action, allowed),
            str(action.traits.risk),
            action.traits.description,
            action.traits.example[0] if action.traits.example else "",
        )
        for action in _registry(file, _silent_timers()).offered()
    ]
    show_table(("ACTION", "ASKS", "RISK", "WHAT IT DOES", "FOR EXAMPLE"), rows)
    others = sorted(allowed - {row[0] for row in rows})
    if others:
        click.echo(f"\nAlso allowed, and not among these: {safe_line(', '.join(others))}")
    click.echo("\nThe actions of MCP servers are listed by: pace mcp")
    if file.current.actions.enabled:
        click.echo("Actions are on. Switch them off with: pace actions off")
    else:
        click.echo("Actions are off. Switch them on with: pace actions on")


def switch(*, on: bool) -> None:
    """Let Pace act, or not."""
    _said(
        _opened().change("actions.enabled", on),
        "Pace may act now. It asks before it changes anything; `pace actions` lists what it can do."
        if on
        else "Pace does nothing but talk now.",
    )


def allow(name: str) -> None:
    """Let an action run without asking each time."""
    file = _opened()
    _check_name(name, file)
    allowed = file.current.actions.allowed_names
    action = _registry(file, _silent_timers()).named(name)
    if action is not None and action.traits.risk is Risk.READS:
        click.echo(f"{name} only looks, and asks nobody anyway.")
    elif name in allowed:
        click.echo(f"{name} runs without asking already.")
    else:
        change = file.change("actions.allowed", ", ".join(sorted({*allowed, name})))
        _said(
            change, f"{name} runs without asking from now on. Undo it with: pace actions ask {name}"
        )


def ask(name: str) -> None:
    """Have an action ask each time again."""
    file = _opened()
    allowed = file.current.actions.allowed_names
    if name not in allowed:
        _check_name(name, file)
        click.echo(f"{name} was not allowed to run without asking.")
        return
    change = file.change("actions.allowed", ", ".join(sorted(allowed - {name})))
    _said(change, f"{safe_line(name)} asks each time again.")


def run(name: str, *, arguments: str, is_sure: bool) -> None:
    """Do one action, after one question."""
    file = _opened()
    _check_builtin(name, file)
    timers = Timers(SystemClock(), notify=DesktopNotification(), tell=_tell)
    action = next(one for one in _registry(file, timers).offered() if one.traits.name == name)
    try:
        checked = action.checked(_parsed(arguments))
    except ActionRefusedError as error:
        raise SettingsError(f"{str(error).removesuffix(_SAY_IT)}{_how_to_give(action)}") from error
    asks = _asks(action, file.current.actions.allowed_names) == "yes"
    if asks and not is_sure and not _is_wanted(action.would(checked)):
        click.echo("Nothing was done.")
        return
    run_until_ended(_run(action, checked, timers))


async def _run(action: Action, arguments: Arguments, timers: Timers) -> None:
    async with timers.ringing():
        result = await _done(action, arguments)
        click.echo(safe_line(result.line))
        if result.shown:
            click.echo(safe_text(result.shown))
        if not timers.running:
            return
        click.echo("Pace waits until it rings; Ctrl-C ends both.")
        try:
            await timers.wait_quiet()
        finally:
            if lost := timers.lost():
                _warn(lost)


async def _done(action: Action, arguments: Arguments) -> ActionResult:
    limit = action.traits.time_limit
    try:
        async with asyncio.timeout(limit):
            return await action.run(arguments)
    except TimeoutError as error:
        raise ActionUncertainError(
            f"{action.traits.name} took longer than {limit:g} s and was stopped; it may have been "
            "done or not."
        ) from error


def _parsed(written: str) -> Arguments:
    try:
        arguments = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            """--args is no JSON. Write it like '{"duration": "10 minutes"}'."""
        ) from error
    if not isinstance(arguments, dict):
        raise SettingsError("""--args has to be a JSON object, like '{"query": "garage"}'.""")
    return arguments


def _is_wanted(would: str) -> bool:
    """Ask once; whatever is not a yes is a no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise SettingsError("This action asks first, and nobody is here to answer. Add --yes.")
    click.echo(f"Pace would {safe_line(would)}. Do it? [y/N] ", nl=False)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _asks(action: Action, allowed: Iterable[str]) -> str:
    if action.traits.risk is Risk.READS:
        return "no"
    return "allowed" if action.traits.name in allowed else "yes"


def _how_to_give(action: Action) -> str:
    """How arguments are given here, by the action's own example."""
    if action.traits.example is None:
        return ""
    example = json.dumps(action.traits.example[1], ensure_ascii=False)
    return f" Give them like: --args '{example}'"


def _check_builtin(name: str, file: SettingsFile) -> None:
    """Raise SettingsError for a name that Pace does not bring; it suggests the nearest."""
    names = _names(file)
    if name in names:
        return
    if server := _server_of(name, file):
        raise SettingsError(
            f"{safe_line(name)} is of the MCP server {quoted(server)}, which runs in a "
            f"conversation alone. Ask for it there: pace chat. What it takes is shown by: pace mcp "
            f"check {quoted(server)}"
        )
    near = difflib.get_close_matches(name, names, n=1)
    step = f"Did you mean {near[0]}?" if near else "`pace actions` and `pace mcp` list them all."
    raise SettingsError(f"There is no action {safe_line(name[:60])!r}. {step}")


def _check_name(name: str, file: SettingsFile) -> None:
    """Raise SettingsError for what is no action's name, as far as that is known.

    The tools of an MCP server are not known before it is started, but what their names begin with.
    """
    if name not in _names(file) and not (_NAME.fullmatch(name) and _server_of(name, file)):
        _check_builtin(name, file)


def _names(file: SettingsFile) -> list[str]:
    return [action.traits.name for action in _registry(file, _silent_timers()).offered()]


def _server_of(name: str, file: SettingsFile) -> str:
    """The MCP server whose tool a name may be; empty if there is none."""
    slug, joint, tool = name.partition("_")
    if not (joint and tool):
        return ""
    servers = read_config(mcp_file(file.current.actions.mcp_file)).servers
    return next((server.name for server in servers if server.slug == slug), "")


def _registry(file: SettingsFile, timers: Timers) -> Registry:
    notes = NotesFolder(lambda: notes_folder(file.current.actions.notes_folder))
    return Registry(builtin_actions(notes=notes, timers=timers))


def _silent_timers() -> Timers:
    """Timers that never run, for the list of actions."""
    return Timers(SystemClock(), notify=DesktopNotification(), tell=_tell)


def _opened() -> SettingsFile:
    file = SettingsFile.open()
    for notice in file.notices:
        _warn(notice)
    return file


def _said(change: Change, sentence: str) -> None:
    """The change in words of this command; where another source comes first, in the file's."""
    click.echo(safe_line(change.sentence if change.is_overridden else sentence))


def _tell(sentence: str) -> None:
    click.echo(safe_line(sentence))


def _warn(sentence: str) -> None:
    with suppress(OSError):
        click.echo(f"pace: {safe_line(sentence)}", err=True)
