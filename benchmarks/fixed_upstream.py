"""An OpenAI-compatible server that takes a fixed time and next to no work, for benchmarks.

    python benchmarks/fixed_upstream.py PORT [--first 0.05] [--between 0.005]

It answers every chat with the same reply: its first word after so many seconds, streamed or not,
and in a stream each further word after so many more. `GET /seen` gives how many chats it had and
how many bytes they held, and begins to count again.
"""

import argparse
import asyncio
import json
from collections.abc import Callable
from typing import cast

import uvloop

MODEL = "fixed"
REPLY = "Token by token this reply says that nothing here was thought about at any length at all."
WORDS = [word if at == 0 else f" {word}" for at, word in enumerate(REPLY.split())]
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)
_HEAD = {"id": "chatcmpl-fixed", "created": 1_700_000_000, "model": MODEL}
_MODELS = {"object": "list", "data": [{"id": MODEL, "object": "model", "max_model_len": 32_768}]}
_WHOLE = {
    **_HEAD,
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": REPLY},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
}


def framed(data: bytes) -> bytes:
    event = b"data: " + data + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(event), event)


def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    made = {**_HEAD, "object": "chat.completion.chunk", "choices": [choice]}
    return framed(json.dumps(made).encode())


def whole(value: object) -> bytes:
    body = json.dumps(value).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


_CHUNKS = [
    chunk({"role": "assistant", "content": WORDS[0]}),
    *(chunk({"content": word}) for word in WORDS[1:-1]),
    chunk({"content": WORDS[-1]}, "stop") + framed(b"[DONE]") + b"0\r\n\r\n",
]
_WHOLE_ANSWER = whole(_WHOLE)


class FixedServer:
    def __init__(self, *, first: float, between: float) -> None:
        self._first = first
        self._between = between
        self._chats = 0
        self._bytes = 0

    def connection(self) -> asyncio.Protocol:
        return _Connection(self._answer)

    def _answer(self, path: bytes, body: bytes, transport: asyncio.Transport) -> None:
        later = asyncio.get_running_loop().call_later
        if path == b"/seen":
            transport.write(whole({"chats": self._chats, "bytes": self._bytes}))
            self._chats = self._bytes = 0
        elif path.endswith(b"/models"):
            transport.write(whole(_MODELS))
        elif path.endswith(b"/chat/completions"):
            self._chats += 1
            self._bytes += len(body)
            if b'"stream":true' in body or b'"stream": true' in body:
                later(self._first, self._say, 0, transport)
            else:
                later(self._first, transport.write, _WHOLE_ANSWER)
        else:
            transport.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")

    def _say(self, at: int, transport: asyncio.Transport) -> None:
        if transport.is_closing():
            return
        transport.write(_CHUNKS[at] if at else _STREAM_HEAD + _CHUNKS[0])
        if at + 1 < len(_CHUNKS):
            later = asyncio.get_running_loop().call_later
            later(self._between, self._say, at + 1, transport)


class _Connection(asyncio.Protocol):
    """Reads requests with a length, one after the other."""

    def __init__(self, answer: Callable[[bytes, bytes, asyncio.Transport], None]) -> None:
        self._answer = answer
        self._held = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._held += data
        head, blank, rest = self._held.partition(b"\r\n\r\n")
        if not blank:
            return
        _, has_length, after = head.lower().partition(b"\r\ncontent-length:")
        length = int(after.partition(b"\r\n")[0]) if has_length else 0
        if len(rest) < length:
            return
        self._held = rest[length:]
        self._answer(head.split(b" ", 2)[1], rest[:length], self._transport)


async def serve(port: int, *, first: float, between: float) -> None:
    server = FixedServer(first=first, between=between)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(server.connection, "127.0.0.1", port)
    await listening.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--first", type=float, default=0.05)
    parser.add_argument("--between", type=float, default=0.005)
    told = parser.parse_args()
    uvloop.run(serve(told.port, first=told.first, between=told.between))


if __name__ == "__main__":
    main()
