"""Asks a provider for one reply: again where that may help, and never once words have come."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from http import HTTPStatus
from math import ceil
from typing import Protocol

import httpx
import httpx2
from httpx_sse import ServerSentEvent

from pace.errors import EmptyReplyError, PlannerError, PlannerRefusedError
from pace.planners.answers import body_of, events_of, until_over
from pace.planners.client import FIRST_BYTE_LIMIT
from pace.planners.direct.faults import Fault, FaultError, error_of
from pace.planners.direct.limiter import Limiter
from pace.ports import Notice, PlannerEvent

# Servers that are up and have too much to do; 529 is Anthropic's own.
_BUSY = frozenset({HTTPStatus.SERVICE_UNAVAILABLE, 529})
# What a stream of events may say that it is.
_MAYBE_EVENTS = frozenset({"", "text/plain", "application/octet-stream"})


class Answer(Protocol):
    """A response of either library, its body not yet read."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Its headers."""
        ...

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Its body, piece by piece."""
        ...


class Reader(Protocol):
    """Turns one reply's events of the wire into ours."""

    @property
    def is_complete(self) -> bool:
        """Whether the provider said why the reply ended."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether nothing of use can follow."""
        ...

    @property
    def has_words(self) -> bool:
        """Whether anything was said that a person may see."""
        ...

    @property
    def was_cut(self) -> bool:
        """Whether the reply ended at its limit."""
        ...

    def take(self, event: ServerSentEvent) -> list[PlannerEvent]:
        """Our events for one of theirs; raises FaultError for an error that it tells of."""
        ...

    def finish(self) -> list[PlannerEvent]:
        """What was held, then Finished; raises EmptyReplyError for a reply without words."""
        ...


class Wire(Protocol):
    """How one reply is asked for, by one provider's library."""

    def open(self) -> AbstractAsyncContextManager[Answer]:
        """The call as it is to be made by what is known now; entering it makes it."""
        ...

    def reader(self) -> Reader:
        """For one answer."""
        ...

    @property
    def library_error(self) -> type[Exception]:
        """What all errors of the library are."""
        ...

    def learn(self, fault: Fault) -> bool:
        """Whether the next call will be another one, since something was learned from this."""
        ...

    def learn_reasoning(self) -> bool:
        """Whether the next call will leave more room, since reasoning took all there was."""
        ...


class _MoreRoomError(Exception):
    """The model reasoned until its limit; another call leaves it more room."""


async def reply_of(
    wire: Wire, limiter: Limiter, *, host: str, provider: str
) -> AsyncGenerator[PlannerEvent, None]:
    """The reply's events, Finished last; raises PlannerError, with no word of the conversation.

    Before its first event a call that fails in passing is made again, a few times at most. One
    from which something is learned is made again at once.
    """
    calls, why = 0, f"{host} is busy"
    while True:
        if (pause := limiter.pause) > 0:
            yield Notice(f"{why}; trying again in {ceil(pause)} s.")
            await limiter.wait()
        calls += 1
        has_begun = False
        try:
            async with aclosing(_one_reply(wire, host)) as events:
                async for event in events:
                    has_begun = True
                    yield event
        except FaultError as error:
            fault = error.fault
        except _MoreRoomError:
            yield Notice("The model only reasoned; asking it once more, with more room.")
            continue
        else:
            return
        if not has_begun and wire.learn(fault):
            continue
        if has_begun or not limiter.may_repeat(fault, calls):
            raise error_of(fault, host=host, provider=provider)
        why = _why(host, fault.status)


async def _one_reply(wire: Wire, host: str) -> AsyncGenerator[PlannerEvent, None]:
    """One call's events. A connection that breaks after some words cuts the reply, and no more."""
    reader = wire.reader()
    try:
        async with AsyncExitStack() as opened:
            async with asyncio.timeout(FIRST_BYTE_LIMIT):  # whatever comes ahead of its head
                answer = await opened.enter_async_context(wire.open())
            async with aclosing(_events(answer, reader, host)) as events:
                async for event in events:
                    for ours in reader.take(event):
                        yield ours
                    if reader.is_over:
                        break
    except (FaultError, PlannerError):
        raise
    except Exception as error:
        fault = _fault_of(error, wire.library_error)
        if fault is None:
            raise
        if not reader.has_words:
            raise FaultError(fault) from error
    for ours in _last_of(reader, wire):
        yield ours


def _last_of(reader: Reader, wire: Wire) -> list[PlannerEvent]:
    try:
        return reader.finish()
    except EmptyReplyError as error:
        if reader.was_cut and wire.learn_reasoning():
            raise _MoreRoomError from error
        raise


async def _events(
    answer: Answer, reader: Reader, host: str
) -> AsyncGenerator[ServerSentEvent, None]:
    """An answer's events; one that is not streamed is a single one."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    # The same careful reading as for servers on this machine: it knows only its own responses.
    framed = httpx.Response(HTTPStatus.OK, content=answer.iter_bytes())
    if kind == "application/json":
        yield ServerSentEvent(data=await body_of(framed, server=host))
        return
    otherwise = None
    if kind != "text/event-stream":
        otherwise = PlannerRefusedError(
            f"{host} does not answer as such an API does. Check its address."
        )
        if kind not in _MAYBE_EVENTS:
            raise otherwise
    async with (
        aclosing(events_of(framed, server=host, otherwise=otherwise)) as sent,
        aclosing(until_over(sent, lambda: reader.is_complete)) as events,
    ):
        async for event in events:
            yield event


def _fault_of(error: Exception, library_error: type[Exception]) -> Fault | None:
    """What an error of the transport or the library means; None for one of neither."""
    if not isinstance(error, library_error):
        return _fault_of_transport(error)
    if isinstance(error.__cause__, FaultError):
        return error.__cause__.fault
    # Its own words are not kept: they may quote the answer.
    return _fault_of_transport(error.__cause__) or Fault(may_repeat=False)


def _fault_of_transport(error: BaseException | None) -> Fault | None:
    """Waiting again for what took minutes already helps nobody."""
    if isinstance(error, TimeoutError):
        return Fault(cause=error, may_repeat=False)
    if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
        return Fault(cause=error, may_repeat=False)
    if isinstance(error, httpx2.TransportError):
        return Fault(cause=error)
    if isinstance(error, httpx2.HTTPError | httpx2.StreamError):
        return Fault(cause=error, may_repeat=False)
    return None


def _why(host: str, status: int | None) -> str:
    """Why it is tried again, in words."""
    if status is None:
        return f"Nothing answers at {host}"
    is_fault = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _BUSY
    return f"{host} has a fault (HTTP {status})" if is_fault else f"{host} is busy"
