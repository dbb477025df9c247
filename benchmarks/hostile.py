"""Ten thousand hostile requests to the gateway: no server error, no hang, no growth.

    python benchmarks/hostile.py --requests 10000

Bodies and headers are made from a seed: broken JSON, deep nests, wrong types, half characters,
markers of our own, enormous names, odd headers. Every answer has to be below 500 and to come within
the time limit, and the server has to need no more memory for the second half than for the first.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
from shared_store import BIN, HERE, free_port, start, wait_ready

TIME_LIMIT = 10.0
_TEXTS = (
    "hello",
    "",
    " ",
    "\x00",
    "\ud83d",
    "é" * 50,
    "</conversation_so_far>",
    "<|im_start|>system",
    "../../etc/passwd",
    "a" * 5000,
    "\u202e\u200b",
    "{{7*7}}",
    "%s%n",
    "' OR 1=1 --",
    "\r\nX: y",
)
_NAMES = (
    "role",
    "content",
    "type",
    "text",
    "messages",
    "model",
    "stream",
    "tools",
    "user",
    "n",
    "tool_calls",
    "tool_call_id",
    "metadata",
    "thread_id",
    "input",
    "instructions",
    "previous_response_id",
    "stream_options",
    "max_tokens",
    "response_format",
    "id",
)
_PATHS = (
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/embeddings",
    "/v1/threads/x",
    "/v1/threads/x/reset",
    "/v1/models/x",
    "/v1/threads/%00",
    "/v1/models",
    "/nowhere",
)
_HEADERS = ("X-Pace-Thread", "X-OpenWebUI-Chat-Id", "X-Pace-Stateless", "Authorization", "Origin",
            "Content-Type", "X-LibreChat-Conversation-Id", "Content-Length", "Expect", "Host",
            "Content-Encoding", "Transfer-Encoding")  # fmt: skip


class Hostile:
    """Makes requests, always the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # to be the same each time

    def value(self, depth: int = 0) -> object:
        chance = self._chance
        kind = chance.randrange(12 if depth < 4 else 8)
        if kind < 3:
            return chance.choice(_TEXTS)
        simple = [None, True, -1, 1e308, 2**70]
        if kind < 8:
            return simple[kind - 3]
        if kind < 10:
            return [self.value(depth + 1) for _ in range(chance.randrange(4))]
        return {chance.choice(_NAMES): self.value(depth + 1) for _ in range(chance.randrange(5))}

    def nearly_right(self) -> dict[str, object]:
        """A chat request with something wrong in it, or nothing."""
        chance = self._chance
        messages: list[object] = []
        for _ in range(chance.randrange(1, 8)):
            message: dict[str, object] = {
                "role": chance.choice(("user", "assistant", "tool", "system", "user")),
                "content": chance.choice(_TEXTS),
            }
            if chance.random() < 0.3:
                message[chance.choice(_NAMES)] = self.value()
            messages.append(message if chance.random() < 0.95 else self.value())
        body: dict[str, object] = {"model": "recording", "messages": messages, "input": messages}
        if chance.random() < 0.5:
            body[chance.choice(_NAMES)] = self.value()
        return body

    def body(self) -> bytes:
        chance = self._chance
        kind = chance.randrange(10)
        if kind == 0:
            return chance.randbytes(chance.randrange(300))
        if kind == 1:
            depth = chance.choice((10, 1000, 100_000))
            return b'{"messages":' + b"[" * depth + b"]" * depth + b"}"
        made = self.value() if kind == 2 else self.nearly_right()
        text = json.dumps(made)
        if kind == 3:
            text = text[: chance.randrange(len(text) + 1)]
        return text.encode()

    def headers(self) -> dict[str, bytes]:
        chance = self._chance
        headers = {"Content-Type": b"application/json"}
        for _ in range(chance.randrange(3)):
            value = chance.choice(_TEXTS).replace("\r\n", "")
            headers[chance.choice(_HEADERS)] = value.encode("utf-8", "replace").replace(b"\0", b"")
        return headers

    def path(self) -> str:
        return self._chance.choice((*_PATHS[:1] * 6, *_PATHS[1:2] * 3, *_PATHS))

    def method(self) -> str:
        return self._chance.choice(("POST",) * 9 + ("GET", "DELETE", "PUT"))


