"""The MCP servers of this installation: connected to apart from any turn, their tools as actions.

A slow or dead server delays nothing: its actions are offered once it has answered.
"""

import asyncio
import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec

from pace.actions.mcp.config import McpConfig
from pace.actions.mcp.reports import (
    MOST_CHARACTERS,
    MOST_TOOLS,
    RunningServer,
    ServerReport,
    ServerState,
)
from pace.errors import MissingExtraError
from pace.ports import Action

PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)
"""How many seconds pass before a server is tried again; the last of them from then on."""

_NEEDED = ("mcp", "jsonschema")
_ONE_SERVER = "pace.actions.mcp.one_server"


class McpServers:
    """The servers that a person set up. `run` is their life, owned by whoever starts it.

    `tell` gets a sentence when one cannot be used. Raises MissingExtraError, but only if there are
    any servers.
    """

    def __init__(
        self,
        config: McpConfig,
        *,
        tell: Callable[[str], None] | None = None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        if config.servers and not all(map(find_spec, _NEEDED)):
            raise MissingExtraError("MCP servers", "mcp")
        self.config = config
        self._tell = tell or _unheard
        self._pauses = tuple(pauses)
        self._servers: tuple[RunningServer, ...] = ()
        self._is_loaded = asyncio.Event()
        self._news = asyncio.Condition()

    async def run(self) -> None:
        """Connect to all of them and stay connected, until cancelled; then all are ended."""
        for fault in self.config.faults:
            self._tell(fault)
        if self.config.servers:
            # The SDK takes about a second to import, which is no turn's to wait for.
            module = await asyncio.to_thread(importlib.import_module, _ONE_SERVER)
            self._servers = tuple(
                module.OneServer(entry, tell=self._tell, pauses=self._pauses, changed=self._changed)
                for entry in self.config.servers
            )
        self._is_loaded.set()
        async with asyncio.TaskGroup() as group:
            for server in self._servers:
                group.create_task(server.run(), name=f"mcp {server.slug}")

    def offered(self) -> tuple[Action, ...]:
        """The tools of the servers that have answered, as far as there is room for them."""
        return tuple(action for action, fits in self._shared() if fits)

    def reports(self) -> tuple[ServerReport, ...]:
        """Where each server stands, those that are switched off last."""
        fits = {action.traits.name for action, fits in self._shared() if fits}
        off = [ServerReport(name=name, state=ServerState.DISABLED) for name in self.config.disabled]
        return (*(server.report(fits) for server in self._servers), *off)

    async def wait_loaded(self) -> None:
        """Wait until each server is known to `reports`; none need have answered."""
        await self._is_loaded.wait()

    async def wait_settled(self) -> None:
        """Wait until each server has answered or failed once."""
        await self.wait_loaded()
        await self.wait_until(lambda: all(server.is_settled for server in self._servers))

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so; asked whenever a server's state or tools have changed."""
        async with self._news:
            await self._news.wait_for(is_so)

    async def _changed(self) -> None:
        async with self._news:
            self._news.notify_all()

    def _shared(self) -> Iterator[tuple[Action, bool]]:
        number = size = 0
        for server in self._servers:
            for action in server.actions:
                traits = action.traits
                needed = len(traits.name) + len(traits.description)
                needed += len(json.dumps(traits.arguments))
                fits = number < MOST_TOOLS and size + needed <= MOST_CHARACTERS
                if fits:
                    number, size = number + 1, size + needed
                yield action, fits


def _unheard(_: str) -> None:
    """Nobody wants to know."""
