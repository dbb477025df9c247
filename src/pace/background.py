"""Work that no turn waits for: its owner, its order, and how a turn takes precedence.

A nudge only says that a thread may have work; each job asks the thread itself what is due, so a
lost or doubled nudge does no harm. Jobs run one at a time, in the order in which they were given: a
later one that runs gives way, since what it works on is about to change.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from pace.memory.turn import ThreadId

_log = logging.getLogger(__name__)


class BackgroundJob(Protocol):
    """One kind of work for a thread. It may be cancelled at any await, and is then asked again."""

    @property
    def name(self) -> str:
        """The job's name in counts and logs."""
        ...

    @property
    def on_engine(self) -> bool:
        """Whether it uses the engine that turns use, so that a turn pre-empts it (R5)."""
        ...

    async def run(self, thread_id: ThreadId) -> None:
        """Do whatever is due for the thread; nothing, if nothing is."""
        ...


class Background:
    """Runs jobs for threads that were nudged. `run` is its life, owned by whoever starts it."""

    def __init__(self, jobs: Sequence[BackgroundJob]) -> None:
        self._jobs = tuple(jobs)
        self._due: dict[tuple[int, ThreadId], None] = {}
        self._running: _Running | None = None
        self._turns = 0
        self._changed = asyncio.Condition()
        self._wake = asyncio.Event()
        self.counts: Counter[str] = Counter()

    def nudge(self, thread_id: ThreadId) -> None:
        """Say that a thread may have work."""
        if self._running is not None and self._running.order > 0:
            self._running.preempt()
        for order in range(len(self._jobs)):
            self._due[order, thread_id] = None
        self._wake.set()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """While a turn runs, work on its engine stops and none begins."""
        self._turns += 1
        if self._running and self._running.job.on_engine:
            self._running.preempt()
        try:
            yield
        finally:
            self._turns -= 1
            self._wake.set()

    def is_due(self, thread_id: ThreadId) -> bool:
        """Whether work for a thread is waiting or under way."""
        running = self._running is not None and self._running.thread_id == thread_id
        return running or any(due == thread_id for _, due in self._due)

    async def wait_done(self, thread_id: ThreadId) -> None:
        """Wait until no work for a thread is due."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self.is_due(thread_id))

    async def run(self) -> None:
        """Run jobs until cancelled. A job that fails is counted; the next one runs all the same."""
        while True:
            chosen = self._choose()
            if chosen is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            await self._run_one(*chosen)
            async with self._changed:
                self._changed.notify_all()

    def _choose(self) -> tuple[int, ThreadId] | None:
        """The first kind of work that may run now, for the thread that has waited longest."""
        for order, job in enumerate(self._jobs):
            if job.on_engine and self._turns:
                continue
            for due_order, thread_id in self._due:
                if due_order == order:
                    return order, thread_id
        return None

    async def _run_one(self, order: int, thread_id: ThreadId) -> None:
        job = self._jobs[order]
        del self._due[order, thread_id]
        running = _Running(job, order, thread_id)
        self._running = running
        try:
            await running.wait()
        except Exception as error:  # noqa: BLE001  # a job's fault must not end the others
            self.counts[f"{job.name} failed"] += 1
            _log.warning("background job failed: %s: %s", job.name, type(error).__name__)
        else:
            self.counts[f"{job.name} {'pre-empted' if running.was_preempted else 'done'}"] += 1
            if running.was_preempted:
                self._due[order, thread_id] = None
        finally:
            self._running = None


class _Running:
    """A job under way, in a task of its own that is awaited by whoever runs it."""

    def __init__(self, job: BackgroundJob, order: int, thread_id: ThreadId) -> None:
        self.job = job
        self.order = order
        self.thread_id = thread_id
        self.was_preempted = False
        self._task = asyncio.create_task(job.run(thread_id), name=job.name)

    def preempt(self) -> None:
        self.was_preempted = True
        self._task.cancel()

    async def wait(self) -> None:
        """Wait for its end; a pre-empted one ends in silence."""
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
        if self._task.cancelled():
            return
        failure = self._task.exception()
        if failure is not None and not self.was_preempted:
            raise failure
