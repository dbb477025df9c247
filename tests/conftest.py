"""What tests share: a companion over stand-ins, its work owned for as long as the test runs."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from pace.memory.limits import ThreadLimits
from pace.planners.catalogue import TINY
from pace.planners.weights import WeightsFolder
from pace.ports import Planner, ThreadMemoryStore, ThreadSummarizer
from pace.testing import ManualClock
from pace.wiring import Parts, assemble
from turns import Companions


def pytest_configure() -> None:
    """Compile tests, and the Pace that they start some hundred times, once and not each time."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The window's tests wait more than they work: begun first, the others fill their pauses."""
    items.sort(key=lambda item: "web" not in item.path.parts)


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


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose path leaves room for a socket's, however long a test's own folder is."""
    with tempfile.TemporaryDirectory(prefix="pace-test-") as folder:
        yield Path(folder)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def tiny() -> Path:
    """The file of the tiny model, from the folder that PACE_TEST_CACHE names or the user's own."""
    cache = os.environ.get("PACE_TEST_CACHE") or platformdirs.user_cache_dir("pace")
    return await WeightsFolder(Path(cache) / "models").fetch(TINY)
