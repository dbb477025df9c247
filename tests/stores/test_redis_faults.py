"""What the shared store does when the server, the way to it, or a process fails."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pace.errors import StoreError, StoreUnreachableError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.stores.redis.lease import LeaseTimes
from pace.stores.redis.store import RedisThreadMemoryStore
from stores.conftest import OpenStore
from stores.contract import pair
from stores.servers import Server, running


async def one_turn(
    store: RedisThreadMemoryStore, memory: ThreadMemory, then: Callable[[], None] = lambda: None
) -> ThreadMemory | None:
    """A turn that records `memory`; gives what was held before."""
    async with store.turn(memory.thread_id) as held:
        then()
        assert await store.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
        return held


async def test_lost_scripts_come_back(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A server that has forgotten our scripts is given them again, in the middle of a turn too."""
    store = await open_store(own_server)
    with own_server.client() as client:
        await one_turn(store, memory, client.script_flush)
        client.script_flush()
        assert await one_turn(store, memory) == memory


async def test_cut_connections_come_back(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """When every connection is cut, turns in progress and turns to come are recorded."""
    store = await open_store(own_server)
    values = [replace(memory, thread_id=ThreadId(str(number))) for number in range(20)]

    def cut() -> None:
        client.client_kill_filter(_type="normal", skipme=True)

    with own_server.client() as client:
        await asyncio.gather(*(one_turn(store, value) for value in values))
        assert await one_turn(store, values[0], cut) == values[0]
        cut()
        held = await asyncio.gather(*(one_turn(store, value) for value in values))
        assert held == values


async def test_a_server_that_begins_again_is_used_again(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """B131: while it is away every request says so; then turns go on, without what it lost."""
    store = await open_store(own_server)
    await one_turn(store, memory)
    with pytest.raises(StoreUnreachableError):
        await one_turn(store, memory, own_server.kill)
    with pytest.raises(StoreUnreachableError):
        await store.load(memory.thread_id)
    with pytest.raises(StoreUnreachableError):
        await one_turn(store, memory)
    async with asyncio.TaskGroup() as group:
        for _ in range(100):
            group.create_task(_unreachable(store.load(memory.thread_id)))
    own_server.begin()
    assert await one_turn(store, memory) is None
    assert await one_turn(store, memory) == memory


async def _unreachable(asked: Awaitable[object]) -> None:
    with pytest.raises(StoreUnreachableError):
        await asked


async def test_a_paused_server_holds_nobody_up(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A request gives up in time; when the server goes on, so does the thread, with no lease left.

    The lease would last for an hour and nobody waits for more than a second: whatever the server
    was sent while it was paused must not take the turn for someone who has left.
    """
    times = LeaseTimes(lasts=timedelta(hours=1), waits=timedelta(seconds=1))
    store = await open_store(own_server, leases=times, request_seconds=0.1, connections=3)
    await one_turn(store, memory)
    own_server.pause()
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(9):
                group.create_task(_unreachable(one_turn(store, memory)))
                group.create_task(_unreachable(store.load(memory.thread_id)))
    finally:
        own_server.go_on()
    assert await one_turn(store, memory) == memory


async def test_a_pause_during_a_turn_loses_nothing(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """What could not be recorded is an error; recorded again, it is there once."""
    store = await open_store(own_server, request_seconds=0.1)
    async with store.turn(memory.thread_id) as held:
        own_server.pause()
        try:
            with pytest.raises(StoreUnreachableError):
                await store.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
        finally:
            own_server.go_on()
        now_held = await store.load(memory.thread_id)
        assert now_held in {None, memory}
        assert await store.compare_and_set(memory.thread_id, now_held, memory, ends_turn=True)
    assert await store.load(memory.thread_id) == memory


async def test_a_write_whose_answer_was_lost_is_known(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory, short_path: Path
) -> None:
    """Sent again, a write says that it was written, not that another writer came first."""
    async with _cutting(own_server, short_path / "cut") as (way, cut_next):
        store = await open_store(way)
        waiting = replace(memory, pending=(pair(1, memory),), next_number=2)
        async with store.turn(memory.thread_id) as held:
            cut_next.set()
            assert await store.compare_and_set(memory.thread_id, held, waiting, ends_turn=True)
            assert not cut_next.is_set()
        cut_next.set()
        assert await one_turn(store, memory) == waiting
        assert not cut_next.is_set()
        cut_next.set()
        assert await store.compare_and_set(memory.thread_id, memory, None)
        assert not await store.compare_and_set(memory.thread_id, memory, None)


@asynccontextmanager
async def _cutting(server: Server, socket: Path) -> AsyncIterator[tuple[Server, asyncio.Event]]:
    """A way to the server on which, once the event is set, the next answer is lost."""
    cut_next = asyncio.Event()
    open_ways: list[asyncio.StreamWriter] = []

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there = await asyncio.open_unix_connection(server.socket)
        open_ways.extend((writer, there))
        while sent := await reader.read(1 << 20):
            there.write(sent)
            answer = await there_reader.read(1 << 20)
            if cut_next.is_set():
                cut_next.clear()
                break
            writer.write(answer)
        writer.close()
        there.close()

    way = Server(server.program, socket)
    socket.mkdir()  # noqa: ASYNC240  # at once
    listening = await asyncio.start_unix_server(passed, way.socket)
    try:
        yield way, cut_next
    finally:
        listening.close()
        for open_way in open_ways:
            open_way.close()
            await asyncio.wait([asyncio.ensure_future(open_way.wait_closed())])


async def test_a_demoted_server_says_so_and_is_used_again(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """After a failover, a server that takes no writes is named; promoted again, it is used."""
    store = await open_store(own_server)
    with own_server.client() as client:
        await one_turn(store, memory)
        client.replicaof("localhost", "1")
        with pytest.raises(StoreError, match=r"takes no writes\. Give the URL of the primary"):
            await one_turn(store, memory)
        client.replicaof("NO", "ONE")
        assert await one_turn(store, memory) == memory


async def test_a_full_server_says_so(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A server without room refuses the write by its code, and no word is in the error."""
    store = await open_store(own_server)
    said = replace(memory, window=(pair(1, memory),), next_number=2)
    with own_server.client() as client:
        client.config_set("maxmemory", "1")
        with pytest.raises(StoreError, match="OutOfMemoryError") as raised:
            await store.compare_and_set(memory.thread_id, None, said)
        assert raised.value.__cause__ is raised.value.__context__ is None
        client.config_set("maxmemory", "0")
    assert await store.compare_and_set(memory.thread_id, None, said)


async def test_what_the_server_quotes_is_not_kept(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A server that knows no scripts answers with what it was sent; the error holds none of it."""
    store = await open_store(own_server)
    with own_server.client() as client:
        client.execute_command("ACL", "SETUSER", "default", "-evalsha")
        with pytest.raises(StoreError, match="refused a request") as raised:
            await one_turn(store, memory)
    assert raised.value.__cause__ is raised.value.__context__ is None


async def test_a_server_whose_clock_was_set_is_followed(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A clock that is behind the server's is put right at the next turn, which is not refused."""
    store = await open_store(own_server)
    seconds = int(store.clock.now().timestamp())
    store.clock.tell(seconds - 3600, 0)
    assert await one_turn(store, memory) is None
    assert store.clock.now().timestamp() - seconds < 600
    assert store.clock.now().timestamp() >= seconds


async def test_no_word_reaches_the_servers_disk(
    own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """R10: no file of a server that was ended holds what was said."""
    store = await open_store(own_server)
    words = replace(pair(1, memory), user_text="planted-marmalade")
    await one_turn(store, replace(memory, window=(words,), next_number=2))
    own_server.end()
    files = [path for path in own_server.folder.rglob("*") if path.is_file()]
    assert files
    assert not any(b"marmalade" in path.read_bytes() for path in files)
    assert not any(path.suffix in {".rdb", ".aof"} for path in files)


async def test_one_slot_is_all_that_a_cluster_needs(
    short_path: Path, own_server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """In cluster mode, where a script may touch one slot only, turns and folds work."""
    folder = short_path / "cluster"
    folder.mkdir()
    with running(own_server.program, folder, "--cluster-enabled", "yes") as node:
        with node.client() as client:
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            # (A cluster of one agrees with itself after 2 s, and tells nobody.)
            async with asyncio.timeout(10):
                while client.execute_command("CLUSTER INFO")["cluster_state"] != "ok":  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        store = await open_store(node)
        waiting = replace(memory, pending=(pair(1, memory),), next_number=2)
        await one_turn(store, waiting)
        async with store.fold(memory.thread_id) as is_ours:
            assert is_ours
        assert list(await store.unfolded()) == [memory.thread_id]
        assert await one_turn(store, memory) == waiting
