"""Twelve turns in the real window, spoken and typed by turns, with one cut-in.

Run: python benchmarks/spoken/window.py

`pace web` in Chromium, hands-free; its fake microphone plays one file, in which Piper's Joe
speaks every 14 seconds. Recogniser (base), voice and page are the real ones, replies are scripted.
Then screen, journal and prompts are looked at; the exit code is 0 if all is right.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import expect

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from twelve import CUT, LAST_WORDS, SPOKEN, TURNS, home_with_models, is_all_right, journal

from web.scripted import Scripted, scripted_server
from web.talk import box, reply, rows
from web.voice_browser import (
    FAKE_CONSENT,
    FAKE_DEVICE,
    Speaking,
    speaking,
    speech_models,
    write_wav,
)
from web.window_process import running_window

_EVERY = 14.0
_PATIENT = 40_000


async def said(folder: Path) -> Path:
    """All that is spoken, each at its time."""
    speech = await speech_models()
    parts: list[str | float] = [1.0]
    for turn in SPOKEN:
        lasts = (await length(speech, folder, turn.words)) if turn is not SPOKEN[-1] else 0.0
        parts += [turn.words, max(0.5, _EVERY - lasts)]
    return await write_wav(speech, folder / "said.wav", *parts)


async def length(speech: Path, folder: Path, words: str) -> float:
    """Seconds that they take."""
    path = await write_wav(speech, folder / "one.wav", words)
    return path.stat().st_size / 2 / 22_050


async def talk(made: Speaking, number: int) -> None:
    """One turn, until its reply has sounded; the one that is cut, until it sounds."""
    turn = TURNS[number]
    if not turn.is_spoken:
        await box(made.page).fill(turn.words)
        await box(made.page).press("Enter")
    await expect(rows(made.page)).to_have_count(number + 1)
    await expect(made.page.locator(".said").last).not_to_be_empty()
    if number == CUT:
        await made.is_now("speaking")
        return
    await expect(reply(made.page)).to_have_text(turn.reply)
    await made.is_now("listening")


async def last(made: Speaking) -> None:
    """One more, typed, which has the twelve behind it."""
    await made.hands_free.click()
    await box(made.page).fill(LAST_WORDS)
    await box(made.page).press("Enter")
    await expect(reply(made.page)).to_have_text("Hannah.")
    await made.is_now("off")


async def run(folder: Path) -> bool:
    """Hold the conversation; whether all is right."""
    home = home_with_models(folder / "home")
    wav = await said(folder)
    async with (
        scripted_server() as model,
        running_window(home, base_url=model.url) as window,
        speaking(window, FAKE_DEVICE, FAKE_CONSENT, wav=wav) as made,
    ):
        screen = await held(made, model)
    return is_all_right(screen, journal(home), model.sent)


async def held(made: Speaking, model: Scripted) -> str:
    """Hold it; gives all that the page shows of it in the end."""
    expect.set_options(timeout=_PATIENT)
    made.page.set_default_timeout(_PATIENT)
    model.will_reply(*(turn.reply for turn in TURNS), "Hannah.")
    await made.hands_free.click()
    for number, turn in enumerate(TURNS):
        await talk(made, number)
        print(f"{number + 1:3} {turn.words}", flush=True)
    await last(made)
    return await made.page.get_by_role("log", name="Conversation").inner_text()


def main() -> None:
    """Hold it."""
    with tempfile.TemporaryDirectory() as folder:
        raise SystemExit(0 if asyncio.run(run(Path(folder))) else 1)


if __name__ == "__main__":
    main()
