"""What every ThreadMemoryStore promises; each adapter's tests inherit it."""

import asyncio
from dataclasses import replace

import pytest

from pace.memory.summary import RollingSummary
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId
from pace.ports import ThreadMemoryStore
from pace.testing import ManualClock


class ThreadMemoryStoreContract:
    """Give the store through a fixture named `store`."""

    @pytest.fixture
    def memory(self, clock: ManualClock) -> ThreadMemory:
        return ThreadMemory(
            thread_id=ThreadId("one"), session_id=SessionId("s"), last_active_at=clock.now()
        )

    async def test_an_unknown_thread_is_none(self, store: ThreadMemoryStore) -> None:
        """Nothing is held of a thread that nobody has set."""
        assert await store.load(ThreadId("nobody")) is None

    async def test_what_was_set_is_loaded(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """A value comes back equal, under its own id alone, and is listed."""
        assert await store.compare_and_set(memory.thread_id, None, memory)
        assert await store.load(memory.thread_id) == memory
        assert await store.load(ThreadId("ONE")) is None
        assert list(await store.thread_ids()) == [memory.thread_id]

    async def test_only_the_expected_value_is_replaced(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """B24: version and text change together, or nothing does."""
        third = replace(memory, summary=RollingSummary(text="A", version=3), last_version=3)
        fourth = replace(memory, summary=RollingSummary(text="B", version=4), last_version=4)
        assert await store.compare_and_set(memory.thread_id, None, memory)
        held = await store.load(memory.thread_id)
        assert await store.compare_and_set(memory.thread_id, held, third)
        held = await store.load(memory.thread_id)
        assert await store.compare_and_set(memory.thread_id, held, fourth)
        assert not await store.compare_and_set(memory.thread_id, third, memory)
        assert not await store.compare_and_set(memory.thread_id, None, memory)
        assert await store.load(memory.thread_id) == fourth

    async def test_none_removes(self, store: ThreadMemoryStore, memory: ThreadMemory) -> None:
        """Setting None leaves nothing."""
        await store.compare_and_set(memory.thread_id, None, memory)
        held = await store.load(memory.thread_id)
        assert await store.compare_and_set(memory.thread_id, held, None)
        assert await store.load(memory.thread_id) is None
        assert list(await store.thread_ids()) == []

    async def test_one_of_many_writers_wins(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """B47: of 25 writers that expect the same value, exactly one is told that it wrote."""
        await store.compare_and_set(memory.thread_id, None, memory)
        held = await store.load(memory.thread_id)
        writes = [
            store.compare_and_set(memory.thread_id, held, replace(memory, last_version=n))
            for n in range(1, 26)
        ]
        assert sum(await asyncio.gather(*writes)) == 1
