"""What processes of their own do to the store in tests: append at once, hold a turn and die."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pace.memory.limits import ThreadLimits
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, ThreadId, TurnId
from pace.stores.redis.lease import LeaseTimes
from pace.stores.redis.store import RedisOptions, RedisThreadMemoryStore
from pace.threads import Threads

THREAD = ThreadId("shared")


def append(url: str, prefix: str, name: str, barrier: Any, results: Any) -> None:
    """From the barrier on: one write that may lose, then a whole turn; tells what came of them."""
    results.put(asyncio.run(_append(url, prefix, name, barrier)))


async def _append(url: str, prefix: str, name: str, barrier: Any) -> tuple[str, bool, str]:
    store = await RedisThreadMemoryStore.open(url, RedisOptions(prefix=prefix))
    threads = Threads(store, store.clock, ThreadLimits())
    held = await store.load(THREAD)
    assert held is not None
    written = recorded(held, f"{name}-write", store.clock.now)[0]
    await asyncio.to_thread(barrier.wait)
    is_written = await store.compare_and_set(THREAD, held, written)
    await asyncio.to_thread(barrier.wait)
    async with threads.hold(THREAD) as turn:
        outcome = await turn.finish(
            lambda memory: recorded(memory, f"{name}-turn", store.clock.now)
        )
    await store.aclose()
    return name, is_written, outcome.value


def recorded(
    memory: ThreadMemory, name: str, now: Callable[[], Any]
) -> tuple[ThreadMemory, RecordOutcome]:
    """A pair of that name, said now."""
    at = now()
    finished = FinishedTurn(
        turn_id=TurnId(name),
        session_id=memory.session_id,
        user_text=f"{name}?",
        reply_text=f"{name}.",
        recorded_at=at,
    )
    accepted = replace(memory.accept(finished.turn_id), last_version=memory.last_version + 1)
    return accepted.record(finished, now=at)


def hold(url: str, prefix: str, is_held: Any) -> None:
    """Take the thread's turn and its fold, say so, and hold them until killed."""
    asyncio.run(_hold(url, prefix, is_held))


async def _hold(url: str, prefix: str, is_held: Any) -> None:
    times = LeaseTimes(lasts=timedelta(milliseconds=300), renewed_every=timedelta(milliseconds=50))
    store = await RedisThreadMemoryStore.open(url, RedisOptions(prefix=prefix, leases=times))
    async with store.turn(THREAD), store.fold(THREAD):
        is_held.set()
        await asyncio.Event().wait()
