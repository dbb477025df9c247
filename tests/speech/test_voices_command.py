"""`pace voices` as a real process: what it lists, and how each of its commands fails in words."""

import ast
import asyncio
import sys
from pathlib import Path

import pytest

from doors.running import Ended, run_pace
from pace.speech.catalogue import JOE
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.sound import level, read_wav
from pace.speech.voice_catalogue import VOICES
from speech.pulse import needs_pulse, running_pulse

THORSTEN = "de_DE-thorsten-medium"


@pytest.fixture
def home(tmp_path: Path, joe: Path) -> Path:
    """A home in which the voice Joe is, and no other."""
    folder = tmp_path / "home" / "cache" / "models" / "speech" / JOE.name
    folder.mkdir(parents=True)
    for path in joe.parent.glob(f"{JOE.name}*"):
        if path.suffix in {".onnx", ".json"}:
            (folder / path.name).hardlink_to(path)
    return tmp_path / "home"


def row_of(ended: Ended, name: str) -> str:
    """The line that tells of a voice, its spaces as one."""
    return next(" ".join(line.split()) for line in ended.out.splitlines() if line.startswith(name))


async def test_the_list_says_who_is_who(home: Path) -> None:
    """Each voice, its licence, who vouches for its files, and who would speak now."""
    ended = await run_pace(home, "voices")
    assert (ended.status, ended.err) == (0, "")
    assert {line.split()[0] for line in ended.out.splitlines() if line} >= {
        voice.name for voice in VOICES
    }
    assert row_of(ended, JOE.name) == (
        "en_US-joe-medium English (en) medium 63 MB CC0-1.0 * Pace here, speaks English (en)"
    )
    assert row_of(ended, THORSTEN) == (
        "de_DE-thorsten-medium German (de) medium 63 MB CC0-1.0 * the hub"
    )
    assert "trained further from lessac, whose recordings are licensed for research" in ended.out
    assert "pace voices fetch NAME" in ended.out


async def test_the_list_keeps_to_a_language_and_to_the_recogniser(home: Path) -> None:
    """A voice of a language that is not asked for, or that nobody would understand, is left out."""
    german = await run_pace(home, "voices", "--language", "de-AT")
    assert row_of(german, THORSTEN)
    assert JOE.name not in german.out
    await run_pace(home, "settings", "voice.recogniser", "tiny.en")
    english = await run_pace(home, "voices")
    assert row_of(english, JOE.name)
    assert THORSTEN not in english.out
    assert "knows English alone" in english.out


