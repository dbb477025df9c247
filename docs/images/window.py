# ruff: noqa: INP001  # a script
"""Takes the pictures of the window: every page, light and dark, wide and on a phone.

Run it as `python docs/images/window.py`, with pace and its dev tools installed, and Debian's
Chromium. It holds a real conversation with the default model, fetched before (`pace models get
default`), in a home of its own that is gone afterwards.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from pace.folders import Folders

FOLDER = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
LIMIT = 180_000
WIDE = {"width": 1360, "height": 1000}
ABOVE_PANEL = 60
PHONE = {"width": 390, "height": 844}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PAGES = (("conversation", "/"), ("past", "/conversations"), ("settings", "/settings"))
BEFORE = ("Suggest three names for a teal kettle.", "Which one is the shortest?")
TALK = (
    "I will cycle from Bergen to Voss in June. My bike lock has the code 7301, keep it for me.",
    "What must I not forget? Three points.",
    "How often should I drink? One sentence.",
    "What is a good snack on a bike? Two sentences.",
    "Which month has the longest days in Norway? One sentence.",
    "How do I keep my feet dry? Two sentences.",
    "What should I do before a long hill? One sentence.",
    "Make a small table: hours for 50, 100 and 150 km, if I ride 20 km each hour.",
    "What was the code of my lock, and where am I going?",
    "Write the hours for a distance as a short Python function, only the code.",
)


@contextmanager
def running_window(home: Path) -> Iterator[str]:
    """A `pace web` with that home; gives its address."""
    cache = home / "cache"
    cache.mkdir()
    (cache / "models").symlink_to(Folders.of().models)
    environ = {name: value for name, value in os.environ.items() if name[:5] != "PACE_"}
    environ |= {
        "PACE_HOME": str(home),
        # The likeliest words each time, so that the pictures come out alike.
        "PACE_PLANNER__TEMPERATURE": "0",
    }
    process = subprocess.Popen(  # noqa: S603  # our own program
        [Path(sys.executable).with_name("pace"), "web", "--no-open", "--port", "0"],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None  # noqa: S101  # for the type checker
        said = next((line for line in process.stdout if line.startswith("Pace is at ")), "")
        if not said:
            sys.exit("the window did not come up")
        yield said.removeprefix("Pace is at ").strip()
    finally:
        process.terminate()
        process.wait()


def talk(page: Page, *lines: str) -> None:
    """Say line after line, each after the reply to the one before."""
    for line in lines:
        before = page.locator("[data-turn]").count()
        page.get_by_role("textbox", name="Message").fill(line)
        page.keyboard.press("Enter")
        page.wait_for_function(
            "count => document.querySelectorAll('[data-turn]').length > count", arg=before
        )
        page.get_by_role("button", name="Retry").wait_for(timeout=LIMIT)
        # While a person reads, Pace reads the next prompt ahead.
        read_ahead = page.locator(".facts div", has_text="Read ahead").locator("dd")
        expect(read_ahead).to_contain_text("tokens", timeout=LIMIT)


def have_conversations(page: Page) -> None:
    """One that is past, and one that is under way."""
    talk(page, *BEFORE)
    page.keyboard.press("Control+Alt+n")
    page.locator(".beginning").wait_for()
    talk(page, *TALK)
    page.get_by_role("button", name="Show its text").click()
    page.locator(".summary-text").wait_for()


def take_pictures(browser: Browser, address: str) -> None:
    """Every page in both themes and sizes."""
    root = address.partition("/?")[0]
    for theme in THEMES:
        for size_name, size, scale in (("wide", WIDE, 1), ("phone", PHONE, 2)):
            context = browser.new_context(
                viewport=size,  # type: ignore[arg-type]  # a dict is what it takes
                color_scheme=theme,
                device_scale_factor=scale,
                has_touch=size is PHONE,
                is_mobile=size is PHONE,
            )
            page = context.new_page()
            page.goto(address)
            for name, path in PAGES:
                page.goto(root + path)
                if name == "past" and size is WIDE:
                    page.get_by_text(BEFORE[0]).first.click()
                settle(page)
                take(page, f"window-{name}-{size_name}-{theme}")
            page.goto(root)
            settle(page)
            take_memory(page, f"window-memory-{size_name}-{theme}", is_phone=size is PHONE)
            context.close()


def take_memory(page: Page, name: str, *, is_phone: bool) -> None:
    """What the model sees: over the conversation on a phone, else the whole panel by itself."""
    if is_phone:
        page.get_by_role("button", name="Memory").click()
        page.get_by_role("button", name="Close").wait_for()
        settle(page)
        take(page, name)
        return
    panel = page.locator("#memory")
    height = panel.evaluate("panel => panel.scrollHeight") + ABOVE_PANEL
    page.set_viewport_size({**WIDE, "height": height})
    settle(page)
    panel.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


def settle(page: Page) -> None:
    """Wait until the page is live, knows what it shows, and has its fonts."""
    page.wait_for_function("window.did_handshake === true")
    page.wait_for_function("document.fonts.status === 'loaded'")
    page.wait_for_load_state("networkidle")
    # Nothing blinks, and nobody is at a control.
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1500)


def take(page: Page, name: str) -> None:
    """Write a picture."""
    page.screenshot(path=FOLDER / f"{name}.png", caret="hide", animations="disabled")


def main() -> None:
    """Talk, then take all pictures."""
    with (
        tempfile.TemporaryDirectory() as home,
        running_window(Path(home)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=WIDE)  # type: ignore[arg-type]  # as above
        page.goto(address)
        have_conversations(page)
        take_pictures(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
