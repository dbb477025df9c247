"""The shared store, held to the contract of all stores, and to what many processes need besides."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
import pytest_asyncio
from redis import Redis
from redis.crc import key_slot

from pace.errors import StoreConflictError, StoreError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.stores.redis.clock import milliseconds
from pace.stores.redis.keys import KeyNames
from pace.stores.redis.lease import LeaseTimes
from pace.stores.redis.store import RedisThreadMemoryStore
from pace.testing import ManualClock
from stores.conftest import OpenStore
from stores.contract import ThreadMemoryStoreContract, pair
from stores.servers import Server


@pytest_asyncio.fixture
async def store(server: Server, open_store: OpenStore) -> RedisThreadMemoryStore:
    return await open_store(server)


class TestRedisThreadMemoryStore(ThreadMemoryStoreContract):
    @pytest.fixture
    def clock(self, real_clock: ManualClock) -> ManualClock:
        return real_clock


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for what nobody tells."""
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110  # as it says
            await asyncio.sleep(0)


async def test_a_turn_costs_two_requests(
    store: RedisThreadMemoryStore, memory: ThreadMemory
) -> None:
    """One takes the turn and gives the thread, one writes it and gives the turn up."""
    await store.compare_and_set(memory.thread_id, None, memory)
    before = store.round_trips
    async with store.turn(memory.thread_id) as held:
        later = replace(memory, last_version=1)
        assert await store.compare_and_set(memory.thread_id, held, later, ends_turn=True)
    assert store.round_trips - before == 2


async def test_an_equal_value_is_the_expected_one(
    store: RedisThreadMemoryStore, memory: ThreadMemory
) -> None:
    """What was changed and changed back is as it was: the value is compared, not its history."""
    other = replace(memory, last_version=1)
    await store.compare_and_set(memory.thread_id, None, memory)
    await store.compare_and_set(memory.thread_id, memory, other)
    await store.compare_and_set(memory.thread_id, other, memory)
    assert await store.compare_and_set(memory.thread_id, memory, other)


