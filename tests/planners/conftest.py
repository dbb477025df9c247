"""An engine over the smallest real model, which tests share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from pace.planners.catalogue import TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.options import ReplyOptions

SHORT = ReplyOptions(temperature=0, reply_tokens=8)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedded(tiny: Path) -> AsyncIterator[EmbeddedPlanner]:
    """A running planner; tests tell their threads apart by names of their own."""
    planner = EmbeddedPlanner.of(TINY, tiny, options=lambda: SHORT)
    yield planner
    await planner.aclose()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def process(tiny: Path) -> AsyncIterator[EngineProcess]:
    """A running engine without a planner, for whoever speaks to its server."""
    engine = await EngineProcess.start(EngineSettings(path=tiny, name="tiny"))
    yield engine
    await engine.aclose()
