"""The installed `pace` as a real process, and a server on this machine that it talks to."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planners.raw_server import (
    DONE,
    EVENT_STREAM,
    RawServer,
    Request,
    delta,
    event,
    json_answer,
    raw_server,
)

PACE = Path(sys.executable).with_name("pace")
CHAT = "/v1/chat/completions"
FAULT = object()
"""A reply that is HTTP 500 instead."""
Message = dict[str, str]
Line = dict[str, Any]


@dataclass(slots=True)
class ChatServer:
    """Answers each request with the next reply, or with `Reply N.`; keeps what it was sent.

    A reply that ends in ... is held open after its words, until the client leaves.
    """

    server: RawServer
    replies: list[object] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.server.url}/v1"

    @property
    def sent(self) -> list[list[Message]]:
        """The messages of every request, in order."""
        return [request.json["messages"] for request in self.server.requests_to(CHAT)]

    async def answer(self, _: Request, writer: asyncio.StreamWriter) -> None:
        number = len(self.server.requests_to(CHAT))
        reply = self.replies[number - 1] if number <= len(self.replies) else f"Reply {number}."
        if reply is FAULT:
            writer.write(json_answer({"error": {"type": "server_error"}}, status=500))
            return
        text = str(reply)
        writer.write(EVENT_STREAM)
        for at in range(0, len(text), 16):
            writer.write(event(delta(text[at : at + 16])))
        await writer.drain()
        if text.endswith("..."):
            await asyncio.Event().wait()
        writer.write(event(delta(None, finish="stop")) + DONE)
        await writer.drain()


@asynccontextmanager
async def chat_server(*replies: object) -> AsyncIterator[ChatServer]:
    async with raw_server() as server:
        served = ChatServer(server, list(replies))
        server.answer_json("/v1/models", {"data": [{"id": "scripted", "max_model_len": 8192}]})
        server.handlers[CHAT] = served.answer
        yield served


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a pace whose home is this folder, and that nothing else tells anything."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PACE_")}
    return {**kept, "PACE_HOME": str(home), "PACE_SUMMARIES__BY": "extractive", **more}


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that is over."""

    status: int
    out: str
    err: str


async def run_pace(
    home: Path, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None
) -> Ended:
    """Run one command to its end; `given` is its standard input."""
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home, **(env or {})),
    )
    out, err = await process.communicate(given)
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), err.decode())


async def run_unread(home: Path, *arguments: str, given: bytes = b"") -> Ended:
    """Run one command whose standard output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home),
    )
    os.close(writing)
    _, err = await process.communicate(given)
    assert process.returncode is not None
    return Ended(process.returncode, "", err.decode())


class Machine:
    """A `pace chat --jsonl` at work."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, request: object) -> list[Line]:
        """Send one line; gives everything up to its answer."""
        text = request if isinstance(request, bytes) else json.dumps(request).encode()
        await self.send(text)
        return await self.heard()

    async def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        await self._process.stdin.drain()

    async def say(self, text: str) -> Line:
        """Send words; gives the answer alone."""
        return (await self.ask({"text": text}))[-1]

    async def command(self, name: str, **more: object) -> Line:
        """Send a command; gives the answer alone."""
        return (await self.ask({"command": name, **more}))[-1]

    async def heard(self) -> list[Line]:
        """Every line up to the next answer."""
        lines: list[Line] = []
        while not lines or lines[-1]["type"] not in {"reply", "memory", "error"}:
            lines.append(await self.next())
        return lines

    async def next(self) -> Line:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        assert line, "machine mode ended without an answer"
        parsed: Line = json.loads(line)
        return parsed

    def interrupt(self) -> None:
        self.signal(signal.SIGINT)

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def end(self) -> tuple[int, list[Line], str]:
        """End its input; gives its status, its last lines and what it said on standard error."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        out, err = await self._process.communicate()
        assert self._process.returncode is not None
        return (
            self._process.returncode,
            [json.loads(line) for line in out.splitlines()],
            err.decode(),
        )


@asynccontextmanager
async def machine(
    home: Path, server: ChatServer | None, *flags: str, env: Mapping[str, str] | None = None
) -> AsyncIterator[Machine]:
    """Machine mode over a server, or, without one, over whatever planner the flags name."""
    over = () if server is None else ("--base-url", server.url)
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), "chat", "--jsonl", *over, *flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home, **(env or {})),
        limit=16_000_000,
    )
    try:
        yield Machine(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
