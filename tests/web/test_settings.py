"""The page of settings, in a real browser: what is changed holds at once, and is in the file."""

import tomllib
import uuid
from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from pace.doors.web.actions_settings import ended
from pace.history import PaceHistory
from pace.journal.rows import JournalTurn, TurnSource, TurnStatus
from pace.memory.turn import SessionId, ThreadId, TurnId
from web.scripted import Scripted, Told, scripted_server
from web.tabs import Tabs
from web.window_process import RunningWindow, running_window


async def keep(home: Path, words: str, *, days_ago: float) -> None:
    """Write one turn into the journal of a home."""
    history = PaceHistory(home / "data" / "history.db")
    try:
        await history.append(
            JournalTurn(
                turn_id=TurnId(str(uuid.uuid4())),
                thread_id=ThreadId("thread"),
                session_id=SessionId(str(uuid.uuid4())),
                source=TurnSource.CHAT,
                planner="local",
                model="scripted",
                said_at=datetime.now().astimezone() - timedelta(days=days_ago),
                status=TurnStatus.ANSWERED,
                user_text=words,
                reply_text="Yes.",
            )
        )
    finally:
        await history.aclose()


async def kept(home: Path) -> list[str]:
    """The words of every turn that the journal holds now."""
    history = PaceHistory(home / "data" / "history.db")
    try:
        return [entry.turn.user_text async for entry in history.entries()]
    finally:
        await history.aclose()


def saved(window: RunningWindow) -> Mapping[str, Any]:
    """What the settings file says."""
    return tomllib.loads((window.home / "settings.toml").read_text("utf-8"))


def row(page: Page, label: str) -> Locator:
    """The row of a setting."""
    return page.locator(".setting", has_text=label)


