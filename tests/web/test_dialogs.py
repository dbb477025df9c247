"""Every dialog, on whichever page it stands, looks like the rest of the window."""

from collections.abc import Awaitable, Callable
from itertools import product

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from web.tabs import PHONE, THEMES, WIDE, Tabs
from web.talk import ask
from web.window_process import RunningWindow

# What a dialog of the browser's own look has otherwise, and whether its buttons touch.
_LOOK = """(dialog) => {
  const style = getComputedStyle(dialog);
  const boxes = [...dialog.querySelectorAll("button")].map((each) => each.getBoundingClientRect());
  const around = dialog.getBoundingClientRect();
  const plain = document.createElement("div");
  plain.className = "card";
  document.body.append(plain);
  const card = getComputedStyle(plain);
  const names = ["backgroundColor", "borderRadius", "borderTopWidth", "borderTopColor"];
  const differs = names.filter((name) => style[name] !== card[name]);
  plain.remove();
  return {
    differs,
    isWide: around.width > 480,
    isCut: around.left < 8 || around.right > innerWidth - 8,
    touches: boxes.some((box, at) => at && box.left < boxes[at - 1].right + 4
      && box.top < boxes[at - 1].bottom + 4),
  };
}"""
_AS_A_CARD = {"differs": [], "isWide": False, "isCut": False, "touches": False}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def spoken(browser: Browser, window: RunningWindow) -> RunningWindow:
    """The window once something was said, which can be forgotten and deleted."""
    tabs = Tabs(browser, window)
    await ask((await tabs.open()).page, "I own a teal kettle", "Reply 1.")
    await tabs.close()
    return window


async def keys(page: Page) -> None:
    await page.get_by_role("textbox", name="Message").blur()
    await page.keyboard.press("?")


async def delete_one(page: Page) -> None:
    await page.get_by_text("teal kettle").first.click()
    await page.get_by_role("button", name="Delete…").click()


async def delete_everything(page: Page) -> None:
    await page.get_by_role("button", name="Delete everything…").click()


async def reset(page: Page) -> None:
    await page.get_by_role("button", name="Reset thread…").click()


async def send_words(page: Page) -> None:
    await page.locator("#planner input[value=custom]").check(force=True)
    address = page.get_by_label("Address", exact=True)
    await expect(address).to_have_value("")
    await address.fill("https://a-host-with-a-very-long-name.of-many-parts.example.com/v1")
    await address.press("Enter")


OPENED = {
    "the keys": ("/", keys),
    "one conversation": ("/conversations", delete_one),
    "everything": ("/settings", delete_everything),
    "the reset": ("/settings", reset),
    "consent": ("/settings", send_words),
}


@pytest.mark.parametrize("opened", OPENED.values(), ids=OPENED)
async def test_a_dialog_is_a_card(
    tabs: Tabs, spoken: RunningWindow, opened: tuple[str, Callable[[Page], Awaitable[None]]]
) -> None:
    """Light or dark, wide or on a phone, it looks like a card; its buttons stand apart."""
    assert spoken is tabs.window
    path, opens = opened
    tab = await tabs.open(path)
    await opens(tab.page)
    dialog = tab.page.get_by_role("dialog")
    await expect(dialog).to_be_visible()
    for theme, size in product(THEMES, (WIDE, PHONE)):
        await tab.look(theme, size)
        assert await dialog.evaluate(_LOOK) == _AS_A_CARD, (theme, size)
