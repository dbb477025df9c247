"""Sees each request from its beginning to its end, and has logs, metrics and traces told of it."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http import HTTPStatus
from typing import Protocol

from pace.doors.gateway.client import ClientGoneError
from pace.doors.gateway.faults import fault_of
from pace.doors.gateway.seeing.logs import Log
from pace.doors.gateway.seeing.metrics import Metrics
from pace.doors.gateway.seeing.outcomes import Outcome, SeenTurn
from pace.errors import PaceError
from pace.folding import FOLD_STARTED
from pace.memory.turn import ThreadId


class Traces(Protocol):
    """Follows a request through the systems that it crosses."""

    def turn(self, seen: SeenTurn) -> AbstractContextManager[None]:
        """Follow one, from here to the end of the block."""
        ...


class NoTraces:
    """Follows nothing."""

    def turn(self, seen: SeenTurn) -> AbstractContextManager[None]:  # noqa: ARG002  # the port
        """Follow nothing."""
        return nullcontext()


class Watching:
    """Who sees the gateway at work."""

    def __init__(self, metrics: Metrics, log: Log, traces: Traces | None = None) -> None:
        self.metrics = metrics
        self.log = log
        self._traces = traces or NoTraces()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def turn(self, seen: SeenTurn) -> Iterator[SeenTurn]:
        """See a request that a planner answers."""
        self.metrics.began()
        self._under_way += 1
        self._idle.clear()
        try:
            with self._traces.turn(seen):
                try:
                    yield seen
                except BaseException as error:
                    seen.outcome = _outcome_of(error)
                    seen.fault = (
                        error.kind if isinstance(error, PaceError) else type(error).__name__
                    )
                    raise
                finally:
                    seen.ended = time.perf_counter()
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()
            self.metrics.ended(seen)
            self.log.turn(seen)

    async def wait_idle(self) -> None:
        """Wait until no request is under way."""
        await self._idle.wait()

    def fold(self, thread_id: ThreadId, outcome: str) -> None:
        """A fold began or ended."""
        if outcome != FOLD_STARTED:
            self.metrics.folded(outcome)
            self.log.fold(thread_id, outcome)


def _outcome_of(error: BaseException) -> Outcome:
    if isinstance(error, ClientGoneError):
        return Outcome.INTERRUPTED
    if isinstance(error, PaceError):
        is_own = fault_of(error).status < HTTPStatus.INTERNAL_SERVER_ERROR
        return Outcome.REFUSED if is_own else Outcome.FAILED
    return Outcome.FAILED
