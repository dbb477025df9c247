"""An action's question in the window: a card in the row of its turn, and what each button does."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from web.scripted import Scripted
from web.tabs import PHONE, Tab, Tabs
from web.talking import Talk
from web.window_process import RunningWindow, running_window


def note(title: str) -> str:
    """A reply that asks for a note."""
    args = {"title": title, "text": "oat milk"}
    payload = {"name": "take_note", "args": args}
    return json.dumps({"intent": "action", "spokenText": "Noted.", "payload": payload})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window that may act; notes stand in a folder of its home."""
    home = tmp_path_factory.mktemp("home")
    env = {"PACE_ACTIONS__ENABLED": "on", "PACE_ACTIONS__NOTES_FOLDER": str(home / "notes")}
    async with running_window(home, base_url=model.url, env=env) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(browser: Browser, window: RunningWindow) -> AsyncIterator[Tab]:
    tabs = Tabs(browser, window)
    yield await tabs.open()
    await tabs.close()


@pytest_asyncio.fixture(loop_scope="module")
async def talk(tab: Tab, window: RunningWindow, model: Scripted) -> AsyncIterator[Talk]:
    """A fresh page at a new conversation."""
    await tab.go(window)
    talk = Talk(tab, model)
    await talk.begin()
    yield talk
    assert tab.troubles == []


def card(talk: Talk) -> Locator:
    return talk.page.locator(".ask")


def notes(window: RunningWindow) -> list[str]:
    folder: Path = window.home / "notes"
    return sorted(path.stem for path in folder.glob("*.md"))


async def ask_for(talk: Talk, title: str) -> None:
    talk.model.will_reply(note(title))
    await talk.write(f"Note {title}")
    await expect(card(talk)).to_contain_text(f'take a note called "{title}"')


async def test_nothing_is_done_before_a_word(talk: Talk, window: RunningWindow) -> None:
    """The card says what would be done; allowed, it is done once, and one line says so."""
    await ask_for(talk, "Shopping")
    assert notes(window) == []
    await talk.button("Allow once").click()
    await expect(talk.replies.last).to_contain_text('Took a note called "Shopping".')
    await expect(card(talk)).to_have_count(0)
    assert notes(window) == ["Shopping"]
    assert "{" not in await talk.replies.last.inner_text()


async def test_dont_does_nothing(talk: Talk, window: RunningWindow) -> None:
    """After a no there is no note, and the row says that nothing was done."""
    await ask_for(talk, "Secret")
    await talk.button("Don't").click()
    await expect(talk.replies.last).to_contain_text("Not done, since you did not allow it")
    assert "Secret" not in notes(window)


async def test_two_tabs_ask_and_the_first_word_counts(
    talk: Talk, window: RunningWindow, browser: Browser
) -> None:
    """Both tabs show the card; once one has answered, neither does, and it ran once."""
    tabs = Tabs(browser, window)
    other = Talk(await tabs.open(), talk.model)
    await ask_for(talk, "Garden")
    await expect(card(other)).to_be_visible()
    await other.button("Allow once").click()
    await expect(talk.replies.last).to_contain_text('Took a note called "Garden".')
    await expect(card(talk)).to_have_count(0)
    await expect(card(other)).to_have_count(0)
    assert notes(window).count("Garden") == 1
    await tabs.close()


async def test_stop_while_it_asks(talk: Talk, window: RunningWindow) -> None:
    """Stopping the turn takes the card away, and nothing is done."""
    await ask_for(talk, "Attic")
    await talk.page.keyboard.press("Escape")
    await expect(card(talk)).to_have_count(0)
    await expect(talk.rows.last).to_contain_text("Stopped before its end")
    assert "Attic" not in notes(window)


async def test_a_reload_shows_the_card_again(talk: Talk, tab: Tab, window: RunningWindow) -> None:
    """The question belongs to the turn, not to the tab that saw it first."""
    await ask_for(talk, "Cellar")
    await tab.go(window)
    await expect(card(talk)).to_be_visible()
    await talk.button("Don't").click()
    await expect(card(talk)).to_have_count(0)


async def test_the_card_fits_a_phone(talk: Talk, window: RunningWindow, browser: Browser) -> None:
    """On a narrow screen the card and all its buttons are within the page."""
    tabs = Tabs(browser, window)
    phone = Talk(await tabs.open(size=PHONE), talk.model)
    await ask_for(phone, "A very long title of a note that has to be broken over lines")
    width = await phone.page.evaluate("document.documentElement.scrollWidth")
    assert width <= await phone.page.evaluate("window.innerWidth")
    await phone.button("Don't").click()
    await expect(card(phone)).to_have_count(0)
    await tabs.close()


async def test_always_asks_no_more(talk: Talk, window: RunningWindow) -> None:
    """What is always allowed runs at once, and stands in the settings."""
    await ask_for(talk, "First")
    await talk.button("Always allow take_note").click()
    await expect(talk.replies.last).to_contain_text('Took a note called "First".')
    talk.model.will_reply(note("Second"))
    await talk.write("Another")
    await expect(talk.replies.last).to_contain_text('Took a note called "Second".')
    assert 'allowed = "take_note"' in (window.home / "settings.toml").read_text()
