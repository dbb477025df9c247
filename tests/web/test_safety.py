"""What a page of the window may do in a real browser, and what it asks for."""

import pytest

from web.tabs import Tabs

PAGES = ["/", "/conversations", "/settings"]


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_keeps_to_its_policy_and_to_its_server(tabs: Tabs, path: str) -> None:
    """It shows itself without a complaint of the browser, and asks no other server for anything."""
    tab = await tabs.open(path)
    assert await tab.page.locator("#page").is_visible()
    assert [url for url in tab.requests if not url.startswith(tabs.window.url)] == []
