"""Plays random schedules: over the in-process store in two processes, or over a real server."""

import asyncio
import itertools
import subprocess
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from multiprocessing import get_context
from pathlib import Path

from conversation import KINDS, House, Kind, play_some
from ledger import Tally
from plants import PLANTS, Plant

from pace.memory.turn import ThreadId
from pace.ports import ThreadMemoryStore
from pace.stores.redis.store import RedisOptions, RedisThreadMemoryStore

Played = tuple[Tally, Counter[str]]

NO_PLANT = Plant(about="")
_PROCESSES = 2
# Schedules that a process plays before it is given more.
_BATCH = 500


def in_processes(schedules: int, seed: int, plant: str | None) -> Iterator[tuple[Kind, Played]]:
    """As many of each kind."""
    each = -(-schedules // len(KINDS))
    batches = [range(start, min(start + _BATCH, each)) for start in range(0, each, _BATCH)]
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
        coming = [
            (kind, [pool.submit(_batch, at, numbers, seed, plant) for numbers in batches])
            for at, kind in enumerate(KINDS)
        ]
        for kind, batch in coming:
            yield kind, _summed(one.result() for one in batch)


def _batch(at: int, numbers: range, seed: int, name: str | None) -> Played:
    plant = PLANTS[name] if name else NO_PLANT

    async def store() -> tuple[ThreadMemoryStore, ThreadId]:
        return plant.store(), ThreadId("thread")

    house = House(
        store, memory=plant.memory, names_what_it_takes_back=plant.names_what_it_takes_back
    )
    return asyncio.run(play_some(house, KINDS[at], numbers, seed))


def _summed(results: Iterable[Played]) -> Played:
    tally, happened = Tally(), Counter[str]()
    for one, events in results:
        tally = tally.plus(one)
        happened.update(events)
    return tally, happened


async def over_redis(program: str, schedules: int, seed: int) -> list[tuple[Kind, Played]]:
    """As many of each kind, each with a thread of its own on one server."""
    numbers = itertools.count()
    async with _serving(program) as store:

        async def thread() -> tuple[ThreadMemoryStore, ThreadId]:
            return store, ThreadId(f"thread {next(numbers)}")

        house = House(thread, clock=store.clock, by_hand=False)
        each = range(-(-schedules // len(KINDS)))
        return [(kind, await play_some(house, kind, each, seed)) for kind in KINDS]


@asynccontextmanager
async def _serving(program: str) -> AsyncIterator[RedisThreadMemoryStore]:
    """A server of the laboratory's own, on a socket, which keeps nothing on a disk."""
    with tempfile.TemporaryDirectory(prefix="pace-") as folder:
        socket = Path(folder) / "s"
        process = await asyncio.create_subprocess_exec(
            program,
            *("--port", "0", "--unixsocket", str(socket), "--dir", folder),
            *("--save", "", "--appendonly", "no"),
            stdout=subprocess.DEVNULL,
        )
        try:
            while not socket.exists():  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
            store = await RedisThreadMemoryStore.open(f"unix://{socket}", RedisOptions())
            yield store
            await store.aclose()
        finally:
            process.terminate()
            await process.wait()
