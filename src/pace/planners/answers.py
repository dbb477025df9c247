"""Takes in what a server sends, within limits: it may be anything, of any size and shape."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing

import httpx
from httpx_sse import EventSource, ServerSentEvent

from pace.errors import PlannerRefusedError

# A reply's event holds a few words; with all of its likelihoods, some kilobytes.
_LONGEST_EVENT = 4_000_000
# The longest list of models that a server of many makers gives is under 1 MB.
_LONGEST_BODY = 8_000_000


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


async def events_of(
    response: httpx.Response, *, server: str
) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of a streamed response; raises PlannerRefusedError if one is too long.

    Read as UTF-8 whatever the header says, as the format demands, and never unpacked, since
    little can unpack into much.
    """
    pieces = _Pieces(response, server)
    framed = httpx.Response(
        200, headers={"content-type": "text/event-stream; charset=utf-8"}, content=pieces
    )
    async with aclosing(EventSource(framed).aiter_sse()) as events:
        async for event in events:
            pieces.since_event = 0
            yield event


class _Pieces:
    """A body piece by piece, as long as events end in it."""

    def __init__(self, response: httpx.Response, server: str) -> None:
        self._response = response
        self._server = server
        self.since_event = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._response.aiter_raw():
            self.since_event += len(piece)
            if self.since_event > _LONGEST_EVENT:
                raise _too_much(self._server)
            yield piece


def _too_much(server: str) -> PlannerRefusedError:
    return PlannerRefusedError(
        f"{server} sent more at once than any answer needs. Check what runs at its address."
    )
