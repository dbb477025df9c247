"""Real speech models, fetched once, and ten sentences that Piper spoke."""

import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pytest
import pytest_asyncio

from pace.speech.catalogue import BASE, JOE, TINY_EN
from pace.speech.models import SpeechModels
from pace.speech.ports import Sound
from pace.speech.voices.piper import PiperVoice

SENTENCES = (
    "The train to Boston leaves at nine in the morning.",
    "Please remind me to call my sister tomorrow.",
    "I would like a small coffee with sugar.",
    "Where did I leave the keys to the garden house?",
    "The weather was cold, but the sun came out at noon.",
    "My doctor moved the appointment to next Thursday.",
    "Could you read the last message again?",
    "We painted the kitchen wall a light shade of green.",
    "There are four apples and a loaf of bread on the table.",
    "She plays the piano every evening after dinner.",
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence and its sound."""

    text: str
    sound: Sound


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for all that Pace keeps."""
    monkeypatch.setenv("PACE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def speech_models() -> SpeechModels:
    """In the folder that PACE_TEST_CACHE names, or the user's own."""
    cache = os.environ.get("PACE_TEST_CACHE") or platformdirs.user_cache_dir("pace")
    return SpeechModels(Path(cache) / "models")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def tiny_en(speech_models: SpeechModels) -> Path:
    return await speech_models.fetch(TINY_EN)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def base(speech_models: SpeechModels) -> Path:
    return await speech_models.fetch(BASE)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def joe(speech_models: SpeechModels) -> Path:
    return await speech_models.fetch(JOE) / JOE.main.file


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def spoken(joe: Path) -> AsyncIterator[tuple[Spoken, ...]]:
    """What Piper makes of the sentences, at its own rate."""
    voice = PiperVoice(joe)
    try:
        yield tuple([Spoken(text, await sound_of(voice, text)) for text in SENTENCES])
    finally:
        await voice.aclose()


async def sound_of(voice: PiperVoice, text: str) -> Sound:
    async with aclosing(voice.speak(text, language="en")) as pieces:
        heard = [piece async for piece in pieces]
    return Sound(b"".join(piece.samples for piece in heard), heard[0].rate)
