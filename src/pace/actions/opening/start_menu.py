"""Apps of Windows, from its start menu.

A name that a person gave is compared here and goes into no command: what is started is a shortcut
that was found, or an id that Windows listed.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from pace.actions.opening.apps import App, app_named
from pace.actions.opening.opener import startfile
from pace.actions.opening.programs import started
from pace.actions.telling import quoted
from pace.actions.waiting import in_thread
from pace.errors import ActionError, ActionUncertainError

_LISTS_WITHIN = 15.0
# Names and ids of all apps in the start menu, those of the store too (Get-StartApps).
_LISTING = (
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; @(Get-StartApps) | ConvertTo-Json -Compress"
)
_LIST_APPS = ("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", _LISTING)


class StartMenuApps:
    """Apps with a shortcut in the start menu, then those of the store."""

    async def open(self, name: str) -> str:
        """Start the app that goes by a name."""
        shortcuts = await in_thread(lambda: list(_shortcuts()), name="look for apps")
        try:
            app = app_named(name, shortcuts)
        except ActionError:
            app = app_named(name, [*shortcuts, *await _listed()])
        await app.start()
        return app.name


def _shortcuts() -> Iterator[App]:
    for variable in ("APPDATA", "PROGRAMDATA"):
        menu = Path(os.environ.get(variable, "")) / "Microsoft" / "Windows" / "Start Menu"
        if not os.environ.get(variable) or not menu.is_dir():
            continue
        for path in sorted(menu.rglob("*.lnk")):
            if not path.stem.casefold().startswith("uninstall"):
                yield App(name=path.stem, start=_start_of(path))


def _start_of(path: Path) -> Callable[[], Awaitable[None]]:
    async def start() -> None:
        try:
            await in_thread(lambda: startfile(str(path)), name="open an app")
        except OSError as error:
            raise ActionError(
                f"Windows could not open {quoted(path.stem)} ({error.strerror}). Try its menu."
            ) from error

    return start


async def _listed() -> list[App]:
    """The apps as Windows lists them; none, if it does not."""
    try:
        process = await asyncio.create_subprocess_exec(
            *_LIST_APPS,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return []
    try:
        async with asyncio.timeout(_LISTS_WITHIN):
            out, _ = await process.communicate()
        listed = json.loads(out or b"[]")
    except (TimeoutError, ValueError):
        return []
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    found = listed if isinstance(listed, list) else [listed]
    return [
        App(name=str(one["Name"]), start=_start_listed(str(one["Name"]), str(one["AppID"])))
        for one in found
        if isinstance(one, dict) and one.get("Name") and one.get("AppID")
    ]


def _start_listed(name: str, app_id: str) -> Callable[[], Awaitable[None]]:
    async def start() -> None:
        # explorer.exe gives 1 also when all went well, so that its status says nothing.
        if await started(("explorer.exe", f"shell:AppsFolder\\{app_id}"), within=10.0) is None:
            raise ActionUncertainError(
                f"Windows did not come back; {quoted(name)} may have been opened or not. Look "
                "before you ask again."
            )

    return start