async def say(page: Page, words: str, reply: str) -> None:
    """Take one turn on the conversation page."""
    box = page.get_by_role("textbox", name="Message")
    await box.fill(words)
    await box.press("Enter")
    await expect(page.locator(".reply", has_text=reply)).to_be_visible()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window whose tier and address stand in the file, where a page can change them."""
    home = tmp_path_factory.mktemp("home")
    written = f'[planner]\ntier = "local"\nbase_url = "{model.url}"\n'
    (home / "settings.toml").write_text(written, encoding="utf-8")
    async with running_window(home) as running:
        yield running


async def test_a_slider_applies_says_so_and_stays(tabs: Tabs, window: RunningWindow) -> None:
    """In this tab, in another, after a reload, and in the file; it cannot leave its range."""
    other = (await tabs.open("/settings")).page
    tab = await tabs.open("/settings")
    slider = tab.page.get_by_label("Window", exact=True)
    await slider.focus()
    for _ in range(2):
        await slider.press("ArrowRight")
    await expect(row(tab.page, "Window")).to_contain_text("Window is now 6.")
    await expect(row(tab.page, "Window").locator("output")).to_have_text("6 turns")
    await expect(other.get_by_label("Window", exact=True)).to_have_value("6")
    assert saved(window)["activity"]["window"] == 6
    await slider.press("End")
    await slider.press("ArrowRight")
    await expect(row(tab.page, "Window")).to_contain_text("Window is now 8.")
    await tab.go(window, "/settings")
    await expect(slider).to_have_value("8")
    await tab.page.get_by_role("button", name="Default: 4 (Window)").click()
    await expect(row(tab.page, "Window")).to_contain_text("Window is 4 again, its default.")
    assert "window" not in saved(window)["activity"]


async def test_the_other_sliders_apply(tabs: Tabs, window: RunningWindow) -> None:
    """Idle limit, summary budget and temperature; their ends are those of the settings."""
    page = (await tabs.open("/settings")).page
    await page.get_by_text("Advanced").click()
    for label, ends in (
        ("Idle limit", ("5", "60")),
        ("Summary budget", ("200", "1200")),
        ("Temperature", ("0", "2")),
    ):
        slider = page.get_by_label(label, exact=True)
        for key, end in zip(("Home", "End"), ends, strict=True):
            await slider.press(key)
            await expect(slider).to_have_value(end)
        await expect(row(page, label)).to_contain_text(f"{label} is now {float(ends[1]):g}")
    assert saved(window)["activity"]["idle_minutes"] == 60
    assert saved(window)["activity"]["summary_tokens"] == 1200
    assert saved(window)["planner"]["temperature"] == 2.0


async def test_a_switch_applies_and_says_what_it_did(tabs: Tabs, window: RunningWindow) -> None:
    """Showing the summary, keeping conversations, remembering: off forgets, and says so."""
    page = (await tabs.open("/settings")).page
    await page.get_by_role("switch", name="Show current summary").click()
    await expect(row(page, "Show current summary")).to_contain_text("is now on.")
    await page.get_by_role("switch", name="Keep conversations").press("Space")
    await expect(row(page, "Keep conversations")).to_contain_text("is now off.")
    await expect(page.locator(".kept")).to_contain_text("keeping conversations is switched off")
    remember = page.get_by_role("switch", name="Remember this conversation")
    await remember.click()
    await expect(row(page, "Remember this")).to_contain_text("so far is forgotten.")
    await expect(remember).to_have_attribute("aria-checked", "false")
    assert saved(window)["activity"]["show_summary"] is True
    assert saved(window)["history"]["keep"] is False
    assert saved(window)["activity"]["remember"] is False
    for name in ("Remember this conversation", "Keep conversations"):
        await page.get_by_role("switch", name=name).click()
        await expect(row(page, name)).to_contain_text("is now on.")


async def test_a_wrong_number_is_explained_and_changes_nothing(
    tabs: Tabs, window: RunningWindow
) -> None:
    """What was there stays, on the page and in the file; a right one is taken."""
    page = (await tabs.open("/settings")).page
    length = page.get_by_label("Reply length", exact=True)
    for wrong in ("5", "a lot", "99999999999"):
        await length.fill(wrong)
        await length.press("Enter")
        told = row(page, "Reply length").get_by_role("status")
        await expect(told).to_contain_text(f"Reply length cannot be '{wrong}'")
        await expect(told).to_contain_text("16 to 32768. It stays 1024.")
        await expect(length).to_have_value("1024")
    assert "reply_tokens" not in saved(window)["planner"]
    await length.fill("512")
    await length.press("Enter")
    await expect(row(page, "Reply length")).to_contain_text("Reply length is now 512.")
    assert saved(window)["planner"]["reply_tokens"] == 512


async def test_instructions_reach_the_next_prompt(
    tabs: Tabs, window: RunningWindow, model: Scripted
) -> None:
    """They are taken up when the box is left, signs, lines and all."""
    tab = await tabs.open("/settings")
    page = tab.page
    text = 'Answer "briefly".\nAlways <b>in rhyme</b> \\ 爬山.'
    await page.get_by_label("Instructions", exact=True).fill(text)
    await page.keyboard.press("Tab")
    await expect(row(page, "Instructions")).to_contain_text("Instructions is now")
    assert saved(window)["planner"]["instructions"] == text
    model.replies.append("In rhyme, then.")
    await tab.go(window)
    await say(page, "Hello", "In rhyme, then.")
    assert text in model.sent[-1][0]["content"]


async def test_the_thread_is_reset_after_one_question(
    tabs: Tabs, window: RunningWindow, model: Scripted
) -> None:
    """No leaves it as it is; after yes the model sees nothing of what was said."""
    tab = await tabs.open("/")
    page = tab.page
    model.replies.append("Noted, a pangolin.")
    await say(page, "My pet is a pangolin", "Noted, a pangolin.")
    await tab.go(window, "/settings")
    await page.get_by_role("button", name="Reset thread…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await page.get_by_role("button", name="Reset thread…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reset").click()
    await expect(row(page, "Reset thread")).to_contain_text("A new conversation begins.")
    await page.get_by_role("button", name="Reset thread…").click()
    await expect(row(page, "Reset thread")).to_contain_text("There is nothing to forget.")
    model.replies.append("I do not know.")
    await tab.go(window)
    await say(page, "What is my pet?", "I do not know.")
    assert "pangolin" not in str(model.sent[-1])


async def test_a_reset_during_the_first_reply_counts_its_turn(
    tabs: Tabs, window: RunningWindow, model: Scripted
) -> None:
    """What is being answered was said as well, and the question says that its reply stops."""
    tab = await tabs.open("/")
    page = tab.page
    await page.get_by_role("button", name="New").first.click()
    told = Told()
    model.will_reply(told)
    box = page.get_by_role("textbox", name="Message")
    await box.fill("My pet is a pangolin")
    await box.press("Enter")
    await told.asked.wait()
    await tab.go(window, "/settings")
    await page.get_by_role("button", name="Reset thread…").click()
    question = page.get_by_role("dialog")
    await expect(question).to_contain_text("what was said in it, 1 turn. The reply in progress")
    await question.get_by_role("button", name="Reset", exact=True).click()
    await expect(row(page, "Reset thread")).to_contain_text("Forgotten: 1 turn.")
    model.will_reply()


async def test_a_shorter_time_deletes_what_is_older_after_one_question(
    tabs: Tabs, window: RunningWindow
) -> None:
    """No changes nothing; yes deletes at once; no time at all keeps everything."""
    await keep(window.home, "Forty days old", days_ago=40)
    await keep(window.home, "Four days old", days_ago=4)
    page = (await tabs.open("/settings")).page
    days = page.get_by_label("Keep for", exact=True)
    await days.fill("0")
    await days.press("Enter")
    await expect(row(page, "Keep for")).to_contain_text("Keep for cannot be '0'")
    await days.fill("30")
    await days.press("Enter")
    await expect(page.get_by_role("dialog")).to_contain_text("1 turn is older than that")
    await page.keyboard.press("Escape")
    await expect(days).to_have_value("")
    assert "Forty days old" in await kept(window.home)
    await days.fill("30")
    await days.press("Enter")
    await page.get_by_role("dialog").get_by_role("button", name="Delete 1 turn").click()
    await expect(row(page, "Keep for")).to_contain_text("Deleted: 1 turn.")
    assert "Forty days old" not in await kept(window.home)
    assert "Four days old" in await kept(window.home)
    assert saved(window)["history"]["retention_days"] == 30
    await days.fill("")
    await days.press("Enter")
    await expect(row(page, "Keep for")).to_contain_text("Keep for is now not set.")


async def test_only_a_server_on_this_machine_can_be_named(
    tabs: Tabs, window: RunningWindow, model: Scripted
) -> None:
    """Another is refused in place and the one before goes on; one that is here takes over."""
    page = (await tabs.open("/settings")).page
    address, told = (
        page.get_by_label("Address", exact=True),
        page.locator("#planner .card > [role=status]"),
    )
    await address.fill("https://example.org/v1")
    await address.press("Enter")
    await expect(told).to_contain_text("'example.org' is not on this machine.")
    await expect(address).to_have_value(model.url)
    async with scripted_server() as another:
        await address.fill(another.url)
        await address.press("Enter")
        await expect(told).to_contain_text("scripted answers, with a context of 8,192 tokens.")
        assert saved(window)["planner"]["base_url"] == another.url
    await address.fill("http://127.0.0.1:9/v1")
    await address.press("Enter")
    await expect(told).to_contain_text("But it does not answer:")
    await address.fill(model.url)
    await address.press("Enter")
    await expect(told).to_contain_text("scripted answers")


async def test_a_model_that_is_not_here_is_not_fetched_from_the_page(
    tabs: Tabs, window: RunningWindow
) -> None:
    """The page says how to get it, and who answered before goes on."""
    page = (await tabs.open("/settings")).page
    await page.get_by_role("radio", name="Embedded").check(force=True)
    told = page.locator("#planner .card > [role=status]")
    await expect(told).to_contain_text("to fetch it: pace models get")
    await expect(page.get_by_role("radio", name="Local server")).to_be_checked()
    assert saved(window)["planner"]["tier"] == "local"
    assert not (window.home / "cache").exists()


async def test_privacy_says_what_is_kept_and_deletes_it(tabs: Tabs, window: RunningWindow) -> None:
    """Paths, number of turns, and after one question none of them."""
    await keep(window.home, "The last mangosteen", days_ago=1)
    page = (await tabs.open("/settings#privacy")).page
    await expect(page.get_by_role("heading", name="Privacy")).to_be_in_viewport()
    thing = page.locator(".kept")
    await expect(thing).to_contain_text(str(window.home / "data" / "history.db"))
    await expect(thing).to_contain_text(str(window.home / "settings.toml"))
    count = len(await kept(window.home))
    await expect(thing).to_contain_text(f"{count} turn")
    await page.get_by_role("button", name="Delete everything…").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.locator("#privacy")).to_contain_text(f"Deleted: {count} turn")
    await expect(thing).to_contain_text("Nothing has been kept.")
    assert await kept(window.home) == []
    files = (window.home / "data").glob("history.db*")
    assert not [file for file in files if b"mangosteen" in file.read_bytes()]


async def test_what_the_environment_sets_is_shown_as_such(
    browser: Browser, tmp_path: Path, model: Scripted
) -> None:
    """It cannot be changed here; a flag can, and the page says that it is one. Nothing was said."""
    async with running_window(
        tmp_path, "--idle", "30", base_url=model.url, env={"PACE_ACTIVITY__WINDOW": "3"}
    ) as running:
        tabs = Tabs(browser, running)
        page = (await tabs.open("/settings", size=(360, 800))).page
        await expect(page.get_by_label("Window", exact=True)).to_be_disabled()
        await expect(row(page, "Window")).to_contain_text("PACE_ACTIVITY__WINDOW in the environ")
        await expect(row(page, "Idle limit")).to_contain_text("Set on the command line")
        await page.get_by_label("Idle limit", exact=True).press("Home")
        await expect(row(page, "Idle limit")).to_contain_text("Idle limit is now 5.")
        await expect(row(page, "Idle limit")).not_to_contain_text("Set on the command line")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.goto(f"{running.url}/conversations")
        await expect(page.get_by_text("Nothing has been kept yet.")).to_be_visible()
        await tabs.close()
        assert tabs.troubles == []


async def test_actions_are_switched_on_and_one_asks_again(
    tabs: Tabs, window: RunningWindow
) -> None:
    """Off until switched on; what was allowed for good can be made to ask again."""
    tab = await tabs.open("/settings")
    page = tab.page
    actions = page.locator("#actions")
    await actions.get_by_role("switch", name="Actions").click()
    await expect(actions.locator(".setting-said").first).to_have_text("Actions is now on.")
    assert saved(window)["actions"]["enabled"] is True
    await actions.get_by_text("What Pace can do").click()
    await expect(actions.locator("li", has_text="start_timer")).to_contain_text("asks each time")
    await expect(actions.locator("li", has_text="list_timers")).to_contain_text("asks nobody")
    await actions.get_by_role("switch", name="Actions").click()
    await expect(actions.locator(".setting-said").first).to_have_text("Actions is now off.")


@pytest.mark.parametrize(
    ("told", "shown"),
    [("Get the time", "Get the time."), ("Look it up.", "Look it up."), ("Really?", "Really?")],
)
def test_a_text_of_another_ends_before_ours_begins(told: str, shown: str) -> None:
    """What a server says of its tool has its full stop once, whether it wrote one or not."""
    assert ended(told) == shown
