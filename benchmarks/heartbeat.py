"""How long the event loop waits while summaries are read: here, in a thread, and apart.

Run: python benchmarks/heartbeat.py [GUARDS]

A task beats every millisecond while the guard reads so many summaries (50) of a model that loses
every second value, one after the other. Printed are the beats' delays, beside those of a loop in
which nothing else happens: what other programs do to this machine is in all of them.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from itertools import islice

from damage import Harmful
from harms import KINDS

from pace.evaluation.loading import shipped
from pace.evaluation.replay import replay
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate
from pace.summarizers.apart import Apart
from pace.summarizers.guard import judged

_BEAT = 0.001
_LATE = 0.002
# The first folds of a talk have little to read.
_FIRST = 10

Read = Callable[[SummaryUpdate, Fold], Awaitable[object]]


class Gathering(Harmful):
    """Keeps what the guard would read."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind, KINDS[kind], is_guarded=True)
        self.read: list[tuple[SummaryUpdate, Fold]] = []

    def guard(self, update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
        if fold.version > _FIRST:
            self.read.append((update, fold))
        return super().guard(update, fold)


async def here(update: SummaryUpdate, fold: Fold) -> object:
    """In the loop."""
    await asyncio.sleep(0)
    return judged(update, fold)


async def in_thread(update: SummaryUpdate, fold: Fold) -> object:
    """In a thread of this process."""
    return await asyncio.to_thread(judged, update, fold)


async def apart(update: SummaryUpdate, fold: Fold) -> object:
    """In a process each, as it is done."""
    async with aclosing(Apart(judged)) as child:
        return await child.call(update, fold)


async def idle(*_: object) -> None:
    """Nowhere."""
    await asyncio.sleep(0.02)


async def measured(name: str, read: Read, work: list[tuple[SummaryUpdate, Fold]]) -> None:
    """Print one row."""
    delays: list[float] = []

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(_BEAT)
            delays.append(time.perf_counter() - began - _BEAT)

    beating = asyncio.create_task(beat())
    began = time.perf_counter()
    for update, fold in work:
        await read(update, fold)
    each = (time.perf_counter() - began) / len(work)
    beating.cancel()
    await asyncio.wait([beating])
    delays.sort()
    late = 100 * sum(delay > _LATE for delay in delays) / len(delays)
    print(
        f"{name:12}{1000 * each:10.1f}{1000 * statistics.median(delays):10.2f}"
        f"{1000 * delays[99 * len(delays) // 100]:10.2f}{1000 * delays[-1]:10.1f}{late:14.1f}",
        flush=True,
    )


async def main() -> None:
    """Gather what is to be read, and read it each way."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    gathering = Gathering("drops every 2nd value")
    for talk in islice(shipped().talks, 1 + most // _FIRST):
        await replay(talk, gathering, ThreadLimits())
    work = gathering.read[:most]
    print(f"{'':12}{'ms each':>10}{'median':>10}{'99 %':>10}{'worst ms':>10}{'over 2 ms, %':>14}")
    for name, read in (("idle", idle), ("here", here), ("thread", in_thread), ("apart", apart)):
        await measured(name, read, work)


if __name__ == "__main__":
    asyncio.run(main())
