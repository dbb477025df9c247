"""The in-process store, held to the contract of all stores."""

import pytest

from pace.memory.thread import ThreadMemory
from pace.stores.in_process import InProcessThreadMemoryStore
from stores.contract import ThreadMemoryStoreContract


class TestInProcessThreadMemoryStore(ThreadMemoryStoreContract):
    @pytest.fixture
    def store(self) -> InProcessThreadMemoryStore:
        return InProcessThreadMemoryStore()

    async def test_closing_forgets(
        self, store: InProcessThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """Nothing is held once the store is closed."""
        await store.compare_and_set(memory.thread_id, None, memory)
        await store.aclose()
        assert await store.load(memory.thread_id) is None
