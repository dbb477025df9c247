"""A gateway that serves in the test's own loop, by real sockets, over a server of the test's."""

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import openai
import orjson
import uvicorn

from pace.doors.gateway.admission import Admission, Doorstep
from pace.doors.gateway.app import build_app
from pace.doors.gateway.gateway import Gateway
from pace.doors.gateway.keys import KeyFile, KeyRing
from pace.doors.gateway.limits import KeyLimits
from pace.doors.gateway.room import Room
from pace.doors.gateway.seeing.digests import Digests
from pace.doors.gateway.seeing.logs import Log
from pace.doors.gateway.seeing.metrics import Metrics
from pace.doors.gateway.seeing.watching import Watching
from pace.doors.gateway.turns import Turns
from pace.doors.gateway.wire import LimitedProtocol, WireLimits
from pace.doors.web.address import listening_at
from pace.endpoint import LoopbackUrl
from pace.memory.limits import ThreadLimits
from pace.planners.upstreams.server import ServerUpstream
from pace.ports import ThreadMemoryStore
from pace.settings import LogFormat
from pace.testing import ManualClock
from pace.wiring import RelayParts, assemble_relay

MODEL = "scripted"
CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Served:
    """A gateway at work. `log` holds all that it logged."""

    url: str
    port: int
    client: httpx.AsyncClient
    parts: RelayParts
    log: io.BytesIO
    keys: KeyFile

    async def chat(
        self, *messages: dict[str, Any], thread: str | None = None, **more: Any
    ) -> httpx.Response:
        """Ask for a chat in one piece, unless `stream` is given."""
        headers = more.pop("headers", {})
        if thread is not None:
            headers = {**headers, "X-Pace-Thread": thread}
        body = {"model": MODEL, "messages": list(messages), **more}
        return await self.client.post(CHAT, json=body, headers=headers)

    async def look(self, thread: str) -> dict[str, Any]:
        """What a thread holds, as the gateway tells it."""
        answer = await self.client.get(f"/v1/threads/{thread}")
        assert answer.status_code == 200, answer.text
        looked: dict[str, Any] = answer.json()
        return looked

    def openai(self, key: str = "none") -> openai.AsyncOpenAI:
        """OpenAI's own client."""
        return openai.AsyncOpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0)

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in self.log.getvalue().splitlines()]


class _Server(uvicorn.Server):
    """Leaves signals to the tests' runner."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def gateway(
    upstream: str,
    folder: Path,
    *,
    store: ThreadMemoryStore | None = None,
    origins: tuple[str, ...] = (),
    at_once: int = 32,
    per_minute: int = 600,
    longest_body: int = 100_000,
    room: Room | None = None,
    wire: WireLimits = WireLimits(),  # noqa: B008  # frozen
    **limits: Any,
) -> AsyncIterator[Served]:
    """Serve on loopback, over the server at this address."""
    log, keys = io.BytesIO(), KeyFile(folder / "keys.json")
    watching = Watching(Metrics(), Log(LogFormat.JSON, Digests(b"secret"), log))
    server = ServerUpstream(LoopbackUrl(upstream))
    parts = assemble_relay(
        limits=ThreadLimits(**limits), store=store, clock=ManualClock(), observe=watching.fold
    )
    served = Gateway(
        parts=parts,
        upstream=server,
        turns=Turns(parts.relay, server, watching),
        limits=KeyLimits(at_once=at_once, per_minute=per_minute),
        watching=watching,
        longest_body=longest_body,
        room=room or Room(),
    )

    class Protocol(LimitedProtocol):
        limits = wire

    @asynccontextmanager
    async def opening() -> AsyncIterator[Gateway]:
        work = asyncio.create_task(parts.relay.run())
        try:
            yield served
        finally:
            work.cancel()
            await asyncio.wait([work])
            await server.aclose()

    with listening_at("127.0.0.1", 0) as (listening, address):
        doorstep = Doorstep.of(
            port=address.port, names=address.names, is_loopback=True, origins=origins
        )
        app = Admission(build_app(opening), doorstep=doorstep, keys=KeyRing(keys))
        config = uvicorn.Config(
            app, http=Protocol, log_config=None, access_log=False, lifespan="on", ws="none"
        )
        running = _Server(config)
        serving = asyncio.create_task(running.serve(sockets=[listening]))
        try:
            while not running.started:  # noqa: ASYNC110  # it has no event for it
                await asyncio.sleep(0)
            async with httpx.AsyncClient(base_url=address.url) as client:
                yield Served(address.url, address.port, client, parts, log, keys)
        finally:
            running.should_exit = True
            await serving


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def events_of(text: str) -> list[Any]:
    """The data of each event: JSON, or the text itself where it is none."""
    found = []
    for block in text.split("\n\n"):
        lines = [line.removeprefix("data: ") for line in block.split("\n") if line[:5] == "data:"]
        if lines:
            data = "\n".join(lines)
            found.append(data if data == "[DONE]" else orjson.loads(data))
    return found


def words_of(events: list[Any]) -> str:
    return "".join(
        choice["delta"].get("content") or ""
        for event in events
        if event != "[DONE]"
        for choice in event.get("choices", ())
    )
