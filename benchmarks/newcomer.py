"""From a clone to the first reply in the window, as somebody new would go, timed.

    python benchmarks/newcomer.py [--keep-cache]

Clones this repository into an empty folder with an empty home, runs `make web`, opens the address
that it prints in Debian's Chromium, and says something. The model is fetched too, unless the cache
is kept.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from playwright.async_api import async_playwright, expect

from pace.folders import Folders

REPOSITORY = Path(__file__).parent.parent
CHROMIUM = "/usr/bin/chromium"
LIMIT_SECONDS = 600
LIMIT = LIMIT_SECONDS * 1000


class Watch:
    """Says how long each step took since the beginning."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def tell(self, step: str) -> None:
        print(f"{time.monotonic() - self._began:6.1f} s  {step}", flush=True)


async def address_of(process: asyncio.subprocess.Process) -> str:
    """The address that `make web` prints when it is up."""
    if process.stdout is None:
        raise RuntimeError("the program has no output")
    async for line in process.stdout:
        text = line.decode()
        if "http://127.0.0.1:" in text and "secret=" in text:
            return "http" + text.split("http", 1)[1].strip()
    raise RuntimeError("make web ended")


async def first_reply(address: str, watch: Watch) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        page = await browser.new_page()
        await page.goto(address)
        box = page.get_by_role("textbox", name="Message")
        await expect(box).to_be_editable(timeout=LIMIT)
        watch.tell("the window is open")
        await page.wait_for_function("window.did_handshake === true")
        await box.fill("What is a good name for a teal kettle?")
        await box.press("Enter")
        reply = page.locator(".reply").last
        await expect(reply).not_to_be_empty(timeout=LIMIT)
        watch.tell("the first words of the reply")
        await expect(page.get_by_role("button", name="Retry")).to_be_visible(timeout=LIMIT)
        watch.tell("the whole reply")
        print(f"\n{await reply.inner_text()}")
        await browser.close()


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep-cache", action="store_true", help="use the models fetched before")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, clone = Path(folder) / "home", Path(folder) / "pace"
        cache = Folders.of().cache.parent if asked.keep_cache else home / ".cache"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PACE_")}
        environment = {
            **kept,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(cache),
            "VENV": str(clone / ".venv"),
            "BROWSER": "true",
        }
        watch = Watch()
        cloning = await asyncio.create_subprocess_exec(
            "git", "clone", "-q", str(REPOSITORY), str(clone)
        )
        if await cloning.wait():
            return 1
        watch.tell("cloned")
        process = await asyncio.create_subprocess_exec(
            *("make", "web"),
            cwd=clone,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                address = await address_of(process)
            watch.tell("make web printed its address")
            await first_reply(address, watch)
        finally:
            # What make started, too.
            os.killpg(process.pid, signal.SIGTERM)
            await process.communicate()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