async def test_a_turn_waits_for_another_process(
    server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """R12: the second turn begins when the first is recorded, and sees what it recorded."""
    first, second = await open_store(server), await open_store(server)

    async def next_turn() -> ThreadMemory | None:
        async with second.turn(memory.thread_id) as held:
            return held

    async with first.turn(memory.thread_id) as held:
        waiting = asyncio.create_task(next_turn())
        before = second.round_trips
        await until(lambda: second.round_trips >= before + 3)
        assert not waiting.done()
        await first.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
    assert await waiting == memory


async def test_a_turn_that_never_comes_says_so(
    server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """Whoever waits too long gets one clear sentence, and nothing is left of the attempt."""
    first = await open_store(server)
    second = await open_store(server, leases=LeaseTimes(waits=timedelta(milliseconds=20)))
    async with first.turn(memory.thread_id):
        with pytest.raises(StoreConflictError, match="Try again"):
            async with second.turn(memory.thread_id):
                pytest.fail("two turns at once")
    async with second.turn(memory.thread_id) as held:
        assert held is None


async def test_a_lost_lease_stops_no_turn(
    server: Server, open_store: OpenStore, prefix: str, memory: ThreadMemory
) -> None:
    """R12: what outlived its lease is still recorded, once, and takes nobody else's turn away."""
    first, second = await open_store(server), await open_store(server)
    key = KeyNames(prefix).of(memory.thread_id).turn
    with server.client() as client:
        async with first.turn(memory.thread_id) as held:
            client.delete(key)
            async with second.turn(memory.thread_id):
                lease = client.get(key)
                assert await first.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
                assert not await first.compare_and_set(memory.thread_id, held, memory)
                assert client.get(key) == lease
        assert client.get(key) is None


async def test_a_held_turn_keeps_its_lease_and_its_thread(
    server: Server, open_store: OpenStore, prefix: str, memory: ThreadMemory
) -> None:
    """However long the reply, the lease is renewed and the thread does not expire."""
    often = LeaseTimes(lasts=timedelta(seconds=30), renewed_every=timedelta(milliseconds=5))
    store, keys = await open_store(server, leases=often), KeyNames(prefix).of(memory.thread_id)
    almost_idle = replace(
        memory,
        last_active_at=store.clock.now() - memory.limits.idle_after + timedelta(seconds=10),
    )
    with server.client() as client:
        await store.compare_and_set(memory.thread_id, None, almost_idle)
        assert client.pttl(keys.value) <= 10_000
        async with store.turn(memory.thread_id):
            assert client.pttl(keys.value) > 20_000
            client.pexpire(keys.turn, 20_000)
            await until(lambda: client.pttl(keys.value) > 19 * 60_000)
            await until(lambda: client.pttl(keys.turn) > 20_000)
        assert client.exists(keys.turn) == 0


async def test_a_fold_shortens_no_turn(
    server: Server, open_store: OpenStore, prefix: str, memory: ThreadMemory
) -> None:
    """A write during another's turn keeps the thread at least until the turn's lease is renewed."""
    first, second = await open_store(server), await open_store(server)
    key = KeyNames(prefix).of(memory.thread_id).value
    idle = replace(memory, last_active_at=memory.last_active_at - timedelta(minutes=19, seconds=58))
    await first.compare_and_set(memory.thread_id, None, idle)
    async with first.turn(memory.thread_id) as held:
        folded = replace(idle, last_version=1)
        assert await second.compare_and_set(memory.thread_id, idle, folded)
        with server.client() as client:
            assert client.pttl(key) > 5_000
        assert not await first.compare_and_set(memory.thread_id, held, memory, ends_turn=True)


async def test_one_process_folds(
    server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """A fold is done by one process at a time, whoever has the turn."""
    first, second = await open_store(server), await open_store(server)
    async with first.fold(memory.thread_id) as is_ours, first.turn(memory.thread_id):
        assert is_ours
        async with second.fold(memory.thread_id) as is_theirs:
            assert not is_theirs
    async with second.fold(memory.thread_id) as is_theirs:
        assert is_theirs


async def test_all_keys_expire_together(
    server: Server, open_store: OpenStore, prefix: str, memory: ThreadMemory
) -> None:
    """B129: each write moves all keys of the thread to its idle limit; then none is left."""
    store, keys = (
        await open_store(server),
        KeyNames(prefix).of(memory.thread_id),
    )

    def expiry(client: Redis) -> set[object]:
        return {client.pexpiretime(key) for key in keys.data}

    waiting = replace(memory, pending=(pair(1, memory),), next_number=2)
    with server.client() as client:
        await store.compare_and_set(memory.thread_id, None, waiting)
        began = memory.last_active_at
        assert expiry(client) == {milliseconds(began + timedelta(minutes=20))}

        stamped, _ = waiting.stamp_fold()
        await store.compare_and_set(memory.thread_id, waiting, stamped)
        assert expiry(client) == {milliseconds(began + timedelta(minutes=20))}

        later = replace(stamped, last_active_at=began + timedelta(minutes=19))
        await store.compare_and_set(memory.thread_id, stamped, later)
        assert expiry(client) == {milliseconds(began + timedelta(minutes=39))}

        over = replace(later, last_active_at=began - timedelta(minutes=21))
        await store.compare_and_set(memory.thread_id, later, over)
        assert client.keys(f"{prefix}*") == []
    assert await store.load(memory.thread_id) is None


async def test_the_time_is_the_servers(server: Server, store: RedisThreadMemoryStore) -> None:
    """Idle limits are counted by the clock by which keys expire."""
    with server.client() as client:
        seconds, microseconds = client.time()
        before = seconds + microseconds / 1e6
        now = store.clock.now().timestamp()
        seconds, microseconds = client.time()
    assert before - 0.05 <= now <= seconds + microseconds / 1e6 + 0.05


async def test_installations_do_not_meet(
    server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """Two prefixes on one server hold different threads under one id."""
    here, there = await open_store(server), await open_store(server, prefix="elsewhere")
    await here.compare_and_set(memory.thread_id, None, memory)
    assert await there.load(memory.thread_id) is None
    assert list(await there.thread_ids()) == []


def test_keys_say_nothing_and_share_a_slot() -> None:
    """All keys of a thread stand in one slot of a cluster, and its id is in none of them."""
    keys = KeyNames("pace").of(ThreadId("Marta's {secret} thread"))
    named = [*keys.data, keys.turn, keys.fold]
    assert len({key_slot(name.encode()) for name in named}) == 1
    assert len(set(named)) == 4
    assert not any("secret" in name for name in named)


@pytest.mark.parametrize("foreign", [b"secret words", b'P1jxxxxxxxxxxxxxxxx{"secret": 1}', b""])
async def test_a_foreign_value_is_named(
    server: Server,
    store: RedisThreadMemoryStore,
    prefix: str,
    memory: ThreadMemory,
    foreign: bytes,
) -> None:
    """What is no thread is an error with a next step, never "no thread", and is not quoted."""
    with server.client() as client:
        client.set(KeyNames(prefix).of(memory.thread_id).value, foreign)
    for attempt in (store.load(memory.thread_id), store.thread_ids(), _turn(store, memory)):
        with pytest.raises(StoreError, match="one version of Pace") as raised:
            await attempt
        assert raised.value.__cause__ is None
        assert "secret" not in str(raised.value.__context__)


async def test_a_foreign_kind_of_key_is_named(
    server: Server, store: RedisThreadMemoryStore, prefix: str, memory: ThreadMemory
) -> None:
    """A list where the thread should be is a refused request, without a word of it."""
    with server.client() as client:
        client.rpush(KeyNames(prefix).of(memory.thread_id).value, "secret")
    for attempt in (
        store.load(memory.thread_id),
        _turn(store, memory),
        store.compare_and_set(memory.thread_id, None, memory),
    ):
        with pytest.raises(StoreError, match="WRONGTYPE"):
            await attempt


async def _turn(store: RedisThreadMemoryStore, memory: ThreadMemory) -> None:
    async with store.turn(memory.thread_id):
        pytest.fail("a turn of no thread")


async def test_many_turns_share_few_connections(
    server: Server, open_store: OpenStore, memory: ThreadMemory
) -> None:
    """More turns than connections wait for one, and all are recorded."""
    store = await open_store(server, connections=3)

    async def turn(number: int) -> bool:
        value = replace(memory, thread_id=ThreadId(str(number)))
        async with store.turn(value.thread_id) as held:
            return await store.compare_and_set(value.thread_id, held, value, ends_turn=True)

    assert all(await asyncio.gather(*(turn(number) for number in range(200))))
    assert len(await store.thread_ids()) == 200


async def test_a_turn_that_fails_shortens_nothing(
    server: Server, open_store: OpenStore, prefix: str, memory: ThreadMemory
) -> None:
    """Taking and renewing a turn only ever move a thread's end back."""
    often = LeaseTimes(lasts=timedelta(seconds=1), renewed_every=timedelta(milliseconds=5))
    store, keys = await open_store(server, leases=often), KeyNames(prefix).of(memory.thread_id)
    await store.compare_and_set(memory.thread_id, None, memory)
    with server.client() as client:
        before = client.pexpiretime(keys.value)
        async with store.turn(memory.thread_id):
            assert client.pexpiretime(keys.value) >= before
            asked = store.round_trips
            await until(lambda: store.round_trips >= asked + 2)
        assert client.pexpiretime(keys.value) >= before
