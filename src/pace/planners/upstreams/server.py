"""One OpenAI-compatible server that answers relayed turns: what it is sent, it is sent as it is."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus

import aiohttp
import orjson

from pace.endpoint import LoopbackUrl, RemoteUrl
from pace.errors import PlannerError, PlannerRefusedError
from pace.planners.answers import AFTER_LAST_WORD, mapping, tells_error
from pace.planners.asking import ANSWER_LIMIT
from pace.planners.chat_stream import refusal
from pace.planners.client import FIRST_BYTE_LIMIT
from pace.planners.upstreams.connection import open_session, shown_cause, unreachable
from pace.planners.upstreams.contexts import Contexts
from pace.planners.upstreams.port import Answer, Body, Chunk
from pace.planners.upstreams.reading import (
    ChunkReader,
    chunk_of_whole,
    not_this_wire,
    read_json,
    too_much,
)

# Vectors of a whole batch of texts are some 60 MB.
_LONGEST_ANSWER = 128_000_000
# Addresses of such servers end like that, with this or another number.
_VERSION = re.compile(r"/v\d+\w*(?:/|$)")
# An error is told at once and in few words, or its status is all that is told.
_LONGEST_ERROR = 64_000
_ERROR_LIMIT = 10.0
# How long the end of a stream may come after its [DONE], so that the connection can be kept.
_LINGER = 0.02
# Whoever does not say within this many seconds that it is well is not.
_HEALTH_LIMIT = 2.0
# What a stream of events may say that it is; each server has its way.
_EVENTS = "text/event-stream"
_MAYBE_EVENTS = frozenset({"", "text/plain", "application/octet-stream"})


class ServerUpstream:
    """A server with an OpenAI-style address, such as vLLM, llama.cpp's or a provider's.

    Its `key` goes into one header and nowhere else. Nothing is ever asked twice. Limits are in
    seconds, and `first_byte_limit` is long, since a server may load its model first.
    """

    def __init__(
        self,
        base: LoopbackUrl | RemoteUrl,
        *,
        key: str | None = None,
        first_byte_limit: float = FIRST_BYTE_LIMIT,
        answer_limit: float = ANSWER_LIMIT,
    ) -> None:
        self._base = base
        self._key = key
        self._first_byte_limit = first_byte_limit
        self._answer_limit = answer_limit
        self._session: aiohttp.ClientSession | None = None
        self._contexts = Contexts(base, key, self.models, limit=answer_limit)

    @property
    def name(self) -> str:
        """The server, by its address."""
        return f"the server at {self._base}"

    # --- turns

    def answerable(self, body: Body) -> Body:
        """All of it."""
        return body

    async def complete(self, body: Body, *, affinity: str = "") -> Answer:  # noqa: ARG002  # there is one server
        """The whole answer, by one request."""
        return await self._ask("chat/completions", body)

    async def stream(self, body: Body, *, affinity: str = "") -> AsyncGenerator[Chunk, None]:  # noqa: ARG002  # as above
        """The chunks as they come; closing it closes the connection."""
        reader: ChunkReader | None = None
        try:
            async with await self._post("chat/completions", body) as response:
                if _kind(response) == "application/json":
                    yield chunk_of_whole(await self._object(response))
                    return
                reader = self._reader(response, body)
                silence = _Silence(self._first_byte_limit)
                while not reader.is_over:
                    piece = await _piece(response, is_last=reader.is_complete)
                    if not piece:
                        break
                    is_heard = False
                    for chunk in reader.feed(piece):
                        is_heard = True
                        yield chunk
                    silence.go_on(is_heard=is_heard)
                for chunk in reader.finish():
                    yield chunk
                await _linger(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            if reader is None or not reader.is_complete:
                raise self._failed(error) from shown_cause(error)

    async def embed(self, body: Body) -> Answer:
        """What /embeddings answers."""
        return await self._ask("embeddings", body)

    # --- facts

    async def models(self) -> Sequence[Mapping[str, object]]:
        """What /models lists; asked anew each time."""
        listed = mapping(await self._get("models")).get("data")
        return [
            entry
            for entry in map(mapping, listed if isinstance(listed, list) else ())
            if isinstance(entry.get("id"), str)
        ]

    async def context_tokens(self, model: str) -> int | None:
        """As the server says, by whichever way it has to say it."""
        return await self._contexts.of(model)

    async def is_ready(self) -> bool:
        """Whether it lists its models, and does not say that it is unwell.

        llama.cpp's server lists them while it loads, and says at /health that it is not ready.
        """
        root = self._base.text.removesuffix("/v1")
        try:
            async with asyncio.timeout(_HEALTH_LIMIT):
                health, listed = await asyncio.gather(
                    self._status(f"{root}/health"), self._status(f"{self._base}/models")
                )
        except (aiohttp.ClientError, TimeoutError):
            return False
        return health < HTTPStatus.INTERNAL_SERVER_ERROR and listed == HTTPStatus.OK

    async def run(self) -> None:
        """There is no other work."""

    async def aclose(self) -> None:
        """Close connections; the server is somebody else's, and stays."""
        if self._session is not None:
            await self._session.close()

    # --- one request

    def _open(self) -> aiohttp.ClientSession:
        """The connections; made when a loop runs."""
        if self._session is None:
            self._session = open_session(
                self._base, self._key, first_byte_limit=self._first_byte_limit
            )
        return self._session

    async def _post(self, path: str, body: Body) -> aiohttp.ClientResponse:
        """The head of a good answer; raises PlannerRefusedError for an error."""
        async with asyncio.timeout(self._first_byte_limit):
            response = await self._open().post(
                f"{self._base}/{path}", data=_json_of(body), allow_redirects=False
            )
        if response.status != HTTPStatus.OK:
            raise await self._refused(response)
        return response

    async def _ask(self, path: str, body: Body) -> Answer:
        try:
            async with await self._post(path, body) as response:
                return await self._object(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._failed(error) from shown_cause(error)

    async def _get(self, path: str) -> object:
        try:
            async with (
                asyncio.timeout(self._answer_limit),
                self._open().get(f"{self._base}/{path}", allow_redirects=False) as response,
            ):
                if response.status != HTTPStatus.OK:
                    raise await self._refused(response)
                return await self._object(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise self._failed(error) from shown_cause(error)

    async def _status(self, url: str) -> int:
        async with self._open().get(url, allow_redirects=False) as response:
            return response.status

    async def _object(self, response: aiohttp.ClientResponse) -> Answer:
        answer = read_json(await self._body(response, _LONGEST_ANSWER))
        if not isinstance(answer, dict):
            raise not_this_wire(self.name)
        if tells_error(answer):
            raise refusal(self.name, answer.get("error") or answer)
        return answer

    async def _body(self, response: aiohttp.ClientResponse, longest: int) -> bytes:
        body = bytearray()
        while piece := await response.content.readany():
            body += piece
            if len(body) > longest:
                raise too_much(self.name)
        return bytes(body)

    async def _refused(self, response: aiohttp.ClientResponse) -> PlannerRefusedError:
        """What a server says of its status, if it does so soon and in few words."""
        body = b""
        with suppress(aiohttp.ClientError, TimeoutError, PlannerRefusedError):
            async with response, asyncio.timeout(_ERROR_LIMIT):
                body = await self._body(response, _LONGEST_ERROR)
        fault = mapping(read_json(body)).get("error")
        is_unknown = response.status == HTTPStatus.NOT_FOUND and not isinstance(
            mapping(fault).get("code"),
            str,  # such as model_not_found
        )
        if is_unknown and not _VERSION.search(self._base.text):
            return PlannerRefusedError(
                f"{self.name} answered with HTTP 404. Does its address lack /v1?",
                status=HTTPStatus.NOT_FOUND,
            )
        return refusal(self.name, fault, response.status)

    def _failed(self, error: aiohttp.ClientError | TimeoutError) -> PlannerError:
        self._contexts.forget()  # it may be another server by now
        return unreachable(error, self.name)

    # --- a stream

    def _reader(self, response: aiohttp.ClientResponse, body: Body) -> ChunkReader:
        kind = _kind(response)
        if kind != _EVENTS and kind not in _MAYBE_EVENTS:
            raise not_this_wire(self.name)
        return ChunkReader(self.name, body, is_declared=kind == _EVENTS)


class _Silence:
    """How long a stream has shown signs of life, and said nothing."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._since: float | None = None

    def go_on(self, *, is_heard: bool) -> None:
        """Raise TimeoutError if it has been too long."""
        if is_heard:
            self._since = None
            return
        now = asyncio.get_running_loop().time()
        if self._since is None:
            self._since = now
        if now - self._since > self._limit:
            raise TimeoutError


async def _piece(response: aiohttp.ClientResponse, *, is_last: bool) -> bytes:
    """What came; nothing at the end. Raises TimeoutError for token counts that do not come."""
    if not is_last:
        return await response.content.readany()
    async with asyncio.timeout(AFTER_LAST_WORD):
        return await response.content.readany()


def _kind(response: aiohttp.ClientResponse) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _json_of(body: Body) -> bytes:
    try:
        return orjson.dumps(body)
    except TypeError:  # half a character, or a number of more than 64 bits
        return json.dumps(body).encode()


async def _linger(response: aiohttp.ClientResponse) -> None:
    """Let a stream that has said all come to its end."""
    with suppress(aiohttp.ClientError, TimeoutError):
        async with asyncio.timeout(_LINGER):
            await response.content.readany()
