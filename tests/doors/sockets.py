"""Requests as anybody could write them: every byte of theirs is the test's own."""

import asyncio
from dataclasses import dataclass

Headers = list[tuple[str, str]]
UPGRADE: Headers = [
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
]


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers (names in lower case) and body of an answer."""

    status: int
    headers: Headers
    body: str

    def header(self, name: str) -> str:
        """Its value, or nothing."""
        return next((value for given, value in self.headers if given == name), "")


async def ask(
    port: int,
    target: str,
    headers: Headers,
    *,
    method: str = "GET",
    body: str = "",
    host: str = "127.0.0.1",
) -> Answer:
    """Send one request with these headers and no others; the answer's body if it has a length."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        length = [("Content-Length", str(len(body)))] if body else []
        lines = [f"{name}: {value}" for name, value in [*headers, *length]]
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""])
        writer.write((head + body).encode("latin-1"))
        await writer.drain()
        return await _answer(reader)
    finally:
        writer.close()
        await writer.wait_closed()


async def upgrade(port: int, target: str, headers: Headers) -> Answer:
    """Ask for a websocket; status 101 is a yes."""
    return await ask(port, target, [*headers, *UPGRADE])


async def _answer(reader: asyncio.StreamReader) -> Answer:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
    split = (line.partition(":") for line in lines)
    headers = [(name.lower(), value.strip()) for name, _, value in split]
    length = next((int(value) for name, value in headers if name == "content-length"), 0)
    body = await reader.readexactly(length)
    return Answer(int(first.split()[1]), headers, body.decode())
