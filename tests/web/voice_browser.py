"""A browser whose microphone hears a sound file, at a window that has ears and a voice."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from playwright.async_api import Locator, Page, WebSocket, async_playwright, expect

from pace.speech.catalogue import JOE, TINY_EN
from pace.speech.models import SpeechModels
from pace.speech.ports import SAMPLE_BYTES, Sound
from pace.speech.sound import WavFile
from pace.speech.voices.piper import PiperVoice
from web.tabs import CHROMIUM, FLAGS, Tab, Tabs
from web.window_process import RunningWindow, running_window

EARS = {"PACE_VOICE__RECOGNISER": TINY_EN.name}
FAKE_DEVICE = "--use-fake-device-for-media-stream"
FAKE_CONSENT = "--use-fake-ui-for-media-stream"
# Keeps the connections that the page makes and the microphones that it opens.
WATCHING = """
window.sockets = []; window.streams = [];
window.WebSocket = class extends WebSocket {
  constructor(...all) { super(...all); window.sockets.push(this); }
};
const devices = navigator.mediaDevices;
const open = devices?.getUserMedia.bind(devices);
if (open) devices.getUserMedia = async (...all) => {
  const stream = await open(...all);
  window.streams.push(stream);
  return stream;
};
"""


async def speech_models() -> Path:
    """The folder of the models that are spoken with here; fetched, if they are not there."""
    cache = os.environ.get("PACE_TEST_CACHE") or platformdirs.user_cache_dir("pace")
    models = SpeechModels(Path(cache) / "models")
    await models.fetch(TINY_EN)
    return (await models.fetch(JOE)).parent


def home_with(speech: Path, home: Path) -> Path:
    """A home that holds the speech models."""
    models = home / "cache" / "models"
    models.mkdir(parents=True)
    (models / "speech").symlink_to(speech)
    return home


async def write_wav(speech: Path, path: Path, *parts: str | float) -> Path:
    """A sound file of sentences, spoken by Piper, and of seconds of silence."""
    voice = PiperVoice(speech / JOE.name / JOE.main.file)
    sounds: list[Sound | float] = []
    for part in parts:
        if isinstance(part, float):
            sounds.append(part)
            continue
        async with aclosing(voice.speak(part, language="en")) as pieces:
            sounds += [piece async for piece in pieces]
    await voice.aclose()
    rate = next(sound.rate for sound in sounds if isinstance(sound, Sound))
    with WavFile(path, rate=rate) as file:
        for sound in sounds:
            if isinstance(sound, float):
                file.append(Sound(bytes(int(sound * rate) * SAMPLE_BYTES), rate))
            else:
                file.append(sound)
    return path


@asynccontextmanager
async def voice_window(home: Path, base_url: str) -> AsyncIterator[RunningWindow]:
    """A `pace web` over a server, whose recogniser is the small one."""
    async with running_window(home, base_url=base_url, env=EARS) as window:
        yield window


@dataclass
class Speaking:
    """One tab, whose sound connection is listened to."""

    tab: Tab
    sent: list[dict[str, Any]] = field(default_factory=list)
    got: list[dict[str, Any]] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    has_sounded: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def page(self) -> Page:
        return self.tab.page

    @property
    def button(self) -> Locator:
        return self.page.locator(".voice-button")

    @property
    def hands_free(self) -> Locator:
        return self.page.get_by_role("switch", name="Hands-free")

    @property
    def told(self) -> Locator:
        return self.page.locator(".voice-told")

    @property
    def played(self) -> float:
        """The most seconds that the page said have sounded since one stop."""
        return max((each["played"] for each in self.sent if each["kind"] == "sounding"), default=0)

    def orders(self) -> list[str]:
        """What Pace wanted of the page, but for what it is to show."""
        return [each["kind"] for each in self.got if each["kind"] != "state"]

    def watch(self) -> None:
        self.page.on("websocket", self._opened)

    def _opened(self, socket: WebSocket) -> None:
        if "/voice" not in socket.url:
            return
        self.addresses.append(socket.url)
        socket.on("framesent", self._sent)
        socket.on("framereceived", lambda data: _keep(self.got, data))

    async def is_now(self, state: str) -> None:
        await expect(self.page.locator(".voice")).to_have_attribute("data-state", state)

    async def sounds(self) -> None:
        """Wait until the page says that a second of a reply has sounded."""
        async with asyncio.timeout(20):
            await self.has_sounded.wait()

    def _sent(self, data: str | bytes) -> None:
        _keep(self.sent, data)
        if self.played >= 1:
            self.has_sounded.set()


def _keep(kept: list[dict[str, Any]], data: str | bytes) -> None:
    if isinstance(data, str):
        kept.append(json.loads(data))


@asynccontextmanager
async def speaking(
    window: RunningWindow,
    *flags: str,
    wav: Path | None = None,
    env: Mapping[str, str] | None = None,
    forgives: bool = False,
) -> AsyncIterator[Speaking]:
    """A tab in a browser of its own, whose microphone hears the file once it is opened."""
    heard = () if wav is None else (f"--use-file-for-fake-audio-capture={wav}%noloop",)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[*FLAGS, *flags, *heard],
            env={**os.environ, **(env or {})},
        )
        tabs = Tabs(browser, window)
        tab = await tabs.open(script=WATCHING)
        made = Speaking(tab)
        made.watch()
        yield made
        assert forgives or tabs.troubles == []
        await tabs.close()
        await browser.close()
