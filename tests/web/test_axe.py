"""Every page of the window, as axe-core finds it: for people who hear it, or see it otherwise."""

import sys
from itertools import product
from pathlib import Path

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from web.scripted import FAULT, Scripted
from web.tabs import PHONE, THEMES, WIDE, Tabs
from web.talk import rows, say
from web.window_process import FAULTY, RunningWindow, running_window

PAGES = {
    "the conversation": "/",
    "past conversations": "/conversations",
    "settings": "/settings",
}
BAD = {"serious", "critical"}
RICH = """# A plan

Some **bold**, ~~struck~~ and `code` words, and [a link](https://a.example/).

1. One
2. Two

| what | how many |
|:-----|---------:|
| cups | 2 |

> A quotation.

```python
def pour(cups: int) -> str:  # a comment
    return f"{cups} cups" if cups > 1 else 'one'
```

![A cat](https://a.example/cat.png)
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def spoken(browser: object, window: RunningWindow, model: Scripted) -> RunningWindow:
    """The window once there has been talk: a reply with everything in it, a failure, a reset."""
    tabs = Tabs(browser, window)  # type: ignore[arg-type]  # the fixture is a Browser
    tab = await tabs.open()
    model.will_reply("Noted.", RICH, FAULT)
    for said in ("I own a teal kettle", "A plan, please", "And more"):
        await say(tab.page, said)
        await expect(rows(tab.page).last).not_to_have_attribute("aria-busy", "true")
    await tabs.close()
    return window


async def findings(page: Page) -> list[str]:
    """What a person would stumble over: rule, place and reason."""
    results = await Axe().run(page)
    return [
        f"{found['id']} ({found['impact']}): {node['target']} {node['html'][:120]} "
        f"{node['failureSummary']}"
        for found in results.response["violations"]
        if found["impact"] in BAD
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
async def test_axe_finds_nothing_serious(tabs: Tabs, spoken: RunningWindow, path: str) -> None:
    """No page has a serious or a critical finding, light or dark, wide or on a phone."""
    assert spoken is tabs.window
    tab = await tabs.open(path)
    await expect(tab.page.locator("#page")).not_to_be_empty()
    for theme, size in product(THEMES, (WIDE, PHONE)):
        await tab.look(theme, size)
        assert await findings(tab.page) == [], (theme, size)


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
async def test_a_page_has_one_main_part(tabs: Tabs, spoken: RunningWindow, path: str) -> None:
    """The framework's own part around it is none."""
    assert spoken is tabs.window
    tab = await tabs.open(path)
    await expect(tab.page.get_by_role("main")).to_have_count(1)


async def test_a_page_that_failed_has_one_main_part(
    tabs: Tabs, tmp_path: Path, model: Scripted
) -> None:
    """What is said in place of a page stands in the framework's."""
    program = (sys.executable, "-c", FAULTY)
    async with running_window(tmp_path, base_url=model.url, program=program) as window:
        mine = Tabs(tabs.browser, window)
        page = (await mine.open()).page
        await page.goto(f"{window.url}/fails")
        await expect(page.get_by_role("alert").filter(has_text="Pace failed")).to_be_visible()
        await expect(page.get_by_role("main")).to_have_count(1)
        await mine.close()


async def test_axe_finds_nothing_serious_in_a_past_conversation(
    tabs: Tabs, spoken: RunningWindow
) -> None:
    """An opened conversation and what a search found are as good, light or dark."""
    assert spoken is tabs.window
    tab = await tabs.open("/conversations")
    await tab.page.get_by_role("searchbox").fill("kettle")
    await expect(tab.page.locator("mark").first).to_be_visible()
    for theme in THEMES:
        await tab.look(theme, WIDE)
        assert await findings(tab.page) == [], theme
    await tab.page.locator("mark").first.click()
    await expect(tab.page.locator(".reply").first).to_be_visible()
    for theme in THEMES:
        await tab.look(theme, WIDE)
        assert await findings(tab.page) == [], theme


async def test_axe_finds_nothing_serious_when_the_connection_is_lost(
    tabs: Tabs, spoken: RunningWindow
) -> None:
    """The banner that says so can be read and is announced."""
    assert spoken is tabs.window
    tab = await tabs.open()
    await tab.page.context.set_offline(offline=True)
    await tab.page.evaluate("window.socket.io.engine.close()")
    await expect(tab.page.locator("#connection")).to_be_visible()
    assert await findings(tab.page) == []
    await tab.page.close()
    tab.forgive()
