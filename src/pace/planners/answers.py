"""Takes in what a server sends, within limits: it may be anything, of any size and shape."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing

import httpx
from httpx_sse import EventSource, ServerSentEvent

from pace.errors import PlannerError, PlannerRefusedError
from pace.planners.client import FIRST_BYTE_LIMIT

# A reply's event holds a few words; with all of its likelihoods, some kilobytes.
_LONGEST_EVENT = 4_000_000
# The longest list of models that a server of many makers gives is under 1 MB.
_LONGEST_BODY = 8_000_000
# Once a reply is complete only its token counts may follow.
AFTER_LAST_WORD = 5.0
_MARK = "\ufeff".encode()
# How a stream of events begins, and how much of it tells.
_FRAMED = re.compile(rb"\s*(?:data|event|id|retry)?:")
_BEGINNING = 64


def parsed(text: str) -> object:
    """The JSON in a text; None if it is none, or is nested deeper than it could be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> Mapping[str, object]:
    """An object of JSON; empty for whatever else stands there."""
    return value if isinstance(value, dict) else {}


def whole(text: str) -> str:
    r"""Text that every encoding can write: JSON's "\ud83d" alone is half a character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class HalfCharacters:
    """Joins a character whose halves came in two pieces; a half without its other is replaced."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """What is certain so far; may be empty."""
        text = self._held + piece
        cut = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
        self._held = text[cut:]
        return whole(text[:cut])

    def finish(self) -> str:
        """What was held."""
        held, self._held = self._held, ""
        return whole(held)


async def body_of(response: httpx.Response, *, server: str) -> str:
    """The whole body of a streamed response; raises PlannerRefusedError if it is too long."""
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > _LONGEST_BODY:
            raise _too_much(server)
    return body.decode("utf-8-sig", errors="replace")


def tells_error(answer: Mapping[str, object]) -> bool:
    """Whether an object is an error, as servers tell it in an answer that claims to be good."""
    return bool(answer.get("error")) or "error" in (answer.get("object"), answer.get("type"))


async def events_of(
    response: httpx.Response, *, server: str, otherwise: PlannerError | None = None
) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of a streamed response; raises PlannerRefusedError if one is too long.

    Read as UTF-8 whatever the header says, as the format demands, and never unpacked, since
    little can unpack into much. For a body that may be anything, `otherwise` is raised if it does
    not begin as events do.
    """
    pieces = _Pieces(response, server, otherwise)
    framed = httpx.Response(
        200, headers={"content-type": "text/event-stream; charset=utf-8"}, content=pieces
    )
    async with aclosing(EventSource(framed).aiter_sse()) as events:
        async for event in events:
            if event.data:
                pieces.since_event = 0
            yield event


async def until_over(
    events: AsyncGenerator[ServerSentEvent, None],
    is_complete: Callable[[], bool],
    *,
    silence: float | None = FIRST_BYTE_LIMIT,
    after: float = AFTER_LAST_WORD,
) -> AsyncGenerator[ServerSentEvent, None]:
    """The events up to [DONE], or until nothing is to be expected any more.

    That is so many seconds `after` the reply is complete, whatever else comes, or after so many
    of `silence`, in which signs of life may come and no data. What a complete reply's connection
    does is its own.
    """
    now = asyncio.get_running_loop().time
    ends_at = None if silence is None else now() + silence
    was_complete = False
    while True:
        if is_complete() and not was_complete:
            was_complete, ends_at = True, now() + after
        if ends_at is not None and now() >= ends_at:
            return
        try:
            async with asyncio.timeout_at(ends_at):
                event = await anext(events, None)
        except TimeoutError:
            return
        except httpx.HTTPError:
            if was_complete:
                return
            raise
        if event is None or event.data == "[DONE]":
            return
        if event.data and silence is not None and not was_complete:
            ends_at = now() + silence
        yield event


class _Pieces:
    """A body piece by piece, as long as events end in it."""

    def __init__(
        self, response: httpx.Response, server: str, otherwise: PlannerError | None
    ) -> None:
        self._response = response
        self._server = server
        self._otherwise = otherwise
        self.since_event = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        beginning: bytes | None = b""
        async for piece in self._response.aiter_raw():
            self.since_event += len(piece)
            if self.since_event > _LONGEST_EVENT:
                raise _too_much(self._server)
            if beginning is None:
                yield piece
                continue
            beginning += piece
            if self._is_told_by(beginning):
                yield self._checked(beginning)
                beginning = None
        if beginning:
            yield self._checked(beginning)

    def _is_told_by(self, beginning: bytes) -> bool:
        if self._otherwise is None:
            return len(beginning) >= len(_MARK) or not _MARK.startswith(beginning)
        return len(beginning) >= _BEGINNING or b":" in beginning

    def _checked(self, beginning: bytes) -> bytes:
        beginning = beginning.removeprefix(_MARK)
        if self._otherwise is not None and not _FRAMED.match(beginning):
            raise self._otherwise
        return beginning


def _too_much(server: str) -> PlannerRefusedError:
    return PlannerRefusedError(
        f"{server} sent more at once than any answer needs. Check what runs at its address."
    )
