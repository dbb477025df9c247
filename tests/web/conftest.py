"""A real browser at a real `pace web`. One browser, one loop and one window serve a module's tests.

A module that wants a window of its own making overrides `window`, or uses `running_window`.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from web.scripted import Scripted, scripted_server
from web.tabs import CHROMIUM, FLAGS, Tabs
from web.window_process import RunningWindow, running_window

# Only a machine that is busy with much else needs as long.
expect.set_options(timeout=10_000)

_FOLDER = Path(__file__).parent
_HAS_CHROMIUM = Path(CHROMIUM).exists()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every coroutine test of this folder runs in its module's loop."""
    for item in items:
        if item.path.is_relative_to(_FOLDER) and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium; without it, the test is skipped."""
    if not _HAS_CHROMIUM:
        pytest.skip(f"there is no {CHROMIUM}; install Debian's package chromium")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield started
        finally:
            await started.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[Scripted]:
    """The server whose model answers in `window`."""
    async with scripted_server() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A `pace web` over the scripted model, with a home of its own; it ends without a complaint."""
    home = tmp_path_factory.mktemp("home")
    async with running_window(home, base_url=model.url) as running:
        yield running
        status, _, err = await running.end()
    assert (status, err) == (130, "")


@pytest_asyncio.fixture(loop_scope="module")
async def tabs(browser: Browser, window: RunningWindow) -> AsyncIterator[Tabs]:
    """Tabs at the window; at the test's end none of them has had any trouble."""
    opened = Tabs(browser, window)
    try:
        yield opened
    finally:
        await opened.close()
    assert opened.troubles == []
