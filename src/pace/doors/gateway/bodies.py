"""Reads a request's body: JSON, an object of known form, and no more of it than is taken."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from pace.doors.gateway.faults import RefusedError
from pace.relayed.faults import RequestFaultError

_MIB = 1024 * 1024
# A body of up to so many times the limit is read to its end and thrown away: a client that is still
# sending would see its connection break, and not why.
_DISCARDED = 4
# Deeper than any schema of a tool, and far from where Python's own functions give up (1,000).
_DEEPEST = 100


async def read_body(request: Request, *, most: int) -> dict[str, Any]:
    """The object in a request's body, of at most `most` bytes. Raises RefusedError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(
            "Only JSON is taken here. Send it with the header Content-Type: application/json.",
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        )
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most * _DISCARDED:
        raise _too_large(most, closes=True)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > most * _DISCARDED:
                raise _too_large(most, closes=True)
            parts.append(part)
            if size > most:
                parts.clear()
    except ClientDisconnect:
        raise RefusedError("The request broke off.", status=HTTPStatus.BAD_REQUEST) from None
    if size > most:
        raise _too_large(most, closes=False)
    return _object(b"".join(parts))


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
    if _is_deeper(body, _DEEPEST):
        raise RefusedError(
            f"The body is nested more than {_DEEPEST} levels deep. Send it flatter.",
            status=HTTPStatus.BAD_REQUEST,
        )
    return body


def _is_deeper(value: dict[str, Any], most: int) -> bool:
    """Whether lists and objects stand in each other more than so many levels deep."""
    level: list[Any] = [value]
    for _ in range(most):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


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


def _too_large(most: int, *, closes: bool) -> RefusedError:
    return RefusedError(
        f"The body is larger than {most / _MIB:g} MiB. Send less at once.",
        status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        headers={"Connection": "close"} if closes else {},
    )
