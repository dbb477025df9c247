"""`pace web`: opens the conversation in a browser's window."""

import asyncio
import os
import re
import sys
import webbrowser
from collections.abc import Mapping

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.talking import open_history, open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.safe_text import safe_line
from pace.errors import MissingExtraError, SettingsError

_PORT = re.compile(r"0|[1-9][0-9]{0,4}")
_PORTS = range(65_536)
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def hold_window(
    *, host: str, port: str, opens_browser: bool, flags: Mapping[str, str | bool | None]
) -> int:
    """Run `pace web` until it is interrupted; gives the exit status. Raises PaceError."""
    number = _port(port)
    file = open_settings(flags)
    for notice in file.notices:
        _warn(notice)
    ask_consent(file)
    try:
        from pace.doors.web.server import serve_window  # noqa: PLC0415  # slow, and an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "pace":
            raise
        raise MissingExtraError("The window", "web") from error
    run_until_ended(
        serve_window(
            file,
            open_history(),
            host=host,
            port=number,
            tell=_tell,
            warn=_warn,
            opener=_open if opens_browser else None,
        )
    )
    return 0


def _port(written: str) -> int:
    if _PORT.fullmatch(written) and int(written) in _PORTS:
        return int(written)
    raise SettingsError(f"--port cannot be {written!r}; it has to be a number, 0 to 65535.")


async def _open(address: str) -> None:
    """Have a browser show it. Apart from the window, which answers meanwhile."""
    # Without a screen, what would be found is a browser of text, in the place of this command.
    has_screen = sys.platform in {"darwin", "win32"} or any(map(os.environ.get, _SCREENS))
    if not (has_screen and await asyncio.to_thread(webbrowser.open, address)):
        _tell("No browser could be opened here; open the address yourself.")


def _tell(sentence: str) -> None:
    click.echo(safe_line(sentence))


def _warn(sentence: str) -> None:
    click.echo(f"pace: {safe_line(sentence)}", err=True)
