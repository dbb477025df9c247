"""Many processes on one thread: nothing acknowledged is lost, and the dead hold nobody up."""

import asyncio
import multiprocessing
from dataclasses import replace

import pytest

from pace.memory.thread import ThreadMemory
from pace.stores.redis.store import RedisThreadMemoryStore
from stores.appending import THREAD, append, hold
from stores.conftest import OpenStore
from stores.servers import Server

WRITERS = 25


@pytest.fixture(scope="session")
def processes() -> multiprocessing.context.ForkServerContext:
    """Processes that begin with the store imported, so that 25 of them begin in a moment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pace.stores.redis.store", "pace.threads"])
    return context


async def test_25_processes_lose_no_acknowledged_write(
    processes: multiprocessing.context.ForkServerContext,
    own_server: Server,
    open_store: OpenStore,
    prefix: str,
    memory: ThreadMemory,
) -> None:
    """B47: as many pairs as were acknowledged; every other writer was told of the conflict.

    Each writes what it saw before the barrier, so one of them wins. Then each takes a turn, and all
    of those are recorded, in an order of their own. Versions and times never go down.
    """
    store = await open_store(own_server)
    began = replace(memory, thread_id=THREAD)
    await store.compare_and_set(THREAD, None, began)
    barrier, results = processes.Barrier(WRITERS), processes.Queue()
    writers = [
        processes.Process(
            target=append, args=(own_server.url, prefix, str(number), barrier, results), daemon=True
        )
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    seen = [began]
    told = asyncio.gather(*(asyncio.to_thread(results.get) for _ in writers))
    while not told.done():
        seen.append(await _loaded(store))
        await asyncio.sleep(0.01)  # leaves the processors to the writers
    for writer in writers:
        await asyncio.to_thread(writer.join)

    names, written, turns = zip(*await told, strict=True)
    assert written.count(True) == 1
    assert turns == ("recorded",) * WRITERS
    held = await _loaded(store)
    winner = f"{names[written.index(True)]}-write"
    pairs = (*held.pending, *held.window)
    assert [pair.number for pair in pairs] == list(range(1, WRITERS + 2))
    assert pairs[0].turn_id == winner
    assert {pair.turn_id for pair in pairs[1:]} == {f"{name}-turn" for name in names}
    states = [(one.last_version, one.last_active_at, one.next_number) for one in (*seen, held)]
    assert states == sorted(states)


async def _loaded(store: RedisThreadMemoryStore) -> ThreadMemory:
    held = await store.load(THREAD)
    assert held is not None
    return held


async def test_a_process_that_dies_loses_its_leases(
    processes: multiprocessing.context.ForkServerContext,
    own_server: Server,
    open_store: OpenStore,
    prefix: str,
) -> None:
    """A process that is killed in a turn and a fold leaves both to the next, and nothing else."""
    store, is_held = await open_store(own_server), processes.Event()
    dying = processes.Process(target=hold, args=(own_server.url, prefix, is_held), daemon=True)
    dying.start()
    await asyncio.to_thread(is_held.wait)
    async with store.fold(THREAD) as is_ours:
        assert not is_ours
    dying.kill()
    dying.join()
    async with store.turn(THREAD) as held:
        assert held is None
        is_ours = False
        while not is_ours:
            async with store.fold(THREAD) as is_ours:
                await asyncio.sleep(0)
    with own_server.client() as client:
        assert client.keys("*") == []
