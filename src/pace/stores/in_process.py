"""Threads in this process's own memory: gone with it, and on no disk."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId


class InProcessThreadMemoryStore:
    """The ThreadMemoryStore for one process. It never fails."""

    expires = False

    def __init__(self) -> None:
        self._threads: dict[ThreadId, ThreadMemory] = {}

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        """The value that is held, or None."""
        return self._threads.get(thread_id)

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,  # noqa: ARG002  # nobody else could hold it
    ) -> bool:
        """Replace the value if it is still the one expected."""
        if self._threads.get(thread_id) is not expected:
            return False
        if memory is None:
            self._threads.pop(thread_id, None)
        else:
            self._threads[thread_id] = memory
        return True

    @asynccontextmanager
    async def turn(self, thread_id: ThreadId) -> AsyncIterator[ThreadMemory | None]:
        """The value that is held: no other process could take the turn."""
        yield self._threads.get(thread_id)

    @asynccontextmanager
    async def fold(self, thread_id: ThreadId) -> AsyncIterator[bool]:  # noqa: ARG002  # as above
        """True: no other process could fold."""
        yield True

    async def unfolded(self) -> Sequence[ThreadId]:
        """The threads with something pending."""
        return tuple(id_ for id_, memory in self._threads.items() if memory.is_pending)

    async def thread_ids(self) -> Sequence[ThreadId]:
        """The threads that are held now."""
        return tuple(self._threads)

    async def aclose(self) -> None:
        """Forget all of them."""
        self._threads.clear()
