"""Reads a request's body: JSON, an object of known form, and no more of it than is taken."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.gateway import place_of
from pace.relayed.faults import RequestFaultError

_MIB = 1024 * 1024
# A body of up to so many times the limit is read to its end and thrown away: a client that is still
# sending would see its connection break, and not why.
_DISCARDED = 4
# Deeper than any schema of a tool, and far from where Python's own functions give up (1,000).
_DEEPEST = 100
# A conversation of years; each message costs the one process that answers everybody its time.
_MOST_MESSAGES = 5000
# Lists and objects. Such a conversation, with a few parts in each message.
_MOST_VALUES = 50_000


async def read_body(request: Request, *, most: int) -> dict[str, Any]:
    """The object in a request's body, of at most `most` bytes. Raises RefusedError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(
            "Only JSON is taken here. Send it with the header Content-Type: application/json.",
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        )
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise RefusedError(
            "A body is taken as it is. Send it without a Content-Encoding.",
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        )
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most * _DISCARDED:
        raise _too_large(most, closes=True)
    place = place_of(request)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in _parts(request, place.silence):
            size += len(part)
            if size > most * _DISCARDED:
                raise _too_large(most, closes=True)
            if size > most:
                parts.clear()
                place.let_go()
            else:
                place.hold(len(part))
                parts.append(part)
    except ClientDisconnect:
        raise RefusedError("The request broke off.", status=HTTPStatus.BAD_REQUEST) from None
    if size > most:
        raise _too_large(most, closes=False)
    return _object(b"".join(parts))


async def _parts(request: Request, silence: float) -> AsyncIterator[bytes]:
    """The parts of a body as they come. Raises RefusedError if none does for so many seconds."""
    parts = request.stream()
    try:
        while True:
            async with asyncio.timeout(silence):
                part = await anext(parts)
            yield part
    except StopAsyncIteration:
        return
    except TimeoutError:
        raise RefusedError(
            f"Nothing of the body came for {silence:g} s. Send it again, whole.",
            status=HTTPStatus.REQUEST_TIMEOUT,
            headers={"Connection": "close"},
        ) from None


def _object(data: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise RefusedError(
            f"The body is not JSON (line {error.lineno}, column {error.colno}). Send one object.",
            status=HTTPStatus.BAD_REQUEST,
        ) from None
    if not isinstance(body, dict):
        raise RefusedError("The body has to be an object.", status=HTTPStatus.BAD_REQUEST)
    _check_shape(body)
    return body


def _check_shape(body: dict[str, Any]) -> None:
    """Raise RefusedError for lists and objects too deep in each other, or too many."""
    level: list[Any] = [body]
    count = 0
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
        count += len(level)
        if count > _MOST_VALUES:
            raise RefusedError(
                f"The body is made of more than {_MOST_VALUES:,} lists and objects. Send less at "
                "once.",
                status=HTTPStatus.BAD_REQUEST,
            )
    raise RefusedError(
        f"The body is nested more than {_DEEPEST} levels deep. Send it flatter.",
        status=HTTPStatus.BAD_REQUEST,
    )


_KINDS = {
    "model": (str, "a text"),
    "user": (str, "a text"),
    "safety_identifier": (str, "a text"),
    "instructions": (str, "a text"),
    "previous_response_id": (str, "a text"),
    "metadata": (dict, "an object"),
    "stream_options": (dict, "an object"),
    "stream": (bool, "true or false"),
    "store": (bool, "true or false"),
}


def check_form(body: Mapping[str, Any]) -> None:
    """Raise RequestFaultError for a field that Pace reads and that is not of its kind."""
    for name, (kind, told) in _KINDS.items():
        if (value := body.get(name)) is not None and not isinstance(value, kind):
            raise RequestFaultError(f"{name} has to be {told}.", param=name)
    for name in ("messages", "input"):
        # A list of numbers is one text that has been cut into tokens.
        value = body.get(name)
        if isinstance(value, list) and len(value) > _MOST_MESSAGES and isinstance(value[0], dict):
            raise RequestFaultError(
                f"{name} holds {len(value):,} messages, and {_MOST_MESSAGES:,} are taken at most. "
                "Leave the oldest out.",
                param=name,
            )


def _too_large(most: int, *, closes: bool) -> RefusedError:
    return RefusedError(
        f"The body is larger than {most / _MIB:g} MiB. Send less at once.",
        status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        headers={"Connection": "close"} if closes else {},
    )
