"""Runs MCP servers as a person would set them up, and waits for what becomes of them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pace.actions.mcp.config import read_config
from pace.actions.mcp.reports import ServerReport
from pace.actions.mcp.servers import McpServers
from pace.ports import Action, ActionResult

HERE = Path(__file__).parent
LIMIT = 60
Entry = dict[str, Any]


def sdk_entry(**more: object) -> Entry:
    return {"command": sys.executable, "args": [str(HERE / "sdk_server.py")], **more}


def odd_entry(*tools: str | dict[str, Any], entry: Entry | None = None, **told: object) -> Entry:
    """An odd server with these tools, by their names alone or whole."""
    takes = {"type": "object", "properties": {"text": {"type": "string"}}}
    whole = [
        {"name": tool, "inputSchema": takes} if isinstance(tool, str) else tool for tool in tools
    ]
    script = [str(HERE / "odd_server.py"), json.dumps({"tools": whole, **told})]
    return {"command": sys.executable, "args": script, **(entry or {})}


@dataclass(slots=True)
class Served:
    servers: McpServers
    told: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [action.traits.name for action in self.servers.offered()]

    def action(self, name: str) -> Action:
        return next(each for each in self.servers.offered() if each.traits.name == name)

    async def run(self, name: str, **arguments: object) -> ActionResult:
        action = self.action(name)
        return await action.run(action.checked(arguments))

    def report(self, name: str) -> ServerReport:
        return next(each for each in self.servers.reports() if each.name == name)

    async def wait_offered(self, *names: str) -> None:
        await self.wait(lambda: set(names) <= set(self.names))

    async def wait(self, is_so) -> None:
        async with asyncio.timeout(LIMIT):
            await self.servers.wait_until(is_so)


def write_servers(folder: Path, entries: Mapping[str, object]) -> Path:
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": entries}))
    return path


@asynccontextmanager
async def serving(folder: Path, *, settle: bool = True, **entries: object) -> AsyncIterator[Served]:
    """Servers that are connected to while the block runs, once each has answered or failed."""
    config = read_config(write_servers(folder, entries))
    told: list[str] = []
    served = Served(McpServers(config, tell=told.append, pauses=(0,)), told)
    life = asyncio.create_task(served.servers.run())
    try:
        async with asyncio.timeout(LIMIT):
            await (served.servers.wait_settled() if settle else served.servers.wait_loaded())
        yield served
    finally:
        life.cancel()
        await asyncio.wait([life])


@asynccontextmanager
async def at_an_address(kind: str) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """The SDK's server at an address on this machine."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(HERE / "sdk_server.py"), kind), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}", process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
