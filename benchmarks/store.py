"""What the shared store costs: a turn's requests and time, a live thread's bytes, and the sweep.

    python benchmarks/store.py [--threads 100000] [--program redis-server]

Starts a server of its own on a socket, keeps nothing on a disk. A thread is of ten turns (25 words
asked, 90 answered) with its extractive summary; its words are those of Pace's own documents, so
that they are packed as well as prose is. Exits 1 if something is left after the idle limit.
"""

import argparse
import asyncio
import gc
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from redis.asyncio import Redis

from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.stores.redis.store import RedisOptions, RedisThreadMemoryStore
from pace.stores.redis.value import decode, digest_of, encode
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.testing import ManualClock
from pace.threads import Threads

Given = TypeVar("Given")

TURNS, ASKED, ANSWERED = 10, 25, 90
TIMED, WRITERS = 2_000, 50
DOCUMENTS = Path(__file__).parent.parent


async def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=100_000)
    parser.add_argument("--program", default=shutil.which("redis-server") or "redis-server")
    asked = parser.parse_args()
    words = " ".join(path.read_text() for path in sorted(DOCUMENTS.glob("docs/*.md"))).split()
    talks = [await talk(random.Random(seed), words) for seed in range(40)]  # noqa: S311  # made-up talks
    with tempfile.TemporaryDirectory(prefix="pace-") as folder:
        async with serving(asked.program, Path(folder)) as (store, server):
            await of_a_turn(store, server, talks)
            is_empty = await of_live_threads(store, server, talks, asked.threads)
    await in_process(talks, asked.threads)
    return 0 if is_empty else 1


async def talk(chance: random.Random, words: list[str]) -> ThreadMemory:
    """A thread of ten turns, folded."""
    clock, summarizer = ManualClock(), ExtractiveSummarizer()
    memory = ThreadMemory(
        thread_id=ThreadId("one"), session_id=SessionId("s" * 36), last_active_at=clock.now()
    )

    def said(length: int) -> str:
        start = chance.randrange(len(words) - length)
        return " ".join(words[start : start + length])

    for _ in range(TURNS):
        turn_id = TurnId(f"{chance.getrandbits(128):036x}")
        finished = FinishedTurn(
            turn_id=turn_id,
            session_id=memory.session_id,
            user_text=said(ASKED),
            reply_text=said(ANSWERED),
            recorded_at=clock.local_time(),
        )
        memory, _ = memory.accept(turn_id).record(finished, now=clock.now())
        memory, fold = memory.stamp_fold()
        if fold is not None:
            memory, _ = memory.apply_summary_update(await summarizer.summarize(fold))
    return memory


@asynccontextmanager
async def serving(
    program: str, folder: Path
) -> AsyncIterator[tuple[RedisThreadMemoryStore, Redis]]:
    """A server of this benchmark's own, and a store on it."""
    socket = folder / "s"
    process = await asyncio.create_subprocess_exec(
        program,
        *("--port", "0", "--unixsocket", str(socket), "--dir", str(folder)),
        *("--save", "", "--appendonly", "no"),
        stdout=subprocess.DEVNULL,
    )
    try:
        while not socket.exists():  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.01)
        store = await RedisThreadMemoryStore.open(f"unix://{socket}", RedisOptions(prefix="pace"))
        server = Redis(unix_socket_path=str(socket), protocol=2)
        facts = await server.info("server")
        name = "Valkey" if "valkey_version" in facts else "Redis"
        print(f"{name} {facts.get('valkey_version', facts['redis_version'])}, over a socket")
        yield store, server
        await store.aclose()
        await server.aclose()
    finally:
        process.terminate()
        await process.wait()