async def test_a_chosen_voice_that_is_gone_is_told_beside_the_list(home: Path) -> None:
    """The list is shown all the same, since it is where another is chosen."""
    await run_pace(home, "settings", "voice.voice", THORSTEN)
    ended = await run_pace(home, "voices")
    assert ended.status == 0
    assert f"pace voices fetch {THORSTEN}" in ended.err
    assert row_of(ended, JOE.name).endswith("speaks English (en)")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--language", "xx"), "No recogniser knows the language xx"),
        (("--language", "de", "fetch", "joe"), "Leave it out here"),
        (("fetch", "torsten"), f"Did you mean {THORSTEN}?"),
        (("fetch", "espeak-ng"), "comes with the system"),
        (("play", THORSTEN), f"pace voices fetch {THORSTEN}"),
        (("play", JOE.name, "--language", "de"), "does not speak German"),
        (("play", "espeak-ng", "--language", "yo"), "Give a TEXT to say"),
        (("play", JOE.name, "--wav-out", "/nowhere/file.wav"), "cannot be written"),
        (("remove", THORSTEN), "is not here"),
        (("remove", "nobody"), "There is no voice 'nobody'"),
    ],
)
async def test_what_was_asked_wrongly_is_one_sentence(
    home: Path, arguments: tuple[str, ...], told: str
) -> None:
    """It names the thing and the next step, and nothing is changed."""
    ended = await run_pace(home, "voices", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err
    assert ended.err.count("\n") == 1


async def test_a_voice_speaks_into_a_file(home: Path, tmp_path: Path, tiny_en: Path) -> None:
    """What it was given, at the speed that is set, or a sentence of ours."""
    slow, quick, own = (tmp_path / f"{name}.wav" for name in ("slow", "quick", "own"))
    text = ("The", "boat", "is", "green", "today.")
    for path, speed in ((slow, "0.5"), (quick, "2.0")):
        await run_pace(home, "settings", "voice.speed", speed)
        ended = await run_pace(home, "voices", "play", JOE.name, *text, "--wav-out", str(path))
        assert (ended.status, ended.out, ended.err) == (0, "", "")
    assert read_wav(quick).seconds < read_wav(slow).seconds / 2
    await run_pace(home, "settings", "--reset", "voice.speed")
    await run_pace(home, "voices", "play", JOE.name, "--wav-out", str(own))
    ears = FasterWhisperRecogniser(tiny_en, "tiny.en")
    heard = await ears.recognise(read_wav(own))
    await ears.aclose()
    assert "good morning" in heard.text.lower()


@needs_pulse
async def test_a_voice_is_heard_from_the_loudspeaker(home: Path) -> None:
    """All of it has sounded when the command ends."""
    with running_pulse() as pulse:
        pulse.add_sink()
        listening = await asyncio.create_subprocess_exec(
            *("parec", "-d", "Room.monitor", "--format=s16le", "--rate=16000", "--channels=1"),
            stdout=asyncio.subprocess.PIPE,
            env=pulse.environment,
        )
        assert listening.stdout is not None
        heard = await listening.stdout.readexactly(2)
        rest = asyncio.create_task(listening.stdout.read())
        ended = await run_pace(home, "voices", "play", JOE.name, "Yes.", env=pulse.environment)
        listening.terminate()
        heard += await rest
        await listening.wait()
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    assert level(heard) > -50


async def test_a_voice_that_is_here_is_not_fetched_and_can_be_removed(home: Path) -> None:
    """Removed, it is listed as not here."""
    ended = await run_pace(home, "voices", "fetch", JOE.name)
    assert (ended.status, ended.err) == (0, "")
    assert "It is here" in ended.out
    removed = await run_pace(home, "voices", "remove", JOE.name)
    assert (removed.status, removed.out) == (0, f"Removed {JOE.name}; 63 MB are free again.\n")
    assert row_of(await run_pace(home, "voices"), JOE.name).endswith("Pace")


async def test_the_settings_of_a_voice_are_checked(home: Path) -> None:
    """Each has a help text; a wrong value is one sentence, and an unknown voice has a nearest."""
    for name, value, told in (
        ("mode", "open", "push-to-talk or hands-free"),
        ("recogniser", "huge", "base or tiny.en"),
        ("speed", "3", "a number, 0.5 to 2.0"),
        ("headphones", "maybe", "on or off"),
        ("voice", "torsten", f"Did you mean {THORSTEN}?"),
        ("device", "x" * 300, "loudspeaker's name"),
    ):
        ended = await run_pace(home, "settings", f"voice.{name}", value)
        assert (ended.status, ended.out) == (2, "")
        assert told in ended.err
        assert ended.err.count("\n") == 1
        assert len((await run_pace(home, "settings", f"voice.{name}")).out.splitlines()) == 3


async def test_headphones_are_on_off_or_not_said(home: Path) -> None:
    """Empty is as if nobody had ever said."""
    for value, shown in (("on", "on"), ("off", "off"), ("", "")):
        await run_pace(home, "settings", "voice.headphones", value)
        told = await run_pace(home, "settings", "voice.headphones")
        assert told.out.splitlines()[0] == f"voice.headphones = {shown}"


async def test_help_says_what_each_command_does(home: Path) -> None:
    """From the list's to each of its commands'."""
    ended = await run_pace(home, "voices", "--help")
    assert all(word in ended.out for word in ("fetch", "play", "remove", "--language"))
    assert "--wav-out" in (await run_pace(home, "voices", "play", "--help")).out


async def test_who_types_loads_no_speech() -> None:
    """The command line and a typed conversation import no ears, voices or devices, only names."""
    code = (
        "import sys\nfrom pace.doors.cli.main import run\nrun(['voice', '--help'])\n"
        "run(['voices', '--help'])\nimport pace.doors.cli.talking\n"
        "spoken = ('pace.speech', 'pace.doors.voice', 'miniaudio', 'numpy', 'faster_whisper')\n"
        "print([name for name in sys.modules if name.startswith(spoken)])"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    loaded = set(ast.literal_eval(out.decode().splitlines()[-1]))
    assert loaded == {"pace.speech", "pace.speech.catalogue", "pace.speech.voice_catalogue"}
