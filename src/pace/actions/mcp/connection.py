"""One live connection to an MCP server, through the official SDK.

Nothing of a conversation goes over it but the arguments of a call. What a server asks of us
(sampling, elicitation, roots) is refused by the SDK, since we offer none of it.
"""

import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client import IncomingMessage
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
    PaginatedRequestParams,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from pace.actions.mcp.config import HttpServer, ProgramServer, ServerEntry, Wire
from pace.actions.mcp.program import environment_of, found_program, program_streams
from pace.actions.mcp.results import MOST_LISTED, cut_down
from pace.errors import ActionError, ActionUncertainError

CALL_LIMIT = 60.0
"""How long a tool may take, in seconds; then its server is told to stop."""
# A program that fetches its packages first takes a minute or two.
_CONNECT_LIMIT = 180.0
_LIST_LIMIT = 30.0
_MOST_PAGES = 50
_HTTP_LIMIT = 30.0
_LARGEST_BODY = 32_000_000
_NOT_BEGUN = {INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND}
_MAYBE_LOST = {INVALID_REQUEST, INTERNAL_ERROR, CONNECTION_CLOSED}
_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(
    CallToolResult | InputRequiredResult
)

_Item = SessionMessage | Exception
# The SDK's name for these two is a private one.
_Streams = tuple[Any, Any]
_Transport = AbstractAsyncContextManager[_Streams]

for _name in ("mcp", "client", "httpx2", "httpcore2"):
    # The SDK logs what is said to a server and by it, with whatever headers it has. No level of a
    # log that anybody sets up reaches this one. "client" is the name of its session's log.
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)


class Connection:
    """What can be asked of a server that has answered. `has_news` says that something happened.

    Then it `is_lost`, or its list of tools `is_changed`.
    """

    def __init__(self, name: str, *, is_http: bool) -> None:
        self._name = name
        self._is_http = is_http
        self._client: Client | None = None
        self.has_news = anyio.Event()
        self.is_lost = self.is_changed = False

    def client_over(self, transport: _Transport, mode: Literal["auto", "legacy"]) -> Client:
        """The client to be entered."""
        self._client = Client(
            _watched(transport, self.lose),
            mode=mode,
            cache=None,
            read_timeout_seconds=_CONNECT_LIMIT,
            client_info=Implementation(name="pace", version=version("pace")),
            message_handler=self._hear,
        )
        return self._client

    async def tools(self) -> list[Tool]:
        """The tools that it lists, as many as MOST_LISTED. Raises MCPError and others."""
        client = self._opened()
        found: list[Tool] = []
        if client.server_capabilities.tools is None:
            return found
        cursor: str | None = None
        with anyio.fail_after(_LIST_LIMIT):
            for _ in range(_MOST_PAGES):
                page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
                found += page.tools
                if not page.next_cursor or page.next_cursor == cursor or len(found) > MOST_LISTED:
                    break
                cursor = page.next_cursor
        return found[:MOST_LISTED]

    async def watch(self) -> None:
        """Ask to be told of changes, where the protocol's newest form wants to be asked."""
        client = self._opened()
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        if tools is None or not tools.list_changed:
            return
        with suppress(MCPError, SubscriptionLost, TimeoutError):
            async with client.listen(tools_list_changed=True) as events:
                # What changed before it was asked to tell, it told nobody.
                self._change()
                async for _ in events:
                    self._change()
            return  # the server ended it in order, and has nothing more to tell
        self.lose()

    async def wait_news(self) -> None:
        """Return once it is lost, or its list has changed since this returned last."""
        await self.has_news.wait()
        self.has_news = anyio.Event()

    async def call(self, tool: str, arguments: Mapping[str, object]) -> CallToolResult:
        """Run a tool, once. Raises ActionError, and ActionUncertainError once it may have begun."""
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool, arguments=dict(arguments))
        )
        try:
            # Not `call_tool`: that tries a pattern of others on the result, and repeats a call.
            answer = await self._opened().session.send_request(
                request, _ANSWER, request_read_timeout_seconds=CALL_LIMIT
            )
        except MCPError as error:
            raise self._fault(error) from error
        except (ValidationError, TimeoutError, anyio.ClosedResourceError) as error:
            # The cause is left out: it holds what the server wrote.
            raise ActionUncertainError(f"{self._name} gave no answer that can be read.") from (
                None if isinstance(error, ValidationError) else error
            )
        if isinstance(answer, InputRequiredResult):
            raise ActionError(f"{self._name} wants to ask back, which Pace lets no server do.")
        return answer

    def lose(self) -> None:
        """The server is gone, or may be; it is to be connected to anew."""
        self.is_lost = True
        self.has_news.set()

    def _fault(self, error: MCPError) -> ActionError:
        if self._is_http and error.code in _MAYBE_LOST:
            self.lose()
        if error.code in _NOT_BEGUN:
            return ActionError(f"{self._name} turned it down. Ask in other words.")
        if error.code == CONNECTION_CLOSED:
            return ActionUncertainError(f"{self._name} ended before it had answered.")
        return ActionUncertainError(f"{self._name} did not answer as it should.")

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._change()

    def _change(self) -> None:
        self.is_changed = True
        self.has_news.set()

    def _opened(self) -> Client:
        if self._client is None:
            raise AssertionError("`connected` opens it")
        return self._client


