"""Which voice speaks: the chosen one first, the better ones before the platform's."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from pace.errors import SettingsError
from pace.speech.catalogue import JOE
from pace.speech.models import SpeechModels
from pace.speech.ports import Sound
from pace.speech.voices.choosing import preferred_first, voice_for
from pace.speech.voices.finding import system_voice
from pace.speech.voices.opening import open_voice, open_voices


class Named:
    """A voice that has a name and languages, and is never heard."""

    def __init__(self, name: str, *languages: str) -> None:
        self.name = name
        self.languages = frozenset(languages)

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:
        raise AssertionError(f"{text} in {language} is not to be spoken")
        yield

    async def aclose(self) -> None:
        pass


JOE_HERE, NORMAN, THORSTEN = Named("joe", "en"), Named("norman", "en"), Named("thorsten", "de")
PLATFORM = Named("espeak-ng", "en", "de", "fr")
ALL = (JOE_HERE, NORMAN, THORSTEN, PLATFORM)


@pytest.mark.parametrize(
    ("preferred", "speaking"),
    [
        ("", {"en": "joe", "de": "thorsten", "fr": "espeak-ng"}),
        ("norman", {"en": "norman", "de": "thorsten", "fr": "espeak-ng"}),
        ("espeak-ng", {"en": "espeak-ng", "de": "espeak-ng", "fr": "espeak-ng"}),
        ("thorsten", {"en": "joe", "de": "thorsten", "fr": "espeak-ng"}),
    ],
)
def test_the_chosen_voice_is_asked_first(preferred: str, speaking: dict[str, str]) -> None:
    """For what it speaks; every other language has the voice that it would have without it."""
    voices = preferred_first(ALL, preferred)
    chosen = {language: voice_for(language, voices) for language in speaking}
    assert {language: voice and voice.name for language, voice in chosen.items()} == speaking
    assert voice_for("zu", voices) is None


@pytest.mark.usefixtures("joe")
async def test_voices_that_are_here_are_opened(speech_models: SpeechModels) -> None:
    """Those of the catalogue in its order, then the platform's; none of them runs yet."""
    untold: Callable[[str], None] = pytest.fail
    voices = await open_voices(speech_models, preferred="", speed=1.0, trouble=untold)
    assert voices[0].name == JOE.name
    if (platform := await system_voice()) is not None:
        assert voices[-1].name == platform.name
        chosen = await open_voices(
            speech_models, preferred=platform.name, speed=1.0, trouble=untold
        )
        assert chosen[0].name == platform.name


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("de_DE-thorsten-medium", "pace voices fetch de_DE-thorsten-medium"),
        ("windows", "This machine has no voice windows"),
        ("nobody", "There is no voice 'nobody'"),
    ],
)
async def test_a_chosen_voice_that_is_not_here_says_how_to_get_it(
    tmp_path: Path, name: str, told: str
) -> None:
    """Whether it is to speak once or always."""
    models = SpeechModels(tmp_path)
    with pytest.raises(SettingsError, match=told):
        await open_voices(models, preferred=name, speed=1.0, trouble=pytest.fail)
    with pytest.raises(SettingsError, match=told):
        await open_voice(models, name)


async def test_a_damaged_voice_is_told_and_passed_over(tmp_path: Path) -> None:
    """The others speak."""
    models = SpeechModels(tmp_path)
    models.path_of(JOE).mkdir(parents=True)
    for file in JOE.files:
        (models.path_of(JOE) / file.file).write_bytes(b"no voice")
    told: list[str] = []
    voices = await open_voices(models, preferred="", speed=1.0, trouble=told.append)
    assert JOE.name not in {voice.name for voice in voices}
    assert len(told) == 1
    assert "checksum" in told[0]
