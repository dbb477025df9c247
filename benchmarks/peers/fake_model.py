"""The one model that all peers speak to: it does as it is told, and keeps a log of every request.

`planner` answers turns and `summarizer` makes summaries, told apart by the request's model. All
that is counted is counted from the log, which is never written anywhere.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web
from planted import facts, summary
from wire import (
    Said,
    Used,
    chat,
    chat_events,
    compacted,
    messages_of,
    models,
    response,
    response_events,
)

PLANNER, SUMMARIZER = "planner", "summarizer"
SUMMARY_TOKENS = 400
_LARGEST_BODY = 2**26


class Fault(StrEnum):
    """What the summarizer does instead of its work."""

    RAISES = "raises"
    EMPTY = "returns nothing"
    HANGS = "hangs"
    ALTERNATES = "alternates"


Answering = Callable[[tuple[Said, ...]], Awaitable[str]]


@dataclass(slots=True)
class Request:
    """One request; `ended_at` (seconds, as `time.perf_counter`) stays None while it hangs.

    `is_retry` where a client of OpenAI's tells that it asks again by itself.
    """

    model: str
    messages: tuple[Said, ...]
    began_at: float
    is_retry: bool = False
    ended_at: float | None = None

    @property
    def seconds(self) -> float:
        return (self.ended_at or time.perf_counter()) - self.began_at

    @property
    def text(self) -> str:
        return "\n".join(said.text for said in self.messages)

    @property
    def words(self) -> str:
        """What the person said last."""
        return next((said.text for said in reversed(self.messages) if said.role == "user"), "")


@dataclass(slots=True)
class FakeModel:
    """What it does, to be changed at any time, and what it was asked.

    Seconds are how long each takes. With `answers_turns` or `summarizes`, replies and
    summaries are made by it.
    """

    planner_seconds: float = 0.0
    summarizer_seconds: float = 0.0
    fault: Fault | None = None
    reply: str = "Noted."
    answers_turns: Answering | None = None
    summarizes: Answering | None = None
    log: list[Request] = field(default_factory=list)
    _summarizing: asyncio.Event = field(default_factory=asyncio.Event)
    _let_go: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: bool = False

    # --- what is asked of the log

    def asked(self, model: str) -> list[Request]:
        return [request for request in self.log if request.model == model]

    def prompt_of(self, planted: str) -> Request | None:
        """The request that a turn's own words made: the last one that ends with them."""
        prompts = reversed(self.asked(PLANNER))
        return next((request for request in prompts if planted in request.words), None)

    async def wait_summarizing(self) -> None:
        """Wait until a summary has been asked for."""
        await self._summarizing.wait()

    # --- hanging

    def break_off(self) -> None:
        """End what hangs, and from now on whatever would."""
        self._let_go.set()

    def hang_again(self) -> None:
        self._let_go.clear()

    # --- answering

    async def answer(self, request: Request) -> str:
        """Raises web.HTTPInternalServerError or ConnectionResetError, as the fault is."""
        if request.model == SUMMARIZER:
            self._summarizing.set()
            return await self._summary(request)
        await asyncio.sleep(self.planner_seconds)
        if self.answers_turns is not None:
            return await self.answers_turns(request.messages)
        return self.reply

    async def _summary(self, request: Request) -> str:
        await asyncio.sleep(self.summarizer_seconds)
        if self.fault is Fault.HANGS:
            await self._let_go.wait()
            raise ConnectionResetError
        if self.fault is Fault.RAISES or (self.fault is Fault.ALTERNATES and self._fails(request)):
            raise web.HTTPInternalServerError(text=_FAULT, content_type="application/json")
        if self.fault is Fault.EMPTY:
            return ""
        if self.summarizes is not None:
            return await self.summarizes(request.messages)
        text = request.text
        return (facts if "<fact>" in text else summary)(text, SUMMARY_TOKENS)

    def _fails(self, request: Request) -> bool:
        """Every other time; a client's own try at the same request fares as the one before."""
        if not request.is_retry:
            self._failed = not self._failed
        return self._failed


_FAULT = json.dumps({"error": {"message": "Planted fault.", "type": "server_error", "code": None}})


# --- the server


@asynccontextmanager
async def serving(model: FakeModel) -> AsyncIterator[str]:
    """Serve it on this machine; gives the address, which ends with /v1."""
    app = web.Application(client_max_size=_LARGEST_BODY)
    door = _Door(model)
    app.add_routes(
        [
            web.get("/v1/models", door.models),
            web.post("/v1/chat/completions", door.chat),
            web.post("/v1/responses", door.responses),
            web.post("/v1/responses/compact", door.compact),
        ]
    )
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        model.break_off()
        await runner.cleanup()


class _Door:
    def __init__(self, model: FakeModel) -> None:
        self._model = model

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response(models((PLANNER, SUMMARIZER)))

    async def chat(self, asked: web.Request) -> web.StreamResponse:
        body, text, used = await self._answered(asked)
        name = str(body["model"])
        if body.get("stream"):
            return await _streamed(asked, chat_events(name, text, used))
        return web.json_response(chat(name, text, used))

    async def responses(self, asked: web.Request) -> web.StreamResponse:
        body, text, used = await self._answered(asked)
        name = str(body["model"])
        if body.get("stream"):
            return await _streamed(asked, response_events(name, text, used))
        return web.json_response(response(name, text, used))

    async def compact(self, asked: web.Request) -> web.Response:
        body, text, used = await self._answered(asked)
        return web.json_response(compacted(messages_of(body), text, used))

    async def _answered(self, asked: web.Request) -> tuple[dict[str, object], str, Used]:
        body = await asked.json()
        request = Request(
            str(body.get("model")),
            messages_of(body),
            time.perf_counter(),
            is_retry=asked.headers.get("x-stainless-retry-count", "0") != "0",
        )
        self._model.log.append(request)
        try:
            text = await self._model.answer(request)
            return body, text, Used.by(request.messages, text)
        except ConnectionResetError:
            if asked.transport is not None:
                asked.transport.abort()
            raise
        finally:
            request.ended_at = time.perf_counter()


async def _streamed(asked: web.Request, events: Iterator[bytes]) -> web.StreamResponse:
    streamed = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await streamed.prepare(asked)
    for event in events:
        await streamed.write(event)
    await streamed.write_eof()
    return streamed
