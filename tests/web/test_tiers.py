"""Who answers, in the window: asked before words leave, shown while they do, counted afterwards."""

import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from web.scripted import Scripted, scripted_server
from web.tabs import PHONE, WIDE, Tabs
from web.window_process import RunningWindow, running_window

NOBODY = {
    "PATH": "/nonexistent",
    "ANTHROPIC_API_KEY": "",
    "OPENAI_API_KEY": "sk-CANARY-0123456789",
    "PACE_API_KEY": "",
}

# The left edge of each row's button, and the middles of the button and of the name, in pixels.
WHERE_THEY_STAND = """rows => rows.map(row => {
    const box = name => row.querySelector(name).getBoundingClientRect();
    const middle = ({top, bottom}) => (top + bottom) / 2;
    return {x: box("button").x, button: middle(box("button")), name: middle(box("span"))};
})"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window over a local server, where no program is installed and one key is there."""
    home: Path = tmp_path_factory.mktemp("home")
    written = f'[planner]\ntier = "local"\nbase_url = "{model.url}"\n'
    (home / "settings.toml").write_text(written, encoding="utf-8")
    async with running_window(home, env=NOBODY) as running:
        yield running


def saved(window: RunningWindow) -> dict[str, Any]:
    return tomllib.loads((window.home / "settings.toml").read_text("utf-8"))


async def choose(page: Page, name: str) -> None:
    await page.locator(f"#planner input[value={name}]").check(force=True)


async def test_every_tier_says_whether_it_can_answer(tabs: Tabs) -> None:
    """Beside each stands what there is or what is missing, and who would get words; no key."""
    page = (await tabs.open("/settings")).page
    choices = page.locator("#planner .choices").first
    for told in (
        "The program codex is not installed. Sends words to OpenAI.",
        "There is a key in the environment. Sends words to api.openai.com.",
        "No key: pace tier key anthropic. Sends words to api.anthropic.com.",
        "needs macOS 26",
    ):
        await expect(choices).to_contain_text(told)
    assert "CANARY" not in await page.content()


async def test_what_cannot_answer_is_not_switched_to(tabs: Tabs, window: RunningWindow) -> None:
    """The reason is told, and who answered before goes on."""
    page = (await tabs.open("/settings")).page
    await expect(page.locator("#planner .choices").first).to_contain_text("No key")
    await choose(page, "anthropic")
    told = page.locator("#planner .card > [role=status]")
    await expect(told).to_contain_text(
        "cannot answer here: There is no key for Anthropic. Store one"
    )
    await expect(page.get_by_role("radio", name="Local server")).to_be_checked()
    assert saved(window)["planner"]["tier"] == "local"


async def test_a_no_changes_nothing(tabs: Tabs, window: RunningWindow) -> None:
    """Whoever cancels the question stays where they were, and nothing is written."""
    page = (await tabs.open("/settings")).page
    await expect(page.locator("#planner .choices").first).to_contain_text("There is a key")
    await choose(page, "openai")
    question = page.get_by_role("dialog")
    await expect(question).to_contain_text("Every message, and the summary of the conversation")
    await expect(question).to_contain_text("api.openai.com")
    await question.get_by_role("button", name="Cancel").click()
    told = page.locator("#planner .card > [role=status]")
    await expect(told).to_contain_text("Nothing was changed. local answers")
    assert "privacy" not in saved(window)


