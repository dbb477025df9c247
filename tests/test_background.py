"""Work apart from turns: order, precedence, and an owner that nothing outlives."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from pace.background import Background
from pace.memory.turn import ThreadId
from pace.testing import Gate
from turns import THREAD


class Job:
    """A job that writes down each run, and does what it is told in it."""

    def __init__(
        self,
        name: str,
        log: list[str],
        act: Callable[[], Awaitable[None]] | None = None,
        *,
        on_engine: bool = True,
    ) -> None:
        self.name = name
        self.on_engine = on_engine
        self._log = log
        self._act = act

    async def run(self, thread_id: ThreadId) -> None:
        self._log.append(f"{self.name} {thread_id}")
        if self._act:
            await self._act()


@asynccontextmanager
async def at_work(background: Background) -> AsyncIterator[None]:
    work = asyncio.create_task(background.run())
    try:
        yield
    finally:
        work.cancel()
        await asyncio.wait([work])


async def test_jobs_run_in_order_of_kind_and_then_of_waiting() -> None:
    """All folds come before any prepare; threads are served in the order of their nudges."""
    log: list[str] = []
    background = Background([Job("fold", log), Job("prepare", log)])
    for thread in "ab":
        background.nudge(ThreadId(thread))
    async with at_work(background):
        await background.wait_done(ThreadId("a"))
        await background.wait_done(ThreadId("b"))
    assert log == ["fold a", "fold b", "prepare a", "prepare b"]


async def test_many_nudges_are_one() -> None:
    """A nudge carries nothing, so a second one before the work begins adds nothing."""
    log: list[str] = []
    background = Background([Job("fold", log)])
    background.nudge(THREAD)
    background.nudge(THREAD)
    async with at_work(background):
        await background.wait_done(THREAD)
    assert log == ["fold one"]


async def test_a_turn_stops_work_on_its_engine_and_the_work_is_done_later() -> None:
    """R5: a running job is cancelled when a turn begins, and runs again after the turn."""
    log: list[str] = []
    gate = Gate()
    background = Background([Job("fold", log, gate.wait_opened)])
    async with at_work(background):
        background.nudge(THREAD)
        await gate.wait_reached()
        with background.turn():
            gate.open()
            assert log == ["fold one"]
        await background.wait_done(THREAD)
    assert log == ["fold one", "fold one"]
    assert background.counts == {"fold pre-empted": 1, "fold done": 1}


async def test_a_later_job_gives_way_to_an_earlier_one() -> None:
    """What it works on is about to change; it runs again afterwards."""
    log: list[str] = []
    gate = Gate()
    background = Background([Job("fold", log), Job("prepare", log, gate.wait_opened)])
    async with at_work(background):
        background.nudge(THREAD)
        await gate.wait_reached()
        background.nudge(THREAD)
        gate.open()
        await background.wait_done(THREAD)
    assert log == ["fold one", "prepare one", "fold one", "prepare one"]
    assert background.counts["prepare pre-empted"] == 1


async def test_no_work_on_the_engine_begins_during_a_turn() -> None:
    """While a turn runs, only work that needs no engine begins."""
    log: list[str] = []
    done = Gate()
    engine, other = Job("engine", log), Job("other", log, done.wait_opened, on_engine=False)
    background = Background([engine, other])
    async with at_work(background):
        with background.turn():
            background.nudge(THREAD)
            await done.wait_reached()
            assert log == ["other one"]
        done.open()
        await background.wait_done(THREAD)
    assert log == ["other one", "engine one"]


async def test_a_turn_lets_work_without_the_engine_go_on() -> None:
    """A job that needs no engine is not stopped by a turn."""
    log: list[str] = []
    gate = Gate()
    background = Background([Job("fold", log, gate.wait_opened, on_engine=False)])
    async with at_work(background):
        background.nudge(THREAD)
        await gate.wait_reached()
        with background.turn():
            gate.open()
            await background.wait_done(THREAD)
    assert background.counts == {"fold done": 1}


async def test_a_job_that_fails_is_counted_and_the_next_one_runs() -> None:
    """One job's fault ends neither the others nor the owner."""

    async def fail() -> None:
        raise RuntimeError("secret words")

    log: list[str] = []
    background = Background([Job("fold", log, fail), Job("prepare", log)])
    async with at_work(background):
        background.nudge(THREAD)
        await background.wait_done(THREAD)
    assert log == ["fold one", "prepare one"]
    assert background.counts == {"fold failed": 1, "prepare done": 1}


async def test_stopping_the_owner_stops_the_job_and_leaves_no_task() -> None:
    """B32: at shutdown a running job is cancelled and awaited; nothing is left pending."""
    gate = Gate()
    background = Background([Job("fold", [], gate.wait_opened)])
    before = asyncio.all_tasks()
    async with at_work(background):
        background.nudge(THREAD)
        await gate.wait_reached()
    assert asyncio.all_tasks() == before
