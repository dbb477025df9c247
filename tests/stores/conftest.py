"""What tests of the shared store have in common: servers, and stores on them."""

import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio

from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId
from pace.stores.redis.store import RedisOptions, RedisThreadMemoryStore
from pace.testing import ManualClock
from stores.servers import Server, redis_program, running, valkey_program

PROGRAMS = {"redis": redis_program(), "valkey": valkey_program()}
OpenStore = Callable[..., Awaitable[RedisThreadMemoryStore]]


@pytest.fixture(scope="session", params=list(PROGRAMS))
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that all tests share, each with a prefix of its own."""
    program = PROGRAMS[request.param]
    if program is None:
        pytest.skip(f"no {request.param}-server on this machine")
    with (
        tempfile.TemporaryDirectory(prefix="pace-test-") as folder,
        running(program, Path(folder)) as server,
    ):
        yield server


@pytest.fixture
def own_server(short_path: Path) -> Iterator[Server]:
    """A server that this test alone may do harm to."""
    program = PROGRAMS["redis"] or PROGRAMS["valkey"]
    if program is None:
        pytest.skip("no redis-server on this machine")
    with running(program, short_path) as server:
        yield server


@pytest.fixture
def prefix() -> str:
    return f"test-{uuid.uuid4()}"


@pytest_asyncio.fixture
async def open_store(prefix: str) -> AsyncIterator[OpenStore]:
    """Opens stores of one installation, and closes them."""
    async with AsyncExitStack() as stores:

        async def opened(server: Server, **options: object) -> RedisThreadMemoryStore:
            made = replace(RedisOptions(prefix=prefix), **options)  # type: ignore[arg-type]
            store = await RedisThreadMemoryStore.open(server.url, made)
            stores.push_async_callback(store.aclose)
            return store

        yield opened


@pytest.fixture
def real_clock() -> ManualClock:
    """A clock that stands at this moment, since a server's does not stand."""
    return ManualClock(datetime.now().astimezone())


@pytest.fixture
def memory(real_clock: ManualClock) -> ThreadMemory:
    return ThreadMemory(
        thread_id=ThreadId("one"), session_id=SessionId("s"), last_active_at=real_clock.now()
    )
