"""What tests share: a companion over stand-ins, its work owned for as long as the test runs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from pace.memory.limits import ThreadLimits
from pace.memory.turn import ThreadId
from pace.ports import Planner, PlannerEvent, ThreadMemoryStore, ThreadSummarizer
from pace.testing import ManualClock
from pace.wiring import Parts, assemble

THREAD = ThreadId("one")

Companions = Callable[..., AbstractAsyncContextManager[Parts]]


async def unheard(event: PlannerEvent) -> None:
    """For turns whose events the test does not read."""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def companions(clock: ManualClock) -> Companions:
    """Opens a companion over a planner; its background work runs until the block ends."""

    @asynccontextmanager
    async def open_companion(
        planner: Planner,
        *,
        fallback: ThreadSummarizer | None = None,
        model: ThreadSummarizer | None = None,
        model_on_engine: bool = True,
        store: ThreadMemoryStore | None = None,
        **limits: object,
    ) -> AsyncIterator[Parts]:
        parts = assemble(
            planner,
            system=lambda: "You are Pace.",
            reply_tokens=lambda: 256,
            limits=ThreadLimits(**limits),  # type: ignore[arg-type]
            fallback=fallback,
            model=model,
            model_on_engine=model_on_engine,
            store=store,
            clock=clock,
        )
        work = asyncio.create_task(parts.companion.run())
        try:
            yield parts
        finally:
            work.cancel()
            await asyncio.wait([work])

    return open_companion
