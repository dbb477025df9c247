"""`pace web`: opens the conversation in a browser's window."""

from collections.abc import Mapping

import click

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.talking import open_history, open_settings
from pace.doors.safe_text import safe_line
from pace.errors import MissingExtraError, SettingsError

_PORTS = range(65_536)


def hold_window(
    *, host: str, port: str, opens_browser: bool, flags: Mapping[str, str | bool | None]
) -> int:
    """Run `pace web` until it is interrupted; gives the exit status. Raises PaceError."""
    file = open_settings(flags)
    for notice in file.notices:
        _tell(notice)
    try:
        from pace.doors.web.server import serve_window  # noqa: PLC0415  # slow, and an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError("The window", "web") from error
    run_until_ended(
        serve_window(
            file,
            open_history(),
            host=host,
            port=_port(port),
            opens_browser=opens_browser,
            tell=_tell,
        )
    )
    return 0


def _port(written: str) -> int:
    if written.isdecimal() and int(written) in _PORTS:
        return int(written)
    raise SettingsError(f"--port cannot be {written!r}; it has to be a number, 0 to 65535.")


def _tell(sentence: str) -> None:
    click.echo(safe_line(sentence))
