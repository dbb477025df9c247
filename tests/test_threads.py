"""Read, change, write: nothing is lost between writers, and endings are told once."""

import asyncio
from datetime import timedelta

import pytest

from pace.errors import StoreConflictError
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId, TurnId
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.testing import ManualClock
from pace.threads import EndCause, SessionEnded, Threads
from turns import THREAD


class ContestedStore(InProcessThreadMemoryStore):
    """A store in which another writer comes first, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._left = times

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,
    ) -> bool:
        if self._left:
            self._left -= 1
            await asyncio.sleep(0)
            return False
        return await super().compare_and_set(thread_id, expected, memory, ends_turn=ends_turn)


def accepted(memory: ThreadMemory) -> tuple[ThreadMemory, str]:
    return memory.accept(TurnId("t")), "accepted"


async def test_a_change_is_made_again_when_another_writer_came_first(clock: ManualClock) -> None:
    """A step that lost the race is applied to what the winner left."""
    threads = Threads(ContestedStore(3), clock, ThreadLimits())
    assert await threads.change(THREAD, accepted) == "accepted"
    assert (await threads.look(THREAD)).open_turns == ("t",)


async def test_a_change_that_never_gets_its_turn_says_so(clock: ManualClock) -> None:
    """A store that always refuses ends in one clear sentence."""
    threads = Threads(ContestedStore(10_000), clock, ThreadLimits())
    with pytest.raises(StoreConflictError, match="busy"):
        await threads.change(THREAD, accepted)


async def test_concurrent_changes_are_all_kept(clock: ManualClock) -> None:
    """B47: 25 writers at once, each in its own turn id; all of them are there afterwards."""
    threads = Threads(InProcessThreadMemoryStore(), clock, ThreadLimits())
    async with asyncio.TaskGroup() as group:
        for n in range(25):
            group.create_task(
                threads.change(THREAD, lambda m, n=n: (m.accept(TurnId(f"t{n}")), None))  # type: ignore[misc]
            )
    assert set((await threads.look(THREAD)).open_turns) == {f"t{n}" for n in range(25)}


async def test_ids_are_only_ever_keys(clock: ManualClock) -> None:
    """B132: ids that look like paths, patterns or other ids name different threads."""
    threads = Threads(InProcessThreadMemoryStore(), clock, ThreadLimits())
    names = ["../../etc/passwd", "a/b", "a:b", "a*", "A", "a", "\0", "x" * 5000]
    sessions = [(await threads.look(ThreadId(name))).session_id for name in names]
    assert len(set(sessions)) == len(names)


async def test_memory_off_ends_the_session_at_once(clock: ManualClock) -> None:
    """Switching memory off tells of the ending, with its cause, once."""
    threads = Threads(InProcessThreadMemoryStore(), clock, ThreadLimits())
    told: list[SessionEnded] = []

    async def listen(ended: SessionEnded) -> None:
        told.append(ended)

    threads.when_ended(listen)
    session = (await threads.look(THREAD)).session_id
    await threads.set_limits(ThreadLimits(remember=False))
    await threads.set_limits(ThreadLimits(remember=False))
    assert told == [SessionEnded(thread_id=THREAD, session_id=session, cause=EndCause.OFF)]


async def test_new_limits_reach_threads_that_are_held_and_those_to_come(
    clock: ManualClock,
) -> None:
    """B114: limits apply at once, without a restart."""
    threads = Threads(InProcessThreadMemoryStore(), clock, ThreadLimits())
    await threads.look(THREAD)
    limits = ThreadLimits(window_size=2, idle_after=timedelta(minutes=5))
    await threads.set_limits(limits)
    assert (await threads.look(THREAD)).limits == limits
    assert (await threads.look(ThreadId("new"))).limits == limits


async def test_what_the_store_lost_in_a_turn_does_not_come_back(clock: ManualClock) -> None:
    """It may have been reset before: the turn finds a new session, and is told so."""
    store = InProcessThreadMemoryStore()
    threads = Threads(store, clock, ThreadLimits())
    first = (await threads.look(THREAD)).session_id
    async with threads.hold(THREAD) as turn:
        await threads.end(THREAD, first, EndCause.RESET)
        await store.aclose()  # as a server does that restarts
        found = await turn.finish(lambda memory: (memory.accept(TurnId("t")), memory.session_id))
    assert turn.memory.session_id == first != found


async def test_a_reset_names_its_session(clock: ManualClock) -> None:
    """A reset of a session that is already over ends no other."""
    threads = Threads(InProcessThreadMemoryStore(), clock, ThreadLimits())
    first = (await threads.look(THREAD)).session_id
    await threads.end(THREAD, first, EndCause.RESET)
    second = (await threads.look(THREAD)).session_id
    await threads.end(THREAD, first, EndCause.RESET)
    assert (await threads.look(THREAD)).session_id == second != first