def kilobytes(pid: int) -> int:
    """Resident memory of a process and its children."""
    total, waiting = 0, [pid]
    while waiting:
        at = waiting.pop()
        try:
            status = Path(f"/proc/{at}/status").read_text()
            children = Path(f"/proc/{at}/task/{at}/children").read_text()
        except OSError:
            continue
        total += next((int(x.split()[1]) for x in status.splitlines() if "VmRSS" in x), 0)
        waiting += map(int, children.split())
    return total


async def one(client: httpx.AsyncClient, hostile: Hostile) -> str:
    method, path, body, headers = (
        hostile.method(),
        hostile.path(),
        hostile.body(),
        hostile.headers(),
    )
    try:
        answer = await client.request(method, path, content=body, headers=headers)
    except httpx.TimeoutException:
        return "HANG"
    except httpx.LocalProtocolError:
        return await unchecked(client.base_url.port or 0, method, path, headers, body)
    except httpx.HTTPError:
        return "closed"  # what no server may read as a request
    if answer.status_code >= 500:
        print(f"HTTP {answer.status_code}: {method} {path} {headers} {body[:30_000]!r}")
    return str(answer.status_code)


async def unchecked(
    port: int, method: str, path: str, headers: dict[str, bytes], body: bytes
) -> str:
    """The same, written as it is: no client of good manners sends such headers."""
    lines = [f"{method} {path} HTTP/1.1".encode(), b"Connection: close"]
    lines += [name.encode() + b": " + value for name, value in headers.items()]
    if "Host" not in headers:
        lines.append(b"Host: 127.0.0.1:%d" % port)
    if not {"Content-Length", "Transfer-Encoding"} & headers.keys():
        lines.append(b"Content-Length: %d" % len(body))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(TIME_LIMIT):
            writer.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
            # A length that is a lie would be waited for as long as the client stays.
            writer.write_eof()
            answer = await reader.read()
    except TimeoutError:
        return "HANG"
    except OSError:
        return "closed"
    finally:
        writer.close()
    status = answer.split(b" ", 2)[1:2]
    return status[0].decode("latin-1") if status else "closed"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    upstream, port = free_port(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        recording = start(
            sys.executable, str(HERE / "recording_upstream.py"), str(upstream), home=home
        )
        await wait_ready(f"http://127.0.0.1:{upstream}/v1/models")
        serve = (str(BIN / "pace"), "serve", "--port", str(port))
        gateway = start(*serve, "--upstream", f"http://127.0.0.1:{upstream}/v1", home=home)
        base = f"http://127.0.0.1:{port}"
        await wait_ready(f"{base}/readyz")
        hostile, told, slowest = Hostile(args.seed), Counter[str](), 0.0
        sizes = [kilobytes(gateway.pid)]
        async with httpx.AsyncClient(base_url=base, timeout=TIME_LIMIT) as client:
            for number in range(1, args.requests + 1):
                began = time.perf_counter()
                told[await one(client, hostile)] += 1
                slowest = max(slowest, time.perf_counter() - began)
                if number % max(1, args.requests // 4) == 0:
                    sizes.append(kilobytes(gateway.pid))
            healthy = (await client.get("/readyz")).is_success
        print("answers:", ", ".join(f"{n} x {what}" for what, n in told.most_common()))
        print(f"slowest: {slowest:.2f} s; ready afterwards: {healthy}")
        print("memory at the start and after each quarter, MB:", [size // 1024 for size in sizes])
        for process in (gateway, recording):
            process.terminate()
            process.wait()


if __name__ == "__main__":
    asyncio.run(main())
