"""Times the memory store, and tells when it is lost and back, before people notice."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from pace.doors.gateway.seeing.metrics import Metrics
from pace.errors import StoreUnreachableError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.ports import ThreadMemoryStore

Answer = TypeVar("Answer")


class CountedStore:
    """A ThreadMemoryStore that is timed. It changes nothing about the one that it asks."""

    def __init__(
        self, store: ThreadMemoryStore, metrics: Metrics, *, tell: Callable[[str], None]
    ) -> None:
        """`tell` gets a sentence whenever the store is lost or back."""
        self._store = store
        self._metrics = metrics
        self._tell = tell
        self._is_lost = False

    @property
    def expires(self) -> bool:
        """As the store says."""
        return self._store.expires

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        """Ask the store."""
        return await self._timed("load", lambda: self._store.load(thread_id))

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,
    ) -> bool:
        """Ask the store."""
        return await self._timed(
            "write",
            lambda: self._store.compare_and_set(thread_id, expected, memory, ends_turn=ends_turn),
        )

    @asynccontextmanager
    async def turn(self, thread_id: ThreadId) -> AsyncIterator[ThreadMemory | None]:
        """Ask the store; the time is that of getting the turn, waiting for others included."""
        async with AsyncExitStack() as holding:
            turn = self._store.turn(thread_id)
            held = await self._timed("turn", lambda: holding.enter_async_context(turn))
            yield held

    @asynccontextmanager
    async def fold(self, thread_id: ThreadId) -> AsyncIterator[bool]:
        """Ask the store."""
        async with self._store.fold(thread_id) as is_ours:
            yield is_ours

    async def unfolded(self) -> Sequence[ThreadId]:
        """Ask the store."""
        return await self._timed("unfolded", self._store.unfolded)

    async def thread_ids(self) -> Sequence[ThreadId]:
        """Ask the store."""
        return await self._timed("thread ids", self._store.thread_ids)

    async def aclose(self) -> None:
        """Close the store."""
        await self._store.aclose()

    async def _timed(self, operation: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        began, failed = time.perf_counter(), True
        try:
            answer = await ask()
            failed = False
        except StoreUnreachableError:
            if not self._is_lost:
                self._is_lost = True
                self._tell("The store does not answer. Clients that send their history are served.")
            raise
        finally:
            self._metrics.stored(operation, time.perf_counter() - began, failed=failed)
        if self._is_lost:
            self._is_lost = False
            self._tell("The store answers again.")
        return answer
