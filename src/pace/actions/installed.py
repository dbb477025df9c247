"""The actions of this installation, and the work behind them: timers that ring, MCP servers."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pace.actions.builtin import builtin_actions
from pace.actions.mcp.config import read_config
from pace.actions.mcp.servers import McpServers
from pace.actions.notes.folder import NotesFolder
from pace.actions.registry import Registry
from pace.actions.timers.notification import DesktopNotification
from pace.actions.timers.timers import Timers
from pace.errors import SettingsError
from pace.folders import Folders
from pace.ports import Action, Clock
from pace.settings import Settings


class InstalledActions:
    """What Pace brings, and the tools of the person's MCP servers. An `ActionsAtWork`.

    Servers run only while actions are switched on; their file is read anew when that happens.
    `tell` gets sentences for the person: a timer that rings, a server that cannot be used.
    """

    def __init__(
        self, current: Callable[[], Settings], *, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        self._current = current
        self._tell = tell
        self._timers = Timers(clock, notify=DesktopNotification(), tell=tell)
        self._builtin = builtin_actions(notes=NotesFolder(self._notes_folder), timers=self._timers)
        self._servers: McpServers | None = None
        self._changed = asyncio.Event()

    def offered(self) -> Sequence[Action]:
        """Pace's own first, then those of servers that have answered."""
        registry = Registry(self._builtin)
        for action in () if self._servers is None else self._servers.offered():
            if registry.named(action.traits.name) is None:
                registry.add(action)
        return registry.offered()

    def settings_changed(self) -> None:
        """Look at the settings again."""
        self._changed.set()

    async def run(self) -> None:
        """Ring timers and keep servers, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._timers.run(), name="timers")
            group.create_task(self._keep_servers(), name="mcp servers")

    def farewell(self) -> str:
        """What ends with Pace, as a sentence; empty if nothing does."""
        return self._timers.lost()

    # --- inside

    def _notes_folder(self) -> Path:
        folder = self._current().actions.notes_folder
        return Path(folder).expanduser() if folder else Folders.of().notes

    def _servers_file(self) -> Path | None:
        """Where servers are named; None while nothing may be done."""
        actions = self._current().actions
        if not actions.enabled:
            return None
        return Path(actions.mcp_file).expanduser() if actions.mcp_file else Folders.of().mcp_file

    async def _keep_servers(self) -> None:
        """Run the servers of the file that is named, and other ones when that changes."""
        while True:
            file = self._servers_file()
            serving = asyncio.create_task(self._serve(file), name="mcp")
            try:
                while self._servers_file() == file:
                    self._changed.clear()
                    await self._changed.wait()
            finally:
                serving.cancel()
                await asyncio.wait([serving])
                self._servers = None

    async def _serve(self, file: Path | None) -> None:
        if file is None:
            return
        try:
            self._servers = McpServers(read_config(file), tell=self._tell)
        except SettingsError as error:
            self._tell(str(error))
            return
        await self._servers.run()