async def of_a_turn(
    store: RedisThreadMemoryStore, server: Redis, talks: list[ThreadMemory]
) -> None:
    """Requests and time of a turn, alone and beside others."""
    alive = [replace(one, last_active_at=store.clock.now()) for one in talks]
    size = statistics.mean(len(encode(one).data) for one in alive)
    print(f"a thread of {TURNS} turns: {size:,.0f} bytes packed")
    data = encode(alive[0]).data
    print(f"  encode {per_call(encode, alive[0]):6.0f} µs")
    print(f"  decode {per_call(decode, data):6.0f} µs")
    print(f"  digest {per_call(digest_of, alive[0]):6.0f} µs")

    held = alive[0]
    await store.compare_and_set(held.thread_id, None, held)
    await server.config_resetstat()
    trips, taking, writing = store.round_trips, [], []
    for number in range(TIMED):
        began = time.perf_counter()
        async with store.turn(held.thread_id) as found:
            taken = time.perf_counter()
            following = replace(held, last_version=held.last_version + 1 + number % 2)
            assert found is not None  # noqa: S101  # nobody else writes
            await store.compare_and_set(held.thread_id, found, following, ends_turn=True)
            taking.append(taken - began)
            writing.append(time.perf_counter() - taken)
    stats = await server.info("commandstats")
    sent = {name.removeprefix("cmdstat_"): one["calls"] for name, one in stats.items()}
    print(f"a turn: {(store.round_trips - trips) / TIMED:.2f} requests counted by the store,")
    scripts = sent.get("evalsha", 0) / TIMED
    print(f"  {scripts:.2f} scripts counted by the server")
    print(f"  turn(), takes and loads    {figures(taking)}")
    print(f"  compare_and_set, and ends  {figures(writing)}")

    async def turns(number: int) -> list[float]:
        mine, took = replace(held, thread_id=ThreadId(f"busy {number}")), []
        for _ in range(TIMED // WRITERS):
            began = time.perf_counter()
            async with store.turn(mine.thread_id) as found:
                await store.compare_and_set(mine.thread_id, found, mine, ends_turn=True)
            took.append(time.perf_counter() - began)
        return took

    began = time.perf_counter()
    by_thread = await asyncio.gather(*(turns(number) for number in range(WRITERS)))
    took = [one for thread in by_thread for one in thread]
    rate = len(took) / (time.perf_counter() - began)
    print(f"{WRITERS} threads at once: {rate:,.0f} turns a second, each {figures(took)}")
    await server.flushall()


def per_call(work: Callable[[Given], object], given: Given) -> float:
    """Microseconds of one call, the best of some rounds."""
    best = float("inf")
    for _ in range(10):
        began = time.perf_counter()
        for _ in range(100):
            work(given)
        best = min(best, (time.perf_counter() - began) / 100)
    return best * 1e6


def figures(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    middle, late = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"{middle * 1e6:6.0f} µs median, {late * 1e6:6.0f} µs at the 99th percentile"


async def of_live_threads(
    store: RedisThreadMemoryStore, server: Redis, talks: list[ThreadMemory], threads: int
) -> bool:
    """Bytes of each live thread, listing them, and whether nothing is left in the end."""
    empty = await server.info("memory")
    live = timedelta(seconds=30 + threads / 400)  # time enough to fill, and to see them go
    began = time.perf_counter()
    now = store.clock.now()

    async def fill(number: int) -> None:
        one = talks[number % len(talks)]
        is_idle_at = now + live
        value = replace(
            one,
            thread_id=ThreadId(f"thread {number}"),
            last_active_at=is_idle_at - one.limits.idle_after,
        )
        await store.compare_and_set(value.thread_id, None, value)

    for start in range(0, threads, 500):
        some = range(start, min(threads, start + 500))
        await asyncio.gather(*(fill(number) for number in some))
    took = time.perf_counter() - began
    full = await server.info("memory")
    size = (full["used_memory"] - empty["used_memory"]) / threads
    resident = (full["used_memory_rss"] - empty["used_memory_rss"]) / threads
    print(f"{threads:,} live threads, written in {took:.0f} s:")
    print(f"  in the server    {size:,.0f} bytes each ({resident:,.0f} resident)")
    began = time.perf_counter()
    pending = len(await store.unfolded())
    print(f"  unfolded(), {pending} found   {(time.perf_counter() - began) * 1000:.0f} ms")
    began = time.perf_counter()
    while left := await server.dbsize():
        if time.perf_counter() - began > live.total_seconds() + 60:
            break
        await asyncio.sleep(0.5)
    late = (store.clock.now() - (now + live)).total_seconds()
    print(f"  {left} keys left {late:.1f} s after the last was idle")
    after = await server.info("memory")
    print(f"  the server's memory then: {after['used_memory'] - empty['used_memory']:,} bytes more")
    return not left


async def in_process(talks: list[ThreadMemory], threads: int) -> None:
    """The same threads in this process: bytes, and the time to sweep."""
    clock, store = ManualClock(), InProcessThreadMemoryStore()
    plain = [encode(one).data for one in talks]

    async def fill(numbers: range) -> None:
        for number in numbers:
            one, _ = decode(plain[number % len(plain)])  # with strings of its own
            value = replace(one, thread_id=ThreadId(f"thread {number}"), last_active_at=clock.now())
            await store.compare_and_set(value.thread_id, None, value)

    sample = min(threads, TIMED)
    tracemalloc.start()
    await fill(range(sample))
    size = tracemalloc.get_traced_memory()[0] / sample
    tracemalloc.stop()
    await fill(range(sample, threads))
    gc.collect()  # what is due of it is no part of the sweep
    print(f"{threads:,} live threads in process: {size:,.0f} bytes each")
    swept = Threads(store, clock, ThreadLimits(), drops_empty=True)
    print(f"  sweep, none idle   {await timed(swept.sweep):6.0f} ms")
    clock.advance(timedelta(minutes=21))
    print(f"  sweep, all idle    {await timed(swept.sweep):6.0f} ms")
    clock.advance(timedelta(minutes=21))
    print(f"  sweep, all empty   {await timed(swept.sweep):6.0f} ms")
    print(f"  {len(await store.thread_ids())} threads left")


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
