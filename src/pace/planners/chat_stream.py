"""Reads a reply from an OpenAI-compatible server, event by event, however roughly it is framed."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, suppress
from http import HTTPStatus

import httpx

from pace.errors import (
    EmptyReplyError,
    PlannerError,
    PlannerRefusedError,
    PlannerUnreachableError,
)
from pace.planners.answers import (
    body_of,
    events_of,
    mapping,
    parsed,
    tells_error,
    until_over,
    whole,
)
from pace.planners.spoken import SpokenWords
from pace.ports import Finished, FinishReason, PlannerEvent, Reading

# An error is told at once, or its status is all that is told.
_ERROR_LIMIT = 10.0
# What a stream of events may say that it is; each server has its way.
_MAYBE_EVENTS = frozenset({"", "text/plain", "application/octet-stream"})
# Kinds of parts of a reply that are not for the person, and the fields that hold them.
_THOUGHTS = ("thinking", "reasoning")
_STATUSES = range(100, 600)
# What may be shown of a server's error: a word that all know, since any other may quote us. From
# the documents of OpenAI and Anthropic, and the sources of llama.cpp and vLLM.
_CONTEXT_WORDS = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_ERROR_WORDS = _CONTEXT_WORDS | {
    "api_error",
    "authentication_error",
    "BadRequestError",
    "billing_error",
    "insufficient_quota",
    "InternalServerError",
    "invalid_api_key",
    "invalid_request_error",
    "model_not_found",
    "not_found_error",
    "not_supported_error",
    "NotFoundError",
    "overloaded_error",
    "permission_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "request_too_large",
    "server_error",
    "timeout_error",
    "unavailable_error",
}
_HINTS = {
    HTTPStatus.UNAUTHORIZED: "Check its key.",
    HTTPStatus.FORBIDDEN: "Check its key.",
    HTTPStatus.NOT_FOUND: "Check its address and the model's name.",
    HTTPStatus.TOO_MANY_REQUESTS: "It is busy; wait a little and ask again.",
    HTTPStatus.SERVICE_UNAVAILABLE: "It is still loading its model; wait a little and ask again.",
}


class ReplyReader:
    """Turns the server's chunks into events. It knows no transport.

    It takes at most `longest` characters, reasoning included; a reply beyond them counts as cut.
    """

    def __init__(self, server: str, *, longest: int) -> None:
        self._server = server
        self._room = longest
        self._words = SpokenWords()
        self._reason: FinishReason | None = None
        self._usage: Mapping[str, object] = {}
        self._model: str | None = None

    @property
    def is_full(self) -> bool:
        """Whether the server sent all that will be taken."""
        return self._room <= 0

    @property
    def has_words(self) -> bool:
        """Whether anything was said that a person may see."""
        return self._words.has_words

    @property
    def is_complete(self) -> bool:
        """Whether the server said why the reply ended."""
        return self._reason is not None

    @property
    def is_counted(self) -> bool:
        """Whether the token counts came, too; nothing of use can follow."""
        return self.is_complete and bool(self._usage)

    @property
    def prompt_tokens(self) -> int | None:
        """How many tokens of prompt the server says that it read."""
        return _count(self._usage.get("prompt_tokens"))

    def take(self, data: str) -> list[PlannerEvent]:
        """The events of one chunk; raises PlannerRefusedError for an error that it carries."""
        chunk = parsed(data)
        if not isinstance(chunk, dict):
            raise _not_this_wire(self._server)
        if tells_error(chunk):
            raise refusal(self._server, chunk.get("error") or chunk)
        self._usage = mapping(chunk.get("usage")) or self._usage
        if isinstance(model := chunk.get("model"), str) and model:
            self._model = whole(model)
        self._room -= 1  # a chunk without words counts, too, so that no stream is endless
        events = _progress(chunk)
        choice = first_choice(chunk)
        # A server that does not stream gives its one message whole.
        delta = mapping(choice.get("delta")) or mapping(choice.get("message"))
        events += self._take_delta(delta)
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            is_cut = reason == "length"
            self._reason = FinishReason.LENGTH if is_cut else FinishReason.STOP
        if self.is_full:
            self._reason = FinishReason.LENGTH
        return events

    def finish(self) -> list[PlannerEvent]:
        """What was held, then Finished.

        A stream that simply ends after some words broke off: they stand, and are marked. Raises
        EmptyReplyError for a reply without words, and PlannerUnreachableError for none at all.
        """
        events = self._words.finish()
        if not self.has_words:
            if self._words.has_reasoned:
                raise EmptyReplyError(
                    "The model only reasoned and gave no reply. Ask again, or allow longer replies."
                )
            if not self.is_complete:
                raise PlannerUnreachableError(f"{self._server} broke off without a reply.")
            raise EmptyReplyError
        details = mapping(self._usage.get("prompt_tokens_details"))
        return [
            *events,
            Finished(
                reason=self._reason or FinishReason.BROKEN_OFF,
                prompt_tokens=self.prompt_tokens,
                cached_tokens=_count(details.get("cached_tokens")),
                reply_tokens=_count(self._usage.get("completion_tokens")),
                model=self._model,
            ),
        ]

    def _take_delta(self, delta: Mapping[str, object]) -> list[PlannerEvent]:
        events: list[PlannerEvent] = []
        if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
            events += self._words.think(self._taken(reasoning))
        for is_thought, text in _parts_of(delta.get("content")):
            if is_thought:
                events += self._words.think(self._taken(text))
            else:
                events += self._words.say(self._taken(text))
        return events

    def _taken(self, text: object) -> str:
        if not isinstance(text, str):
            return ""
        taken = text[: max(0, self._room)]
        self._room -= len(text)
        return taken


async def stream_reply(
    client: httpx.AsyncClient,
    url: str,
    body: Mapping[str, object],
    *,
    server: str,
    longest: int,
    keeps_torn: bool = True,
) -> AsyncGenerator[PlannerEvent, None]:
    """Send one request and give its events, Finished last; closing it closes the connection.

    `server` is how errors name it. Raises PlannerError, with none of the conversation's words. A
    connection that breaks after some words is an interruption like any other: they stand, cut
    (R11), unless `keeps_torn` is false and a broken connection is a crash to be told. An error that
    the server names is a failure, whatever came before.
    """
    reader = ReplyReader(server, longest=longest)
    try:
        async with aclosing(_taken(client, url, body, reader, server)) as events:
            async for event in events:
                yield event
    except httpx.HTTPError as error:
        if not (keeps_torn and reader.has_words):
            raise unreachable(error, server) from error
    for event in reader.finish():
        yield event


async def read_prompt(
    client: httpx.AsyncClient, url: str, body: Mapping[str, object], *, server: str, longest: int
) -> int:
    """Have a prompt read for what it leaves in the server's cache, and drop the reply.

    Gives how many tokens were read, 0 if the server does not say; cancelling closes the connection.
    Raises PlannerError.
    """
    reader = ReplyReader(server, longest=longest)
    try:
        async with aclosing(_taken(client, url, body, reader, server)) as events:
            async for _ in events:
                pass
    except httpx.HTTPError as error:
        raise unreachable(error, server) from error
    return reader.prompt_tokens or 0


async def _taken(
    client: httpx.AsyncClient,
    url: str,
    body: Mapping[str, object],
    reader: ReplyReader,
    server: str,
) -> AsyncGenerator[PlannerEvent, None]:
    """The events of one request's answer, as the reader takes its chunks."""
    async with AsyncExitStack() as opened:
        response = await _answered(client.stream("POST", url, json=body), opened, client)
        if response.status_code != HTTPStatus.OK:
            raise await _refused(response, server)
        chunked = _chunks(response, server, reader, silence=client.timeout.read)
        async with aclosing(chunked) as chunks:
            async for data in chunks:
                for event in reader.take(data):
                    yield event
                if reader.is_counted or reader.is_full:
                    return


