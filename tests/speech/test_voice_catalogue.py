"""The voices that can be had: who they are, and how what the hub hands out is checked."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from pace.errors import SettingsError, WeightsError
from pace.planners.hub import Hub
from pace.speech.catalogue import JOE, SpeechModel
from pace.speech.languages import LANGUAGES, SAMPLES, base_of
from pace.speech.models import SpeechModels
from pace.speech.recognisers.whisper_engine import WhisperEngine
from pace.speech.voice_catalogue import VOICES, known_voice
from planners.raw_server import RawServer, raw_server

THORSTEN = next(voice for voice in VOICES if voice.name == "de_DE-thorsten-medium")
FREE = {"CC0-1.0", "CC-BY-4.0", "public domain"}
CONTENTS = {".onnx": b"weights" * 1000, ".onnx.json": json.dumps({"audio": {}}).encode()}


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.name)
def test_a_voice_is_free_and_at_one_commit(voice: SpeechModel) -> None:
    """Its licence allows use by anybody; its files have its name and one commit's content."""
    assert voice.licence in FREE
    assert voice.quality == "medium"
    assert [file.file for file in voice.files] == [f"{voice.name}{end}" for end in CONTENTS]
    for file in voice.files:
        assert file.hub is not None
        assert re.fullmatch("[0-9a-f]{40}", file.hub.revision)
        language, region, *_, name = file.hub.file.split("/")
        assert voice.languages == {language}
        assert name.startswith(f"{region}-")
    assert voice.main.sha256 is not None or voice.main.needs_stated_sha256
    assert known_voice(voice.name) is voice


def test_what_each_speaks_is_known_and_can_be_tried() -> None:
    """Its language is one of the recogniser's, and has a sentence; no name stands twice."""
    for voice in VOICES:
        assert voice.languages is not None
        assert voice.languages <= LANGUAGES.keys() & SAMPLES.keys()
    assert len({voice.name for voice in VOICES}) == len(VOICES)
    assert VOICES[0] is JOE


def test_the_languages_are_those_of_the_recogniser(base: Path) -> None:
    """Each code that Whisper knows has a name here, and no other has one."""
    assert set(WhisperEngine(base).languages) == LANGUAGES.keys()


@pytest.mark.parametrize(
    ("written", "code"), [("de", "de"), ("de-AT", "de"), ("pt_BR", "pt"), ("EN", "en")]
)
def test_a_language_is_named_without_its_region(written: str, code: str) -> None:
    """As voices and recognisers name it."""
    assert base_of(written) == code


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("thorsten", "de_DE-thorsten-medium"),
        ("torsten", "de_DE-thorsten-medium"),
        ("EN_US-joe", "en_US-joe-medium"),
        ("en_us-jo-medium", "en_US-joe-medium"),
        ("espeak", "espeak-ng"),
    ],
)
def test_a_wrong_name_is_told_the_nearest(name: str, nearest: str) -> None:
    """A name in part, or with a slip, is answered with the voice that was meant."""
    with pytest.raises(SettingsError, match=f"Did you mean {nearest}"):
        known_voice(name)


@pytest.mark.parametrize("name", ["", "zzzz", "x" * 1000, "a\nb"])
def test_a_name_like_no_other_is_one_sentence(name: str) -> None:
    """It is never repeated if it is long or cannot be shown."""
    with pytest.raises(SettingsError) as told:
        known_voice(name)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 150


def test_a_platforms_voice_has_no_files() -> None:
    """It is known, and nothing of it can be fetched."""
    assert known_voice("espeak-ng") is None


def hand_out(server: RawServer, weights: bytes, *, stated: str | None) -> None:
    """Have a server hand out the voice as Hugging Face does, naming this checksum, if any."""
    for file, content in zip(THORSTEN.files, (weights, CONTENTS[".onnx.json"]), strict=True):
        assert file.hub is not None
        names = f'X-Linked-ETag: "{stated}"\r\n' if stated and file is THORSTEN.main else ""
        head = f"HTTP/1.1 200 OK\r\n{names}Content-Length: {len(content)}\r\n"
        path = f"/{file.hub.repo}/resolve/{file.hub.revision}/{file.hub.file}"
        server.answer(path, f"{head}Connection: close\r\n\r\n".encode(), content)


WEIGHTS = CONTENTS[".onnx"]
STATED = hashlib.sha256(WEIGHTS).hexdigest()


async def test_a_voice_is_as_the_hub_states_and_stays_so(tmp_path: Path) -> None:
    """What was checked at the download is noticed if it is another later, and is not removed."""
    async with raw_server() as server:
        hand_out(server, WEIGHTS, stated=STATED)
        models = SpeechModels(tmp_path, hub=Hub(server.url))
        folder = await models.fetch(THORSTEN)
    assert await models.find(THORSTEN) == folder
    for name in (f"{THORSTEN.name}.onnx", f"{THORSTEN.name}.onnx.json"):
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(b"another")
        with pytest.raises(WeightsError, match="was changed since"):
            await models.find(THORSTEN)
        assert (folder / name).read_bytes() == b"another"
        (folder / name).write_bytes(kept)
        assert await models.find(THORSTEN) == folder


@pytest.mark.parametrize(
    ("stated", "told"), [("0" * 64, "arrived damaged"), (None, "named no checksum")]
)
async def test_weights_that_the_hub_does_not_vouch_for_are_not_taken(
    tmp_path: Path, stated: str | None, told: str
) -> None:
    """Another checksum than the stated one, or none stated, leaves nothing here."""
    async with raw_server() as server:
        hand_out(server, WEIGHTS, stated=stated)
        models = SpeechModels(tmp_path, hub=Hub(server.url))
        with pytest.raises(WeightsError, match=told):
            await models.fetch(THORSTEN)
    assert not list(models.path_of(THORSTEN).glob("*.onnx*[!k]"))
    assert await models.find(THORSTEN) is None
