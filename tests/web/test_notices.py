"""What the window tells above a page: the newest few, until they are dismissed."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from web.scripted import Scripted
from web.tabs import Tabs
from web.window_process import RunningWindow, running_window

SERVERS = 5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window with more to tell than a page has room for: servers whose program is missing."""
    home: Path = tmp_path_factory.mktemp("home")
    servers = {f"s{number}": {"command": "/nonexistent"} for number in range(SERVERS)}
    file = home / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    env = {"PACE_ACTIONS__ENABLED": "on", "PACE_ACTIONS__MCP_FILE": str(file)}
    async with running_window(home, base_url=model.url, env=env) as running:
        yield running


async def test_the_newest_few_stay_until_dismissed(tabs: Tabs) -> None:
    """Of many only three are there; each goes when it is dismissed, and no other does."""
    page = (await tabs.open_anew()).page  # the first that looks
    notices = page.locator(".notice")
    await expect(notices).to_have_count(3)
    for left in (2, 1, 0):
        await notices.first.get_by_role("button", name="Dismiss").click()
        await expect(notices).to_have_count(left)
