"""The actions of this installation, and the work behind them: timers that ring, MCP servers."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pace.actions.builtin import builtin_actions
from pace.actions.mcp.config import read_config
from pace.actions.mcp.servers import McpServers
from pace.actions.notes.folder import NotesFolder
from pace.actions.places import mcp_file, notes_folder
from pace.actions.registry import Registry
from pace.actions.timers.notification import DesktopNotification
from pace.actions.timers.timers import Timers
from pace.actions.waiting import in_thread
from pace.errors import SettingsError
from pace.ports import Action, Clock
from pace.settings import Settings


class InstalledActions:
    """What Pace brings, and the tools of the person's MCP servers. An `ActionsAtWork`.

    Servers run only while actions are switched on; their file is read anew when that happens.
    `tell` gets sentences for the person: a timer that rings, a server that cannot be used. Where
    Pace does not stay after an answer, no timer is started.
    """

    def __init__(
        self,
        current: Callable[[], Settings],
        *,
        clock: Clock,
        tell: Callable[[str], None],
        stays: bool = True,
    ) -> None:
        self._current = current
        self._tell = tell
        self._timers = Timers(clock, notify=DesktopNotification(), tell=tell, stays=stays)
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
        return notes_folder(self._current().actions.notes_folder)

    def _wanted(self) -> tuple[bool, str | None]:
        """Whether anything may be done, and what the settings say of the servers' file."""
        actions = self._current().actions
        return actions.enabled, actions.mcp_file

    async def _keep_servers(self) -> None:
        """Run the servers of the file that is named, and other ones when that changes."""
        while True:
            wanted = self._wanted()
            serving = asyncio.create_task(self._serve(*wanted), name="mcp")
            try:
                while self._wanted() == wanted:
                    self._changed.clear()
                    await self._changed.wait()
            finally:
                serving.cancel()
                await asyncio.wait([serving])
                self._servers = None

    async def _serve(self, is_on: bool, named: str | None) -> None:  # noqa: FBT001  # what is wanted
        """Whatever goes wrong with servers is a sentence, and ends no timer and no conversation."""
        if not is_on:
            return
        try:
            file = mcp_file(named)
            config = await in_thread(lambda: read_config(file), name="read the servers' file")
            self._servers = McpServers(config, tell=self._tell)
            await self._servers.run()
        except SettingsError as error:
            self._tell(str(error))
        except Exception as error:  # noqa: BLE001  # a fault of ours or of the SDK
            self._servers = None
            self._tell(f"MCP servers cannot be used ({type(error).__name__}). Try: pace mcp")
