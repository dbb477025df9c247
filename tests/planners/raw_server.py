"""A loopback server that answers byte for byte as a test says, and keeps what it was sent."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

DONE = b"data: [DONE]\n\n"
EVENT_STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class RawServer:
    """Handles each path by its own function; whatever has none gets 404."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    handlers: dict[str, Handler] = field(default_factory=dict)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a client closed its connection before the answer was over."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def requests_to(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path.partition("?")[0] == path]

    def answer(self, path: str, *pieces: bytes) -> None:
        """Send these bytes, piece by piece, each its own write."""

        async def send(_: Request, writer: asyncio.StreamWriter) -> None:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()

        self.handlers[path] = send

    def answer_json(self, path: str, value: object, *, status: int = 200) -> None:
        self.answer(path, json_answer(value, status=status))

    def hold(self, path: str, *pieces: bytes) -> asyncio.Event:
        """Send these bytes, then keep the connection open until the client goes or `event` sets."""
        event = asyncio.Event()

        async def send(_: Request, writer: asyncio.StreamWriter) -> None:
            for piece in pieces:
                writer.write(piece)
            await writer.drain()
            await event.wait()

        self.handlers[path] = send
        return event

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read(reader)
            if request is None:
                return
            self.requests.append(request)
            handler = self.handlers.get(request.path.partition("?")[0])
            if handler is None:
                writer.write(json_answer({"error": {"type": "not_found"}}, status=404))
                return
            answering = asyncio.ensure_future(handler(request, writer))
            leaving = asyncio.ensure_future(reader.read(1))
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() or isinstance(answering.exception(), ConnectionError):
                self.hung_up.set()
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
        except ConnectionError:
            self.hung_up.set()
        finally:
            writer.close()


@asynccontextmanager
async def raw_server() -> AsyncIterator[RawServer]:
    served = RawServer()
    listening = await asyncio.start_server(served._serve, "127.0.0.1", 0)
    served.port = listening.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        listening.close()
        await listening.wait_closed()


def json_answer(value: object, *, status: int = 200) -> bytes:
    return body_answer(json.dumps(value).encode(), status=status)


def body_answer(body: bytes, *, status: int = 200) -> bytes:
    """A body that says of itself that it is JSON."""
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def delta(text: str | None, *, finish: str | None = None, **more: object) -> dict[str, object]:
    """One chunk of a reply."""
    return {"choices": [{"index": 0, "delta": {"content": text, **more}, "finish_reason": finish}]}


def event(chunk: object, *, space: str = " ", line_end: str = "\n") -> bytes:
    """A chunk as the wire frames it; text stands as it is, not escaped."""
    data = json.dumps(chunk, ensure_ascii=False)
    return f"data:{space}{data}{line_end}{line_end}".encode()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)
