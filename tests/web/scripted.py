"""A model's server whose replies a test scripts, also piece by piece."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from doors.running import CHAT, FAULT, Message
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

__all__ = ["FAULT", "Refused", "Scripted", "Told", "scripted_server"]

_PIECE = 16


class Told:
    """A reply that comes as the test tells it: `say` a piece at a time, and `end`.

    `asked` is set once the request for it has come.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def say(self, text: str) -> None:
        self._pieces.put_nowait(text)

    def end(self) -> None:
        self._pieces.put_nowait(None)

    async def write_to(self, writer: asyncio.StreamWriter) -> None:
        self.asked.set()
        while (piece := await self._pieces.get()) is not None:
            writer.write(event(delta(piece)))
            await writer.drain()


@dataclass(frozen=True, slots=True)
class Refused:
    """A reply that is HTTP 400 instead, with what the server says of it."""

    message: str


@dataclass(slots=True)
class Scripted:
    """Answers each request with the next reply of `replies`, or with `Reply N.` if none is left.

    A reply is a text (held open after its words if it ends in ...), a `Told`, `Refused`,
    or FAULT (HTTP 500).
    """

    server: RawServer
    replies: deque[object] = field(default_factory=deque)

    @property
    def url(self) -> str:
        return f"{self.server.url}/v1"

    @property
    def sent(self) -> list[list[Message]]:
        """The messages of every request, in order."""
        return [request.json["messages"] for request in self.server.requests_to(CHAT)]

    def will_reply(self, *replies: object) -> None:
        """Script the next replies, and nothing after them."""
        self.replies = deque(replies)

    async def answer(self, _: Request, writer: asyncio.StreamWriter) -> None:
        reply = self.replies.popleft() if self.replies else f"Reply {len(self.sent)}."
        if reply is FAULT:
            writer.write(json_answer({"error": {"type": "server_error"}}, status=500))
            return
        if isinstance(reply, Refused):
            error = {"type": reply.message, "code": reply.message, "message": reply.message}
            writer.write(json_answer({"error": error}, status=400))
            return
        writer.write(EVENT_STREAM)
        if isinstance(reply, Told):
            await reply.write_to(writer)
        else:
            text = str(reply)
            for at in range(0, len(text), _PIECE):
                writer.write(event(delta(text[at : at + _PIECE])))
            await writer.drain()
            if text.endswith("..."):
                await asyncio.Event().wait()
        writer.write(event(delta(None, finish="stop")) + DONE)
        await writer.drain()


@asynccontextmanager
async def scripted_server(*replies: object, model: str = "scripted") -> AsyncIterator[Scripted]:
    async with raw_server() as server:
        served = Scripted(server, deque(replies))
        server.answer_json("/v1/models", {"data": [{"id": model, "max_model_len": 8192}]})
        server.handlers[CHAT] = served.answer
        yield served
