"""One MCP server's life: connect, list its tools, listen, and begin anew when it is gone.

It is a single task from end to end, since the SDK's scopes must be left where they were entered.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

import anyio
import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, Tool
from pydantic import ValidationError

from pace.actions.mcp.config import HttpServer, ServerEntry
from pace.actions.mcp.connection import Connection, connected
from pace.actions.mcp.hiding import without_secrets
from pace.actions.mcp.naming import action_name, on_one_line
from pace.actions.mcp.program import KEPT_OF_ERRORS
from pace.actions.mcp.reports import MOST_CHARACTERS, MOST_TOOLS, ServerReport, ServerState
from pace.actions.mcp.schemas import UnfitSchemaError, plain_schema
from pace.actions.mcp.tool_action import ToolAction
from pace.actions.telling import quoted
from pace.errors import ActionError

# A program that ends this often without having answered is not started again.
_MOST_FAILURES = 5
# One that lasted so long, in seconds, starts a new count.
_STEADY = 60.0
# A server that changes its list all the time is read this often, in seconds.
_BETWEEN_LISTS = 1.0
_LONGEST_TOLD = 100
_LONGEST_COMPLAINT = 1000


class OneServer:
    """A server and its actions, those of them that can be offered at all."""

    def __init__(
        self,
        entry: ServerEntry,
        *,
        tell: Callable[[str], None],
        pauses: Sequence[float],
        changed: Callable[[], Awaitable[None]],
    ) -> None:
        self.name = entry.name
        self.slug = entry.slug
        self.host = entry.reached.host if isinstance(entry.reached, HttpServer) else ""
        self.actions: tuple[ToolAction, ...] = ()
        self._entry = entry
        self._tell = tell
        self._pauses = tuple(pauses)
        self._changed = changed
        self._state = ServerState.CONNECTING
        self._trouble = ""
        self._left_out: tuple[tuple[str, str], ...] = ()
        self._complaint = bytearray()
        self._connection: Connection | None = None
        self._failures = 0

    @property
    def is_settled(self) -> bool:
        """Whether it has answered, or failed once."""
        return self._state is not ServerState.CONNECTING

    async def run(self) -> None:
        """Stay connected until cancelled, or until it has failed too often."""
        clock = asyncio.get_running_loop()
        while True:
            began = clock.time()
            trouble = await self._live()
            _end_if_cancelled()
            is_steady = self._state is ServerState.READY and clock.time() - began > _STEADY
            self._failures = 1 if is_steady else self._failures + 1
            await self._failed(trouble)
            if self._state is ServerState.GIVEN_UP:
                return
            await asyncio.sleep(self._pauses[min(self._failures, len(self._pauses)) - 1])

    async def call(self, tool: str, arguments: Mapping[str, object]) -> CallToolResult:
        """Run a tool, once. Raises ActionError and nothing else."""
        connection = self._connection
        if connection is None or connection.is_lost:
            raise ActionError(f"The MCP server {quoted(self.name)} does not answer now.")
        return await connection.call(tool, arguments)

    def report(self, fits: set[str]) -> ServerReport:
        """Where it stands; `fits` names the actions for which there is room."""
        full = f"there is room for {MOST_TOOLS} tools or {MOST_CHARACTERS:,} characters in all"
        no_room = [(each.tool, full) for each in self.actions if each.traits.name not in fits]
        return ServerReport(
            name=self.name,
            state=self._state,
            host=self.host,
            offered=tuple(each for each in self.actions if each.traits.name in fits),
            left_out=(*self._left_out, *no_room),
            trouble=self._trouble,
            complaint=self._safe_complaint(),
        )

    # --- inside

    async def _live(self) -> str:
        """Connect and stay for as long as it lasts; gives why it did not, after a colon."""
        # Programs of before 2026 may end at a question that they do not know.
        mode: Literal["auto", "legacy"] = "legacy" if self._failures % 2 else "auto"
        self._complaint.clear()
        try:
            async with connected(self._entry, mode=mode, errors=self._complaint) as connection:
                await self._list(connection)
                async with anyio.create_task_group() as group:
                    group.start_soon(connection.watch)
                    await self._follow(connection)
                    group.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001  # whatever a server breaks, it breaks no turn
            return _trouble(error)
        finally:
            self.actions, self._connection = (), None
        return "it ended"

    async def _follow(self, connection: Connection) -> None:
        """Keep the list of its tools; returns when the server is gone."""
        while not connection.is_lost:
            await connection.wait_news()
            if connection.is_changed and not connection.is_lost:
                connection.is_changed = False
                await self._list(connection)
                await asyncio.sleep(_BETWEEN_LISTS)

    async def _list(self, connection: Connection) -> None:
        tools = await connection.tools()
        made: dict[str, ToolAction] = {}
        left_out: list[tuple[str, str]] = []
        for tool in tools:
            if not self._is_wanted(tool):
                continue
            name = action_name(self.slug, tool.name)
            if name in made:
                left_out.append((on_one_line(tool.name, _LONGEST_TOLD), "its name is listed twice"))
                continue
            try:
                arguments = plain_schema(tool.input_schema)
            except UnfitSchemaError as error:
                left_out.append((on_one_line(tool.name, _LONGEST_TOLD), f"its arguments {error}"))
                continue
            made[name] = ToolAction.of(tool, name=name, arguments=arguments, server=self)
        self.actions, self._left_out = tuple(made.values()), tuple(left_out)
        self._connection = connection
        self._state, self._trouble = ServerState.READY, ""
        await self._changed()

    def _is_wanted(self, tool: Tool) -> bool:
        only = self._entry.only
        return tool.name not in self._entry.never and (only is None or tool.name in only)

    async def _failed(self, trouble: str) -> None:
        """Say so once, and not of a server that was there: it is mostly back at once."""
        was_ready = self._state is ServerState.READY
        is_program = not isinstance(self._entry.reached, HttpServer)
        gives_up = is_program and self._failures >= _MOST_FAILURES
        if gives_up or not (was_ready or self._trouble):
            self._tell(f"The MCP server {quoted(self.name)} cannot be used: {trouble}.")
        self._trouble = trouble
        self._state = ServerState.GIVEN_UP if gives_up else ServerState.WAITING
        await self._changed()

    def _safe_complaint(self) -> str:
        """The end of what its program wrote; hidden first and cut then, so that no end is left."""
        is_cut = len(self._complaint) >= KEPT_OF_ERRORS
        text = self._complaint.decode(errors="replace").lstrip("\ufffd")
        safe = without_secrets(text, self._entry.reached.secrets, is_cut=is_cut)
        return safe[-_LONGEST_COMPLAINT:].strip()


def _end_if_cancelled() -> None:
    """A fault of the connection can hide that this task was cancelled in the same moment."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _trouble(error: BaseException) -> str:
    """Why a server cannot be used, after a colon; nothing that it said, and no secret."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case ActionError():
            return str(error)
        case httpx2.HTTPStatusError():
            return _status(error.response.status_code)
        case MCPError():
            return _CODES.get(error.code, "what answers is no MCP server, or wants other headers")
    for kind, sentence in _KINDS:
        if isinstance(error, kind):
            return sentence
    return f"it failed ({type(error).__name__})"


_CODES = {
    CONNECTION_CLOSED: "it ended before it had answered",
    REQUEST_TIMEOUT: "it took too long to answer",
}
_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (httpx2.ConnectError, "nothing answers at its address"),
    (httpx2.ConnectTimeout, "nothing answers at its address"),
    (httpx2.TransportError, "its answers break off"),
    (ValidationError, "its answers cannot be read"),
    (TimeoutError, "it took too long to answer"),
)


def _status(status: int) -> str:
    if status in {401, 403}:
        return f"it wants a key (HTTP {status}); give it in its headers"
    return f"it answered HTTP {status}"
