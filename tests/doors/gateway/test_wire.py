"""What a connection may take, by every byte that anybody could send, and by none."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from doors.gateway.answering import Held, answering
from doors.gateway.gateways import CHAT, MODEL, gateway, user
from pace.doors.gateway.wire import WireLimits

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SMALL = WireLimits(head_bytes=2000)
BRIEF = WireLimits(head_seconds=0.3)
IMPATIENT = WireLimits(unread_seconds=0.05)


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Streams]:
    """A connection that is closed at the end, whatever became of it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def told(streams: Streams, *parts: bytes) -> bytes:
    """All that is answered to these parts until the connection is closed."""
    reader, writer = streams
    for part in parts:
        writer.write(part)
        await writer.drain()
    return await reader.read()


def head(port: int, **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    first = [f"POST {CHAT} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"]
    return "\r\n".join([*first, *lines, "", ""]).encode()


async def test_a_head_that_does_not_end(tmp_path: Path) -> None:
    """A header that grows is refused at the limit, with nobody asked for a key before."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, wire=SMALL) as served,
        connected(served.port) as streams,
    ):
        answer = await told(streams, b"GET / HTTP/1.1\r\nX-A: ", b"a" * 2001)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert orjson.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]


@pytest.mark.parametrize("rest", [b"0\r\nX-A: ", b"1;x="], ids=["after", "between"])
async def test_what_stands_around_a_body(tmp_path: Path, rest: bytes) -> None:
    """What may follow a body, or stand at its pieces, has the limit of a head."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, wire=SMALL) as served,
        connected(served.port) as streams,
    ):
        reader, writer = streams
        writer.write(head(served.port, Transfer_Encoding="chunked", Expect="100-continue"))
        await reader.readuntil(b"\r\n\r\n")
        try:
            answer = await told(streams, rest, b"a" * 2001)
        except ConnectionError:
            answer = b""
    assert answer == b""
    assert server.sent == []


async def test_a_body_is_no_head(tmp_path: Path) -> None:
    """However small the limit of a head is, a body has its own."""
    async with answering() as server, gateway(server.url, tmp_path, wire=SMALL) as served:
        for _ in range(2):
            answer = await served.chat(user("word " * 1000))
            assert answer.status_code == 200


async def test_a_head_that_does_not_come(tmp_path: Path) -> None:
    """Whoever begins to ask and does not go on is told so; whoever never begins is let go of."""
    async with answering() as server, gateway(server.url, tmp_path, wire=BRIEF) as served:
        async with connected(served.port) as streams:
            begun = await told(streams, b"GET / HTTP/1.1\r\nHo")
        async with connected(served.port) as streams:
            silent = await told(streams)
    assert begun.startswith(b"HTTP/1.1 408 ")
    assert silent == b""


async def test_a_client_that_does_not_read(tmp_path: Path) -> None:
    """It is taken for gone, so that its thread is free again; what was said is kept as such."""
    held = Held(tuple("x" * 250_000 for _ in range(60)))
    body: dict[str, Any] = {"model": MODEL, "stream": True, "messages": [user("Hello")]}
    content = orjson.dumps(body)
    async with answering(held) as server, gateway(server.url, tmp_path, wire=IMPATIENT) as served:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", served.port))
            deaf.setblocking(False)  # noqa: FBT003  # its only form
            asked = head(served.port, X_Pace_Thread="t", Content_Length=str(len(content)))
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(deaf, asked + content)
            await loop.sock_recv(deaf, 1)
            await served.chat(user("And?"), thread="t")
        first, _ = (await served.look("t"))["window"]
    assert first["interrupted"]
