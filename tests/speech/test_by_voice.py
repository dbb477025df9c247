"""`pace voice` as a real process, with real ears and a real voice, over sound files."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from doors.running import Ended, Message, chat_server, run_pace
from pace.speech.catalogue import TINY_EN
from pace.speech.models import SpeechModels
from pace.speech.ports import RATE, Sound
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.sound import WavFile, at_rate, read_wav
from pace.speech.voices.piper import PiperVoice
from speech.conftest import sound_of

PAUSE = Sound(b"\0\0" * (2 * RATE))


# Of a process that it is started in, what is opened for more than reading.
RECORDER = """
import os, sys
log = os.open(os.environ["RECORDED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def hear(event, given):
    if event == "open" and not isinstance(given[0], int) and (given[2] or 0) & 3:
        name = os.fsdecode(given[0])
        if name != os.devnull:
            os.write(log, os.fsencode(name) + b"\\n")
sys.addaudithook(hear)
"""


async def said_in(path: Path, joe: Path) -> Path:
    """A file in which somebody says two sentences, with pauses."""
    voice = PiperVoice(joe)
    with WavFile(path, rate=RATE) as file:
        for text in ("My boat is painted green.", "Which colour is my boat?"):
            file.append(PAUSE)
            file.append(at_rate(await sound_of(voice, text)))
        file.append(PAUSE)
    await voice.aclose()
    return path


@pytest.fixture
async def said(joe: Path, tmp_path: Path) -> Path:
    return await said_in(tmp_path / "said.wav", joe)


def home_with(models: SpeechModels, home: Path) -> None:
    """Have the models that were fetched once serve this home, too."""
    folder = home / "cache" / "models"
    folder.mkdir(parents=True)
    (folder / "speech").symlink_to(models.path_of(TINY_EN).parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talked:
    """A spoken conversation that is over, in a home and a temporary folder of its own."""

    folder: Path
    ended: Ended
    sent: list[list[Message]]
    written: frozenset[str]
    """Every file that Pace's own code opened to write, for however short a time."""

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def out(self) -> Path:
        return self.folder / "out.wav"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def talked(
    joe: Path,
    tiny_en: Path,  # noqa: ARG001  # fetched
    speech_models: SpeechModels,
    tmp_path_factory: pytest.TempPathFactory,
) -> Talked:
    """Two sentences were said, and answered aloud."""
    folder, elsewhere = tmp_path_factory.mktemp("talk"), tmp_path_factory.mktemp("elsewhere")
    for name in ("home", "temp"):
        (folder / name).mkdir()
    home_with(speech_models, folder / "home")
    (elsewhere / "sitecustomize.py").write_text(RECORDER)
    recorded = elsewhere / "recorded"
    said = await said_in(elsewhere / "said.wav", joe)
    async with chat_server("A **green** boat.", "Your boat is green.") as server:
        ended = await run_pace(
            folder / "home",
            *("voice", "--wav-in", str(said), "--wav-out", str(folder / "out.wav")),
            *("--recogniser", "tiny.en", "--tier", "local", "--base-url", server.url),
            env={
                "TMPDIR": str(folder / "temp"),
                "PYTHONPATH": str(elsewhere),
                "PYTHONDONTWRITEBYTECODE": "1",
                "RECORDED": str(recorded),
            },
        )
        return Talked(
            folder=folder,
            ended=ended,
            sent=server.sent,
            written=frozenset(recorded.read_text().splitlines()),
        )


async def test_what_is_said_is_answered_aloud(talked: Talked, tiny_en: Path) -> None:
    """Two turns of one conversation, in the journal as spoken, and their sound in a file."""
    assert (talked.ended.status, talked.ended.err) == (0, "")
    assert "Pace: A **green** boat." in talked.ended.out
    assert "painted green" in talked.ended.out
    first, second = talked.sent
    assert [message["content"] for message in second][-3:-1] == [
        *(first[-1]["content"], "A **green** boat."),
    ]
    ears = FasterWhisperRecogniser(tiny_en, "tiny.en")
    heard = await ears.recognise(read_wav(talked.out))
    await ears.aclose()
    assert heard.text.lower().count("green") == 2
    shown = await run_pace(talked.home, "history", "export", "--format", "jsonl")
    assert shown.out.count('"voice"') == 2


async def test_nothing_that_was_heard_is_on_disk(talked: Talked) -> None:
    """No sound but in the file that was named, not even for a moment; no word but in the journal.

    Afterwards there is no other file at all: no sound in another form, and no file of a child's.
    """
    files = {
        str(path.relative_to(talked.folder))
        for path in talked.folder.rglob("*")
        if path.is_file() and "models" not in path.parts
    }
    journal = {f"home/data/history.db{end}" for end in ("", "-shm", "-wal", ".lock")}
    assert files - journal == {"out.wav"}
    assert {str(Path(name).relative_to(talked.folder)) for name in talked.written} <= {
        *("out.wav", *journal)
    }


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
