"""`pace voice` as a real process, with real ears and a real voice, over sound files."""

from pathlib import Path

import pytest

from doors.running import chat_server, run_pace
from pace.speech.catalogue import TINY_EN
from pace.speech.models import SpeechModels
from pace.speech.ports import RATE, Sound
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.sound import WavFile, at_rate, read_wav
from pace.speech.voices.piper import PiperVoice
from speech.conftest import sound_of

PAUSE = Sound(b"\0\0" * (2 * RATE))


@pytest.fixture
async def said(joe: Path, tmp_path: Path) -> Path:
    """A file in which somebody says two sentences, with pauses."""
    voice = PiperVoice(joe)
    path = tmp_path / "said.wav"
    with WavFile(path, rate=RATE) as file:
        for text in ("My boat is painted green.", "Which colour is my boat?"):
            file.append(PAUSE)
            file.append(at_rate(await sound_of(voice, text)))
        file.append(PAUSE)
    await voice.aclose()
    return path


def home_with(models: SpeechModels, home: Path) -> None:
    """Have the models that were fetched once serve this home, too."""
    folder = home / "cache" / "models"
    folder.mkdir(parents=True)
    (folder / "speech").symlink_to(models.path_of(TINY_EN).parent)


async def test_what_is_said_is_answered_aloud(
    said: Path, tmp_path: Path, tiny_en: Path, speech_models: SpeechModels
) -> None:
    """Two turns of one conversation, in the journal as spoken, and their sound in a file."""
    home = tmp_path / "home"
    home_with(speech_models, home)
    out = tmp_path / "out.wav"
    async with chat_server("A **green** boat.", "Your boat is green.") as server:
        ended = await run_pace(
            home,
            *("voice", "--wav-in", str(said), "--wav-out", str(out), "--recogniser", "tiny.en"),
            *("--tier", "local", "--base-url", server.url),
        )
    assert (ended.status, ended.err) == (0, "")
    assert "Pace: A **green** boat." in ended.out
    assert "painted green" in ended.out
    first, second = server.sent
    assert [message["content"] for message in second][-3:-1] == [
        *(first[-1]["content"], "A **green** boat."),
    ]
    ears = FasterWhisperRecogniser(tiny_en, "tiny.en")
    heard = await ears.recognise(read_wav(out))
    await ears.aclose()
    assert heard.text.lower().count("green") == 2
    shown = await run_pace(home, "history", "export", "--format", "jsonl")
    assert shown.out.count('"voice"') == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--wav-in", "nothing.wav"), "nothing.wav cannot be read"),
        (("--wav-in", "{said}", "--wav-out", "{said}"), "Name another file"),
        (("--wav-in", "{said}", "--recogniser", "huge"), "cannot be 'huge'"),
        ((), "--wav-in"),
    ],
)
async def test_wrong_files_are_one_sentence(
    said: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    """Before anything is fetched or said."""
    given = [argument.format(said=said) for argument in arguments]
    ended = await run_pace(tmp_path / "home", "voice", *given)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1
