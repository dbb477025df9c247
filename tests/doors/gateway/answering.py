"""The server behind a gateway under test: answers as it is told, and keeps what it was sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
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

CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Held:
    """Words after which nothing more comes until the gate opens or the client leaves."""

    words: str | tuple[str, ...]
    gate: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Broken:
    """Words after which the stream tells of a fault, or the answer is one if there are none."""

    words: tuple[str, ...] = ()
    status: int = 500


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of tools instead of words."""

    name: str
    arguments: str = "{}"


Reply = str | Held | Broken | Calls


@dataclass(slots=True)
class Answering:
    """Gives each request its next reply, streamed or not, as the request asks."""

    server: RawServer
    replies: list[Reply] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.server.url}/v1"

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The body of every chat request, in order."""
        return [request.json for request in self.server.requests_to(CHAT)]

    @property
    def prompts(self) -> list[list[dict[str, Any]]]:
        """The messages of each."""
        return [body["messages"] for body in self.sent]

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        number = len(self.server.requests_to(CHAT))
        reply = self.replies[number - 1] if number <= len(self.replies) else f"Reply {number}."
        if isinstance(reply, Broken) and not reply.words:
            fault = {"error": {"message": "out of order", "type": "server_error"}}
            writer.write(json_answer(fault, status=reply.status))
        elif request.json.get("stream"):
            await self._stream(request.json, reply, writer)
        else:
            await self._whole(reply, writer)
        await writer.drain()

    async def _whole(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        if isinstance(reply, Held):
            await reply.gate.wait()
        message: dict[str, Any] = {"role": "assistant", "content": reply}
        if isinstance(reply, Calls):
            message = {"role": "assistant", "content": None, "tool_calls": [_call(reply)]}
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": "tool_calls" if isinstance(reply, Calls) else "stop",
        }
        answer = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted"}
        writer.write(json_answer({**answer, "choices": [choice], "usage": _USAGE}))

    async def _stream(
        self, body: dict[str, Any], reply: Reply, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(EVENT_STREAM)
        if isinstance(reply, Calls):
            call = _call(reply)
            half = len(reply.arguments) // 2
            call["function"]["arguments"] = reply.arguments[:half]
            writer.write(event(_chunk(delta(None, tool_calls=[call]))))
            rest = {"index": 0, "function": {"arguments": reply.arguments[half:]}}
            writer.write(event(_chunk(delta(None, tool_calls=[rest]))))
            writer.write(event(_chunk(delta(None, finish="tool_calls"))) + DONE)
            return
        words = reply.words if isinstance(reply, Held | Broken) else reply
        for piece in words if isinstance(words, tuple) else _pieces(words):
            writer.write(event(_chunk(delta(piece))))
            await writer.drain()
        if isinstance(reply, Held):
            await reply.gate.wait()
        if isinstance(reply, Broken):
            writer.write(event({"error": {"message": "out of order", "type": "server_error"}}))
            return
        writer.write(event(_chunk(delta(None, finish="stop"))))
        if (body.get("stream_options") or {}).get("include_usage"):
            writer.write(event(_chunk({"choices": [], "usage": _USAGE})))
        writer.write(DONE)


_USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


def _pieces(words: str) -> list[str]:
    return [words[at : at + 4] for at in range(0, len(words), 4)]


def _chunk(part: dict[str, Any]) -> dict[str, Any]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return {**head, **part}


def _call(reply: Calls) -> dict[str, Any]:
    function = {"name": reply.name, "arguments": reply.arguments}
    return {"index": 0, "id": "call_1", "type": "function", "function": function}


@asynccontextmanager
async def answering(*replies: Reply) -> AsyncIterator[Answering]:
    """Serve these replies, in order, and `Reply N.` after them."""
    async with raw_server() as server:
        served = Answering(server, list(replies))
        listed = [{"id": "scripted", "object": "model", "max_model_len": 8192}]
        server.answer_json("/v1/models", {"data": listed})
        vectors = {"object": "list", "data": [{"index": 0, "embedding": [0.5]}], "usage": _USAGE}
        server.answer("/v1/embeddings", json_answer(vectors))
        server.handlers[CHAT] = served.answer
        yield served