async def test_a_yes_switches_is_shown_and_is_counted(
    browser: Browser, tmp_path: Path, model: Scripted
) -> None:
    """Words go there only after the yes; the message box says where to, and privacy how many."""
    written = f'[planner]\ntier = "local"\nbase_url = "{model.url}"\n'
    (tmp_path / "settings.toml").write_text(written, encoding="utf-8")
    async with scripted_server() as away, running_window(tmp_path, env=NOBODY) as running:
        tabs = Tabs(browser, running)
        page = (await tabs.open("/settings")).page
        told = page.locator("#planner .card > [role=status]")
        await choose(page, "custom")
        await expect(told).to_contain_text("Give the server's address")
        address = page.get_by_label("Address", exact=True)
        await address.fill(away.url)
        await address.press("Enter")
        question = page.get_by_role("dialog")
        host = away.url.removeprefix("http://").removesuffix("/v1")
        await expect(question).to_contain_text(f"go to {host}")
        await question.get_by_role("button", name="Yes").click()
        await expect(told).to_contain_text(f"custom answers; your words go to {host}.")
        talk = (await tabs.open("/")).page
        badge = f"Your words leave this machine: they go to {host}."
        await expect(talk.get_by_text(badge)).to_be_visible()
        box = talk.get_by_role("textbox", name="Message")
        await box.fill("hello")
        await box.press("Enter")
        await expect(talk.locator(".reply")).not_to_be_empty()
        await page.reload()
        privacy = page.locator("#privacy")
        await expect(privacy).to_contain_text(f"{host} (tier direct): 1 turn, ")
        await privacy.get_by_role("button", name=f"Withdraw ({host}, unencrypted)").click()
        await expect(privacy).to_contain_text("Choose another planner above first.")
        await choose(page, "local")
        await expect(page.get_by_label("Address", exact=True)).to_have_value("")
        await expect(talk.get_by_text(badge)).to_be_visible()
        await page.get_by_label("Address", exact=True).fill(model.url)
        await page.get_by_label("Address", exact=True).press("Enter")
        await expect(told).to_contain_text("local answers; your words stay on this machine.")
        await expect(talk.get_by_text(badge)).to_have_count(0)
        await privacy.get_by_role("button", name=f"Withdraw ({host}, unencrypted)").click()
        await expect(privacy).to_contain_text(f"Withdrawn: {host}, unencrypted.")
        assert tomllib.loads((tmp_path / "settings.toml").read_text())["privacy"]["agreed"] == ""
        await tabs.close()
        assert tabs.troubles == []


async def test_a_failure_offers_the_others_and_does_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    """B73: with a server that is down, who else could answer is named; nobody else is asked."""
    async with scripted_server() as gone:
        url = gone.url
    async with running_window(tmp_path, base_url=url, env=NOBODY) as running:
        tabs = Tabs(browser, running)
        page = (await tabs.open("/")).page
        box = page.get_by_role("textbox", name="Message")
        await box.fill("hello")
        await box.press("Enter")
        await expect(page.locator(".trouble", has_text="Nothing answers")).to_be_visible()
        offered = page.get_by_text(
            "Others that could answer: OpenAI (sends words to api.openai.com)."
        )
        await expect(offered).to_be_visible()
        assert not (tmp_path / "settings.toml").exists()
        await offered.get_by_role("link", name="Choose").click()
        await expect(page).to_have_url(f"{running.url}/settings#planner")
        await tabs.close()
        assert tabs.troubles == []


async def test_a_server_here_is_offered_and_where_words_go(
    browser: Browser, tmp_path: Path, model: Scripted
) -> None:
    """A server that runs on this machine is among the others, and each says who gets words."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    program.chmod(0o700)
    written = f"""[planner]
tier = "cli"
provider = "claude"
base_url = "{model.url}"
[privacy]
agreed = "cli:claude"
"""
    (tmp_path / "settings.toml").write_text(written, encoding="utf-8")
    async with running_window(tmp_path, env={**NOBODY, "PATH": str(tmp_path)}) as running:
        tabs = Tabs(browser, running)
        page = (await tabs.open("/")).page
        box = page.get_by_role("textbox", name="Message")
        await box.fill("hello")
        await box.press("Enter")
        others = f"vLLM at {model.url} (here), OpenAI (sends words to api.openai.com)."
        await expect(page.get_by_text(f"Others that could answer: {others}")).to_be_visible()
        await tabs.close()
        assert tabs.troubles == []


async def test_who_was_agreed_to_stands_in_line(
    browser: Browser, tmp_path: Path, model: Scripted
) -> None:
    """However long their names, every button to withdraw stands beside its name, below the last."""
    agreed = "cli:claude, direct:api.anthropic.com, direct:http://127.0.0.1:8080"
    (tmp_path / "settings.toml").write_text(f'[privacy]\nagreed = "{agreed}"\n', encoding="utf-8")
    async with running_window(tmp_path, base_url=model.url, env=NOBODY) as running:
        tabs = Tabs(browser, running)
        for size in (WIDE, PHONE):
            page = (await tabs.open("/settings", size=size)).page
            buttons = page.locator(".agreed button")
            await expect(buttons).to_have_count(3)
            # At one moment: the page above them may still be growing.
            rows = await page.locator(".agreed li").evaluate_all(WHERE_THEY_STAND)
            assert len({row["x"] for row in rows}) == 1
            assert all(abs(row["button"] - row["name"]) < 1 for row in rows)
        await tabs.close()
        assert tabs.troubles == []
