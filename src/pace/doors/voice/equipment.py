"""What a spoken conversation needs besides devices: ears and voices, fetched and loaded."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pace.errors import VoiceError
from pace.folders import Folders
from pace.planners.tiers import FetchScreen
from pace.settings import VoiceSettings
from pace.speech.catalogue import JOE, SpeechModel, known
from pace.speech.detecting import SileroSpeechDetector
from pace.speech.models import SpeechModels
from pace.speech.ports import Recogniser, SpeechDetector, Voice
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.voices.opening import has_piper, open_voices
from pace.speech.voices.piper import PiperVoice

_ANY_WORD = "One."


@dataclass(frozen=True, slots=True)
class Equipment:
    """Ears and voices; `only_language` is the one that the recogniser knows, if it is just one."""

    detector: SpeechDetector
    recogniser: Recogniser
    voices: Sequence[Voice]
    only_language: str | None

    def language(self) -> str | None:
        """What the recogniser is to be told; None has it find out."""
        return self.only_language


@asynccontextmanager
async def open_equipment(
    settings: VoiceSettings, *, screen: FetchScreen, tell: Callable[[str], None]
) -> AsyncIterator[Equipment]:
    """Ears and voices by these settings, for as long as the block runs; what lacks is fetched.

    `tell` gets a sentence about a voice that is damaged. Raises WeightsError, RecogniserError,
    SettingsError and MissingExtraError.
    """
    models = SpeechModels(Folders.of().models)
    model = known(settings.recogniser)
    assert model is not None, "the settings know the recognisers"  # noqa: S101  # checked there
    async with AsyncExitStack() as stack:
        ears = FasterWhisperRecogniser(await fetched(models, model, screen), model.name)
        stack.push_async_callback(ears.aclose)
        if has_piper() and not settings.voice:
            await fetched(models, JOE, screen)
        voices = await open_voices(
            models, preferred=settings.voice, speed=settings.speed, trouble=tell
        )
        for voice in voices:
            stack.push_async_callback(voice.aclose)
        waking = asyncio.create_task(_wake(voices), name="wake voice")
        stack.push_async_callback(_ended, waking)
        await ears.warm()
        languages = model.languages or frozenset()
        only = next(iter(languages)) if len(languages) == 1 else None
        yield Equipment(SileroSpeechDetector(), ears, voices, only)


async def _wake(voices: Sequence[Voice]) -> None:
    """Have Piper load its voice; what is the matter with it is told at a reply."""
    if voices and isinstance(voice := voices[0], PiperVoice):
        with suppress(VoiceError):
            async with aclosing(voice.speak(_ANY_WORD, language=min(voice.languages))) as sounds:
                async for _ in sounds:
                    return


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def fetched(models: SpeechModels, model: SpeechModel, screen: FetchScreen) -> Path:
    """A speech model's folder, its files fetched if they are not here."""
    if (folder := await models.find(model)) is not None:
        return folder
    screen.begins(replace(model.main, title=model.title, size=model.size))
    try:
        return await models.fetch(model, report=screen.report)
    finally:
        screen.ends()
