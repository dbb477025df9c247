"""The smallest real model, fetched once and kept, and an engine over it that tests share."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import platformdirs
import pytest_asyncio

from pace.planners.catalogue import TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.options import ReplyOptions
from pace.planners.weights import WeightsFolder

SHORT = ReplyOptions(temperature=0, reply_tokens=8)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def tiny() -> Path:
    """The file of the tiny model, from the folder that PACE_TEST_CACHE names or the user's own."""
    cache = os.environ.get("PACE_TEST_CACHE") or platformdirs.user_cache_dir("pace")
    return await WeightsFolder(Path(cache) / "models").fetch(TINY)


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
