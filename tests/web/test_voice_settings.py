"""How a spoken conversation hears and speaks, set on the page in a real browser."""

import tomllib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from pace.settings import every_setting
from web.scripted import Scripted
from web.tabs import Tabs
from web.window_process import RunningWindow, running_window


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted
) -> AsyncIterator[RunningWindow]:
    """A window whose file already names the platform's voice, and headphones."""
    home = tmp_path_factory.mktemp("home")
    written = (
        f'[planner]\ntier = "local"\nbase_url = "{model.url}"\n'
        '[voice]\nvoice = "espeak-ng"\nheadphones = true\n'
    )
    (home / "settings.toml").write_text(written, encoding="utf-8")
    async with running_window(home) as running:
        yield running


async def test_each_setting_of_a_voice_is_on_the_page(tabs: Tabs, window: RunningWindow) -> None:
    """Shown as it is in the file, and saved as it is chosen."""
    page = (await tabs.open("/settings#voice")).page
    section = page.locator("#voice")
    settings = [each.name for each in every_setting() if each.name.startswith("voice.")]
    await expect(section.locator(".setting")).to_have_count(len(settings))
    await expect(section.get_by_label("Voice", exact=True)).to_have_value("espeak-ng")
    await expect(section.get_by_label("Headphones", exact=True)).to_have_value("on")
    for label, value in (
        ("Microphone", "hands-free"),
        ("Recogniser", "tiny.en"),
        ("Voice", "de_DE-thorsten-medium"),
        ("Headphones", "off"),
    ):
        await section.get_by_label(label, exact=True).select_option(value)
        await expect(section).to_contain_text(f"{label} is now {value}.")
    await section.get_by_label("Speed of speech", exact=True).press("End")
    await expect(section).to_contain_text("Speed of speech is now 2.0.")
    device = section.get_by_label("Sound device", exact=True)
    for text in ("USB", ""):
        await device.fill(text)
        await device.press("Tab")
        await expect(section).to_contain_text(f"Sound device is now {text or 'not set'}")
    saved = tomllib.loads((window.home / "settings.toml").read_text("utf-8"))["voice"]
    assert saved == {
        "mode": "hands-free",
        "recogniser": "tiny.en",
        "voice": "de_DE-thorsten-medium",
        "headphones": False,
        "speed": 2.0,
        "device": "",
    }
    await section.get_by_label("Headphones", exact=True).select_option("")
    await expect(section.get_by_label("Headphones", exact=True)).to_have_value("")
