"""Opens the voices that are here: Piper's, if Piper is installed, and then the platform's own."""

from collections.abc import Callable
from importlib.util import find_spec

from pace.errors import MissingExtraError, SettingsError, VoiceError, WeightsError
from pace.speech.catalogue import SpeechModel
from pace.speech.models import SpeechModels
from pace.speech.ports import Voice
from pace.speech.voice_catalogue import VOICES, known_voice
from pace.speech.voices.choosing import preferred_first
from pace.speech.voices.finding import system_voice
from pace.speech.voices.piper import PiperVoice
from pace.speech.voices.system import SystemVoice


def has_piper() -> bool:
    """Whether the program that speaks the voices of the catalogue is installed."""
    return find_spec("piper") is not None


async def open_voices(
    models: SpeechModels, *, preferred: str, speed: float, trouble: Callable[[str], None]
) -> list[Voice]:
    """All that are here, for `voice_for`; none of them runs before it speaks.

    `preferred` is asked first in what it speaks, if it is no empty name. A voice whose files are
    damaged is passed over, and `trouble` gets a sentence about it. Raises SettingsError if the
    preferred voice is not known or not here.
    """
    chosen = known_voice(preferred) if preferred else None
    voices: list[Voice] = []
    if has_piper():
        for model in VOICES:
            try:
                if (folder := await models.find(model)) is not None:
                    voices.append(PiperVoice(folder / model.main.file, speed=speed))
            except (WeightsError, VoiceError) as error:
                trouble(str(error))
    if (system := await system_voice(speed=speed)) is not None:
        voices.append(system)
    if preferred and preferred not in {voice.name for voice in voices}:
        raise _not_here(preferred, chosen)
    return preferred_first(voices, preferred)


async def open_voice(models: SpeechModels, name: str, *, speed: float = 1.0) -> Voice:
    """One of them. Raises SettingsError if it is not here, and WeightsError or VoiceError."""
    model = known_voice(name)
    if model is None:
        return await _platform_voice(name, speed=speed)
    folder = await models.find(model)
    if folder is None or not has_piper():
        raise _not_here(name, model, is_fetched=folder is not None)
    return PiperVoice(folder / model.main.file, speed=speed)


async def _platform_voice(name: str, *, speed: float) -> SystemVoice:
    voice = await system_voice(speed=speed)
    if voice is None or voice.name != name:
        raise _not_here(name, None)
    return voice


def _not_here(name: str, model: SpeechModel | None, *, is_fetched: bool = False) -> SettingsError:
    if model is None:
        return SettingsError(f"This machine has no voice {name}. `pace voices` lists what it has.")
    if is_fetched or not has_piper():
        return MissingExtraError(f"The voice {name}", "piper")
    return SettingsError(f"The voice {name} is not here. Fetch it with: pace voices fetch {name}")
