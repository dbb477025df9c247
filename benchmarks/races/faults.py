"""A store whose requests are lost, unanswered or sent twice, and between which others come first.

Whoever uses it waits at its pauses until the schedule lets it go on: after a value was read, and
after a write took place and before its answer is there. Nobody's lease holds, as if each were lost.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from random import Random
from typing import Protocol

from pace.errors import StoreUnreachableError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.ports import ThreadMemoryStore


class StoreFault(StrEnum):
    """What becomes of a request. One that is repeated was sent again, since its answer was lost."""

    LOST = "requests lost"
    UNANSWERED = "answers lost"
    REPEATED = "requests repeated"


class Pauses(Protocol):
    """Where an actor waits for its turn in the schedule."""

    async def pause(self) -> None: ...


class Faults:
    """Picks a fault for one request in six, until so many have been."""

    def __init__(self, chance: Random, kinds: Sequence[StoreFault], most: int) -> None:
        self._chance, self._kinds = chance, kinds
        self._left = most if kinds else 0
        self.happened: list[StoreFault] = []

    def draw(self) -> StoreFault | None:
        if not self._left or self._chance.random() > 1 / 6:
            return None
        self._left -= 1
        fault = self._chance.choice(self._kinds)
        self.happened.append(fault)
        return fault

    def stop(self) -> None:
        """From now on every request is answered."""
        self._left = 0


Wrote = Callable[[ThreadMemory | None, ThreadMemory], None]


class RacingStore:
    """One actor's way to the store that all of them share."""

    expires = False

    def __init__(
        self, inner: ThreadMemoryStore, pauses: Pauses, faults: Faults, wrote: Wrote
    ) -> None:
        self._inner, self._pauses, self._faults, self._wrote = inner, pauses, faults, wrote

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        fault = self._faults.draw()
        held = await self._inner.load(thread_id)
        await self._pauses.pause()
        if fault in {StoreFault.LOST, StoreFault.UNANSWERED}:
            raise StoreUnreachableError("The laboratory's store")
        return held

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,  # noqa: ARG002  # no turn is held
    ) -> bool:
        fault = self._faults.draw()
        if fault is StoreFault.LOST:
            await self._pauses.pause()
            raise StoreUnreachableError("The laboratory's store")
        is_written = await self._write(thread_id, expected, memory)
        await self._pauses.pause()
        if fault is StoreFault.UNANSWERED:
            raise StoreUnreachableError("The laboratory's store")
        if fault is StoreFault.REPEATED:
            # As the script of the shared store does it: what is there already was written.
            is_written = await self._write(thread_id, expected, memory)
            is_written = is_written or await self._inner.load(thread_id) == memory
            await self._pauses.pause()
        return is_written

    async def _write(
        self, thread_id: ThreadId, expected: ThreadMemory | None, memory: ThreadMemory | None
    ) -> bool:
        is_written = await self._inner.compare_and_set(thread_id, expected, memory)
        if is_written and memory is not None:
            self._wrote(expected, memory)
        return is_written

    @asynccontextmanager
    async def turn(self, thread_id: ThreadId) -> AsyncIterator[ThreadMemory | None]:
        yield await self.load(thread_id)

    @asynccontextmanager
    async def fold(self, thread_id: ThreadId) -> AsyncIterator[bool]:  # noqa: ARG002
        yield True

    async def unfolded(self) -> Sequence[ThreadId]:
        return await self._inner.unfolded()

    async def thread_ids(self) -> Sequence[ThreadId]:
        return await self._inner.thread_ids()

    async def aclose(self) -> None:
        """The shared store is whose it is."""