@asynccontextmanager
async def connected(
    entry: ServerEntry, *, mode: Literal["auto", "legacy"], errors: bytearray
) -> AsyncIterator[Connection]:
    """A connection for as long as the block runs, entered and left in one task.

    `errors` gets the end of what a program complains. Raises ActionError and whatever the SDK does.
    """
    reached = entry.reached
    connection = Connection(entry.name, is_http=isinstance(reached, HttpServer))
    async with connection.client_over(_transport(reached, errors), mode):
        yield connection


def _transport(reached: ProgramServer | HttpServer, errors: bytearray) -> _Transport:
    if isinstance(reached, HttpServer):
        return _over_http(reached)
    if sys.platform == "win32":
        return _over_windows_pipes(reached)
    return program_streams(reached, errors)


@asynccontextmanager
async def _over_http(server: HttpServer) -> AsyncIterator[_Streams]:
    if server.wire is Wire.SSE:
        async with sse_client(server.url, httpx_client_factory=_HttpFactory(server)) as streams:
            yield streams
        return
    async with (
        _http(server) as client,
        streamable_http_client(server.url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _over_windows_pipes(server: ProgramServer) -> AsyncIterator[_Streams]:
    environment = environment_of(server)
    parameters = StdioServerParameters(
        command=found_program(server, environment),
        args=list(server.arguments),
        env=environment,
        cwd=server.folder,
    )
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # noqa: ASYNC230  # no file
        async with stdio_client(parameters, errlog=nowhere) as streams:
            yield streams


def _http(server: HttpServer) -> httpx2.AsyncClient:
    """A client that holds its answers to a size, and uses no proxy for what is on this machine."""
    return httpx2.AsyncClient(
        # What is small while packed may be of any size.
        headers={**server.headers, "accept-encoding": "identity"},
        # A stream of notifications may be silent for hours; each request has a limit of its own.
        timeout=httpx2.Timeout(_HTTP_LIMIT, read=None),
        trust_env=bool(server.host),
        event_hooks={"response": [_bound]},
    )


class _HttpFactory:
    """Makes the client where the SDK wants to make it; what the SDK would set is set already."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server

    def __call__(
        self,
        headers: dict[str, str] | None = None,  # noqa: ARG002  # the SDK's signature
        timeout: httpx2.Timeout | None = None,  # noqa: ARG002
        auth: httpx2.Auth | None = None,  # noqa: ARG002
    ) -> httpx2.AsyncClient:
        return _http(self._server)


async def _bound(response: httpx2.Response) -> None:
    kind = response.headers.get("content-type", "")
    if isinstance(response.stream, httpx2.AsyncByteStream) and "event-stream" not in kind:
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A body that breaks off where it is longer than any answer has to be."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > _LARGEST_BODY:
                raise httpx2.ReadError("longer than any answer has to be")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


@asynccontextmanager
async def _watched(transport: _Transport, lose: Callable[[], None]) -> AsyncIterator[_Streams]:
    async with transport as (reading, writing):
        yield _Watched(reading, lose), writing


class _Watched:
    """A stream from a server that tells when it ends, which the SDK's session keeps to itself.

    What is too much in a message goes before the SDK makes its own of it.
    """

    def __init__(self, stream: MemoryObjectReceiveStream[_Item], lose: Callable[[], None]) -> None:
        self._stream = stream
        self._lose = lose

    async def receive(self) -> _Item:
        try:
            return cut_down(await self._stream.receive())
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._lose()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _Item:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
