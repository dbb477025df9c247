"""What every ThreadMemoryStore promises; each adapter's tests inherit it."""

import asyncio
from dataclasses import replace

import pytest

from pace.memory.summary import RollingSummary
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair
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

    async def test_a_turn_gives_what_is_held(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """Whoever has the turn sees the value, and what is written in it is there for the next."""
        async with store.turn(memory.thread_id) as held:
            assert held is None
            assert await store.compare_and_set(memory.thread_id, held, memory)
        later = replace(memory, last_version=1)
        async with store.turn(memory.thread_id) as held:
            assert held == memory
            assert await store.compare_and_set(memory.thread_id, held, later)
        async with store.turn(memory.thread_id) as held:
            assert held == later

    async def test_the_last_write_can_end_the_turn(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """After a write that ends the turn, the next turn begins though the block goes on."""
        async with store.turn(memory.thread_id) as held:
            assert await store.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
            async with store.turn(memory.thread_id) as next_held:
                assert next_held == memory

    async def test_a_write_that_came_late_ends_nothing(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """In a turn, too, only the expected value is replaced; then it can be tried again."""
        async with store.turn(memory.thread_id) as held:
            other = replace(memory, last_version=1)
            assert await store.compare_and_set(memory.thread_id, held, other)
            assert not await store.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
            now_held = await store.load(memory.thread_id)
            assert await store.compare_and_set(memory.thread_id, now_held, memory, ends_turn=True)

    async def test_a_turn_that_fails_is_over(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """An error leaves the turn free, and the value as it was."""
        await store.compare_and_set(memory.thread_id, None, memory)
        with pytest.raises(ZeroDivisionError):
            async with store.turn(memory.thread_id):
                raise ZeroDivisionError
        async with store.turn(memory.thread_id) as held:
            assert held == memory

    async def test_one_fold_after_another(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """A thread may be folded here, during a turn too, and again when a fold is over."""
        async with store.turn(memory.thread_id), store.fold(memory.thread_id) as is_ours:
            assert is_ours
        async with store.fold(memory.thread_id) as is_ours:
            assert is_ours

    async def test_what_is_pending_is_listed(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """A thread is listed from when a pair of it waits for a fold until none does."""
        assert list(await store.unfolded()) == []
        waiting = replace(memory, pending=(pair(1, memory),), next_number=2)
        other = replace(memory, thread_id=ThreadId("two"))
        await store.compare_and_set(other.thread_id, None, other)
        await store.compare_and_set(memory.thread_id, None, waiting)
        assert list(await store.unfolded()) == [memory.thread_id]
        held = await store.load(memory.thread_id)
        folded = replace(memory, next_number=2)
        assert await store.compare_and_set(memory.thread_id, held, folded)
        assert list(await store.unfolded()) == []

    async def test_words_come_back_as_they_were(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """R1: a long pair, signs of all kinds and half a surrogate pair are held as said."""
        words = "\x00 naïve 你好 👋 \ud800 '\"\\ \r\n" + "word " * 20_000
        said = replace(memory, window=(replace(pair(1, memory), user_text=words),), next_number=2)
        await store.compare_and_set(memory.thread_id, None, said)
        assert await store.load(memory.thread_id) == said

    async def test_any_id_names_a_thread_of_its_own(
        self, store: ThreadMemoryStore, memory: ThreadMemory
    ) -> None:
        """B132: ids that look like paths, patterns or keys are distinct, and touch no other."""
        ids = [
            *("../../etc/passwd", "a/b", "a:b", "a*", "", "A", "a", "a\x00", "{a}", "{", "\ud800"),
            *("spaces/abc/threads/1", "x" * 5_000, "x" * 4_999, "a:value", " a", "*"),
        ]
        values = [replace(memory, thread_id=ThreadId(name)) for name in ids]
        for value in values:
            assert await store.compare_and_set(value.thread_id, None, value)
        assert [await store.load(value.thread_id) for value in values] == values
        assert sorted(await store.thread_ids()) == sorted(ids)
        first = values[0].thread_id
        assert await store.compare_and_set(first, await store.load(first), None)
        assert sorted(await store.thread_ids()) == sorted(ids[1:])


def pair(number: int, memory: ThreadMemory) -> TurnPair:
    """A pair of that number, said when the thread was last active."""
    return TurnPair(
        turn_id=TurnId(f"t{number}"),
        number=number,
        user_text=f"Question {number}?",
        reply_text=f"Answer {number}.",
        recorded_at=memory.last_active_at,
    )
