# ruff: noqa: INP001  # a script
"""Takes the pictures of a spoken conversation in the window, light and dark, wide and on a phone.

Run it as `python docs/images/window_voice.py`, with pace and its dev tools installed, and Debian's
Chromium, whose fake microphone hears Piper's Joe. The answers are the default model's, fetched
before (`pace models get default`), in a home that is gone afterwards.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import expect

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from pace.folders import Folders
from web.tabs import PHONE, THEMES, WIDE
from web.talk import rows
from web.voice_browser import (
    FAKE_CONSENT,
    FAKE_DEVICE,
    Speaking,
    speaking,
    speech_models,
    write_wav,
)
from web.window_process import running_window

FOLDER = Path(__file__).parent
LIMIT = 90_000
ASKED = "Which city in Norway is the rainiest?"
REPLY_LASTS = 14.0
THEN = "Tell me the story of its old harbour, in eight sentences."


async def main() -> None:
    """Talk, and take pictures while the second reply sounds."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        (home / "cache").mkdir(parents=True)
        (home / "cache" / "models").symlink_to(Folders.of().models)
        wav = Path(folder) / "said.wav"
        await write_wav(await speech_models(), wav, 1.0, ASKED, REPLY_LASTS, THEN, 1.0)
        env = {"PACE_PLANNER__TEMPERATURE": "0"}
        async with (
            running_window(home, env=env) as window,
            speaking(window, FAKE_DEVICE, FAKE_CONSENT, wav=wav) as made,
        ):
            made.page.set_default_timeout(LIMIT)
            expect.set_options(timeout=LIMIT)
            await made.hands_free.click()
            await expect(rows(made.page)).to_have_count(2)
            await made.is_now("speaking")
            await take(made)


async def take(made: Speaking) -> None:
    """Every size in both themes."""
    for name, size in (("wide", WIDE), ("phone", PHONE)):
        for theme in THEMES:
            await made.tab.look(theme, size)
            path = FOLDER / f"window-voice-{name}-{theme}.png"
            await made.page.screenshot(path=path, caret="hide")


if __name__ == "__main__":
    asyncio.run(main())
