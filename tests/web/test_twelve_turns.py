"""Twelve turns on the embedded model, with all that a person does on the way."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from doors.test_embedded_chat import folders
from web.tabs import Tab, Tabs
from web.talk import box, rows, turn_ids
from web.window_process import RunningWindow, running_window

# The tiny model on a busy machine reads a prompt in seconds.
_PATIENT = 60_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, tiny: Path
) -> AsyncIterator[RunningWindow]:
    """A window over the tiny model; what a person sets in the file stays theirs."""
    home, temp = folders(tmp_path_factory.mktemp("home"), tiny)
    settings = "[planner]\nmodel = 'tiny'\nreply_tokens = 24\n"
    (home / "settings.toml").write_text(settings, encoding="utf-8")
    async with running_window(home, env={"TMPDIR": str(temp)}) as running:
        yield running


async def talk(page: Page, text: str) -> None:
    """Take a turn and wait for its end."""
    before = await rows(page).count()
    await box(page).fill(text)
    await box(page).press("Enter")
    await expect(rows(page)).to_have_count(before + 1)
    await over(page)


async def over(page: Page) -> None:
    """Until the last reply has come to its end."""
    retry = page.get_by_role("button", name="Retry", exact=True)
    await expect(retry).to_have_count(1, timeout=_PATIENT)


def slider(page: Page, name: str) -> Locator:
    return page.get_by_label(name, exact=True)


async def set_to_lowest(tab: Tab, window: RunningWindow, name: str, said: str) -> None:
    """Change a setting on its page, and come back."""
    await tab.go(window, "/settings")
    await slider(tab.page, name).press("Home")
    await expect(tab.page.locator(".setting", has_text=name).first).to_contain_text(said)
    await tab.go(window)


async def test_twelve_turns(tabs: Tabs, window: RunningWindow) -> None:
    """Window and idle limit changed on the way, edit, stop, reload, a second tab, reset; then the
    past is searched, exported and deleted, and no byte of it is left."""
    tab = await tabs.open()
    page = tab.page
    page.set_default_timeout(_PATIENT)
    panel = page.get_by_role("complementary", name="What the model sees")
    await talk(page, "My name is Ottilie and my kettle is teal.")
    await talk(page, "What is my name?")
    await set_to_lowest(tab, window, "Window", "Window is now 1.")
    await talk(page, "What colour is it?")
    await expect(panel).to_contain_text("1 of 1 turn pair")
    await set_to_lowest(tab, window, "Idle limit", "Idle limit is now 5")
    await expect(panel).to_contain_text(re.compile(r"in [45] min"))
    await talk(page, "Say good morning.")
    await edit_last(page, "Say good evening.")
    await say_and_stop(page, "Tell me a very long story about a kettle.")
    await reload(tab)
    other = await tabs.open()
    await talk(page, "Is tea hot?")
    await expect(rows(other.page).last).to_contain_text("Is tea hot?")
    for number in range(7, 11):
        await talk(page, f"And number {number}?")
    assert await turn_ids(other.page) == await turn_ids(page)
    await reset(tab, window)
    await talk(page, "Hello again.")
    await expect(panel).to_contain_text("1 of 1 turn pair")
    await talk(page, "Good.")

    await tab.go(window, "/conversations")
    await open_found(page, "ottilie")
    lines = await exported(page)
    assert lines[0] == ("My name is Ottilie and my kettle is teal.", "answered")
    assert ("Say good morning.", "replaced") in lines
    assert ("Say good evening.", "answered") in lines
    assert lines[5][0] == "Tell me a very long story about a kettle."
    await delete_opened(page)
    await page.get_by_label("Search the history").fill("ottilie")
    await expect(page.get_by_text("Nothing found.")).to_be_visible()
    assert not is_on_disk(window.home.parent, b"ottilie")
    assert is_on_disk(window.home.parent, b"hello again")


async def edit_last(page: Page, text: str) -> None:
    """Put other words in the place of the last ones."""
    count = await rows(page).count()
    before = await rows(page).last.locator(".said").inner_text()
    await page.get_by_role("button", name="Edit", exact=True).click()
    await expect(box(page)).to_have_value(before)
    await box(page).fill(text)
    await box(page).press("Enter")
    await expect(rows(page).last.locator(".said")).to_have_text(text)
    await over(page)
    await expect(rows(page)).to_have_count(count)


async def say_and_stop(page: Page, text: str) -> None:
    stop = page.get_by_role("button", name="Stop", exact=True)
    await box(page).fill(text)
    await box(page).press("Enter")
    await stop.click()
    await expect(stop).to_have_count(0)


async def reload(tab: Tab) -> None:
    """Load the page anew; the transcript is the same."""
    before = await turn_ids(tab.page)
    await tab.page.reload()
    await tab.wait_live()
    await expect(rows(tab.page)).to_have_count(len(before))
    assert await turn_ids(tab.page) == before


async def reset(tab: Tab, window: RunningWindow) -> None:
    await tab.go(window, "/settings")
    await tab.page.get_by_role("button", name="Reset thread…").click()
    await tab.page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    row = tab.page.locator(".setting", has_text="Reset thread").first
    await expect(row).to_contain_text("A new conversation begins.")
    await tab.go(window)


async def open_found(page: Page, text: str) -> None:
    await page.get_by_label("Search the history").fill(text)
    await page.locator(".past-found a").first.click()
    await expect(page.locator(".past-turn").first).to_be_visible()


async def delete_opened(page: Page) -> None:
    await page.get_by_role("button", name="Delete…").click()
    sure = page.get_by_role("dialog").get_by_role("button", name=re.compile(r"Delete \d+ turns"))
    await sure.click()


async def exported(page: Page) -> list[tuple[str, str]]:
    """Words and status of each turn of the conversation that is open."""
    async with page.expect_download() as started:
        await page.get_by_role("link", name="Export JSON lines").click()
    written = _read(await (await started.value).path())
    return [(line["user"], line["status"]) for line in map(json.loads, written.splitlines())]


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def is_on_disk(folder: Path, words: bytes) -> bool:
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return any(words in file.read_bytes().lower() for file in files)
