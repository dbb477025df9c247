"""What opening the window costs, with an empty journal and with 100,000 turns in it.

    python benchmarks/window.py [--turns 100000] [--runs 5]

Starts `pace web` on the tiny model and opens its pages in Debian's Chromium: seconds to the printed
address, and by the browser's own clock to the first paint of the conversation and of the past.
"""

import argparse
import asyncio
import os
import random
import signal
import statistics
import sys
import tempfile
from pathlib import Path

from newcomer import CHROMIUM, LIMIT_SECONDS, address_of
from playwright.async_api import Browser, Page, async_playwright

from journal import Language, fill, turns_of
from pace.folders import Folders

PACE = Path(sys.executable).with_name("pace")
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"
STEPS = ("printed its address", "conversation painted", "past painted")


async def painted(page: Page, address: str) -> float:
    """Open a page, and give the seconds until something was painted on it."""
    await page.goto(address)
    await page.wait_for_function("window.did_handshake === true")
    return float(await page.evaluate(PAINTED))


async def opened(browser: Browser, home: Path) -> tuple[float, ...]:
    """Open the window once; the seconds of each step."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PACE_")}
    loop = asyncio.get_running_loop()
    began = loop.time()
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), "web", "--no-open", "--port", "0", "--model", "tiny"),
        env={**kept, "PACE_HOME": str(home)},
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            address = await address_of(process)
        printed = loop.time() - began
        context = await browser.new_context()
        page = await context.new_page()
        first = await painted(page, address)
        past = await painted(page, f"{address.partition('?')[0]}conversations")
        await context.close()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        await process.communicate()
    return printed, first, past


def home_in(folder: Path, turns: int) -> Path:
    """A home with the person's own models, and so many turns in its journal."""
    (folder / "cache").mkdir(parents=True)
    (folder / "cache" / "models").symlink_to(Folders.of().models)
    if turns:
        (folder / "data").mkdir()
        chance = random.Random(1)  # noqa: S311  # made-up words
        fill(folder / "data" / "history.db", turns_of(Language(chance), chance, turns))
    return folder


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        homes = {n: home_in(Path(folder) / str(n), n) for n in (0, asked.turns)}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
            )
            for turns, home in homes.items():
                runs = [await opened(browser, home) for _ in range(asked.runs)]
                print(f"{turns:,} turns in the journal, median of {asked.runs}:")
                for step, seconds in zip(STEPS, zip(*runs, strict=True), strict=True):
                    print(f"  {step:<22} {statistics.median(seconds):.2f} s", flush=True)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