async def _answered(
    asked: AbstractAsyncContextManager[httpx.Response],
    opened: AsyncExitStack,
    client: httpx.AsyncClient,
) -> httpx.Response:
    """The head of the answer; a server may send any number of others ahead of it."""
    try:
        async with asyncio.timeout(client.timeout.read):
            return await opened.enter_async_context(asked)
    except TimeoutError as error:
        raise httpx.ReadTimeout("no answer but signs of life") from error


def first_choice(chunk: Mapping[str, object]) -> Mapping[str, object]:
    """The reply that was asked for, if a chunk holds some of it; a server may offer several."""
    choices = chunk.get("choices")
    for choice in map(mapping, choices if isinstance(choices, list) else ()):
        if choice and not choice.get("index"):
            return choice
    return {}


def _parts_of(content: object) -> Iterator[tuple[bool, str]]:
    """The texts of a delta's content, which may come in parts, and whether each is a thought."""
    if isinstance(content, str) and content:
        yield False, content
    for part in map(mapping, content if isinstance(content, list) else ()):
        if isinstance(text := part.get("text"), str) and text:
            yield part.get("type") in _THOUGHTS, text
        for name in _THOUGHTS:
            yield from ((True, text) for _, text in _parts_of(part.get(name)))


def unreachable(error: httpx.HTTPError, server: str) -> PlannerError:
    """What a fault of the transport means to a person."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return PlannerUnreachableError(
            f"Nothing answers at {server}. Start it, or check its address."
        )
    if isinstance(error, httpx.TimeoutException):
        return PlannerUnreachableError(f"{server} took too long to answer. Is it overloaded?")
    return PlannerUnreachableError(f"The connection to {server} broke off. Ask again.")


def refusal(server: str, fault: object, status: int | None = None) -> PlannerRefusedError:
    """An error that a server named; only its status and a word that all know are shown."""
    named = mapping(fault)
    code = named.get("code")
    if status is None:
        status = _count(code)
    if status not in _STATUSES:
        status = None
    words = (word for word in (named.get("type"), code) if isinstance(word, str))
    word = next((word for word in words if word in _ERROR_WORDS), None)
    what = f"HTTP {status}" if status is not None else "an error"
    why = f" ({word})" if word else ""
    hint = _HINTS.get(HTTPStatus(status), "") if status in _HINTS else ""
    if word in _CONTEXT_WORDS:
        hint = "The prompt does not fit its context; send less at once."
    return PlannerRefusedError(
        f"{server} answered with {what}{why}. {hint or 'Its own log says more.'}", status=status
    )


async def _chunks(
    response: httpx.Response, server: str, reader: ReplyReader, *, silence: float | None
) -> AsyncGenerator[str, None]:
    """The data of each event, up to the end of the reply."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        yield await body_of(response, server=server)
        return
    otherwise = None if kind == "text/event-stream" else _not_this_wire(server)
    if otherwise is not None and kind not in _MAYBE_EVENTS:
        raise otherwise
    async with (
        aclosing(events_of(response, server=server, otherwise=otherwise)) as framed,
        aclosing(until_over(framed, lambda: reader.is_complete, silence=silence)) as events,
    ):
        async for event in events:
            if event.event == "error":
                told = mapping(parsed(event.data))
                raise refusal(server, told.get("error") or told)
            if event.data:
                yield event.data


async def _refused(response: httpx.Response, server: str) -> PlannerRefusedError:
    """What it says of its status, if it does so soon and in few words."""
    body = ""
    with suppress(TimeoutError, httpx.HTTPError, PlannerRefusedError):
        async with asyncio.timeout(_ERROR_LIMIT):
            body = await body_of(response, server=server)
    return refusal(server, mapping(parsed(body)).get("error"), response.status_code)


def _progress(chunk: Mapping[str, object]) -> list[PlannerEvent]:
    progress = mapping(chunk.get("prompt_progress"))
    done, total = _count(progress.get("processed")), _count(progress.get("total"))
    return [Reading(done, total)] if done is not None and total is not None else []


def _not_this_wire(server: str) -> PlannerRefusedError:
    return PlannerRefusedError(
        f"{server} does not answer as an OpenAI-compatible server does. "
        "Check that its address ends in /v1 if it needs that."
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
