"""The platform's own voice: the contract over espeak-ng; other platforms by fakes of theirs."""

import sys
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from pace.errors import VoiceError
from pace.speech.voice_catalogue import PLATFORM_VOICES
from pace.speech.voices.finding import system_voice
from pace.speech.voices.system import Output, SystemVoice
from speech.contracts import VoiceContract, seconds, sounds


class TestEspeak(VoiceContract):
    @pytest_asyncio.fixture
    async def voice(self) -> SystemVoice:
        voice = await system_voice("linux")
        if voice is None:
            pytest.skip("there is no espeak-ng; install Debian's package espeak-ng")
        return voice

    @pytest_asyncio.fixture
    async def hasty(self) -> SystemVoice | None:
        return await system_voice("linux", speed=2.0)


def program(folder: Path, name: str, code: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport sys\n{code}\n", encoding="utf-8")
    path.chmod(0o700)


SAY = """
if sys.argv[1:] == ["-v", "?"]:
    print("Alex                en_US    # Most people recognize me by my voice.")
    print("Bad News            en_US    # The light you see.")
    print("Anna (Enhanced)     de_DE    # Hallo, ich heiße Anna.")
else:
    print(sys.argv[1:], sys.stdin.read(), file=open({log!r}, "a"))
"""
POWERSHELL = """
if "GetInstalledVoices" in sys.argv[-1]:
    print("en\\nde\\nen\\niv")
else:
    print(sys.argv[-1], repr(sys.stdin.read()), file=open({log!r}, "a"))
    sys.stdout.buffer.write(bytes(44100))
"""


async def test_espeak_speaks_many_languages() -> None:
    """What it lists is offered under the codes of recognisers: Mandarin, Bokmål among them."""
    voice = await system_voice("linux")
    if voice is None:
        pytest.skip("there is no espeak-ng; install Debian's package espeak-ng")
    assert {"en", "de", "fr", "es", "it", "pt", "nl", "no", "zh"} <= voice.languages
    assert all(len(language) == 2 for language in voice.languages)
    async with aclosing(voice.speak("Guten Tag.", language="de")) as pieces:
        assert seconds([piece async for piece in pieces]) > 0.3


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
async def test_a_platform_without_a_voice_has_none(tmp_path: Path, platform: str) -> None:
    """Where no program is found, there is no voice, and no error."""
    assert await system_voice(platform, path=str(tmp_path)) is None


@pytest.mark.parametrize("code", ["sys.exit(1)", "print('nonsense')", ""])
async def test_a_program_that_lists_nothing_is_no_voice(tmp_path: Path, code: str) -> None:
    """A program that cannot say what it speaks is passed over."""
    program(tmp_path, "say", code)
    assert await system_voice("darwin", path=str(tmp_path)) is None


async def test_say_plays_by_itself(tmp_path: Path) -> None:
    """On macOS the text goes through a pipe to the first voice of its language; no sound comes."""
    program(tmp_path, "say", SAY.format(log=str(tmp_path / "log")))
    voice = await system_voice("darwin", path=str(tmp_path))
    assert voice is not None
    assert voice.plays_itself
    assert voice.languages == {"en", "de"}
    async with aclosing(voice.speak("Guten\nTag", language="de")) as pieces:
        assert [piece async for piece in pieces] == []
    assert (tmp_path / "log").read_text() == "['-v', 'Anna (Enhanced)', '-f', '-'] Guten Tag\n\n"


async def test_windows_gives_sound_through_a_pipe(tmp_path: Path) -> None:
    """The text is in no argument of PowerShell, and its bare samples are the sound."""
    program(tmp_path, "powershell", POWERSHELL.format(log=str(tmp_path / "log")))
    voice = await system_voice("win32", path=str(tmp_path))
    assert voice is not None
    assert voice.languages == {"en", "de", "iv"}
    assert seconds(await sounds(voice, "Hello")) == 1.0
    told = (tmp_path / "log").read_text()
    assert "GetCultureInfo('en')" in told
    assert told.endswith(" 'Hello\\n'\n")


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(2)",
        "sys.stdout.write('RIFF')",
        "sys.stdout.buffer.write(b'RIFF....WAVEdata....')",
        "sys.stdout.buffer.write(b'x' * 100)",
    ],
)
async def test_a_program_that_fails_is_an_error_in_words(tmp_path: Path, code: str) -> None:
    """Whatever it writes in place of a WAV stream, one sentence names the voice."""
    program(tmp_path, "fake", code)
    voice = SystemVoice("fake", {"en": (str(tmp_path / "fake"),)}, output=Output.WAV)
    with pytest.raises(VoiceError, match="voice fake failed"):
        await sounds(voice, "Hello")


async def test_what_a_voice_does_not_speak_is_named() -> None:
    """Another language, or a program that is gone, is an error in words."""
    voice = SystemVoice("gone", {"en": ("/nowhere/voice",)}, output=Output.WAV)
    with pytest.raises(VoiceError, match="does not speak 'de'"):
        await anext(voice.speak("Hallo", language="de"))
    with pytest.raises(VoiceError, match="cannot be started"):
        await sounds(voice, "Hello")


async def test_each_platform_is_told_the_speed_in_its_own_terms(tmp_path: Path) -> None:
    """Words a minute for `say`, a power of three for SAPI; at speed 1 `say` keeps its own."""
    program(tmp_path, "say", SAY.format(log=str(tmp_path / "log")))
    program(tmp_path, "powershell", POWERSHELL.format(log=str(tmp_path / "log")))
    for platform, speed in (("darwin", 2.0), ("darwin", 1.0), ("win32", 2.0), ("win32", 0.5)):
        voice = await system_voice(platform, path=str(tmp_path), speed=speed)
        assert voice is not None
        assert voice.name in PLATFORM_VOICES
        await sounds(voice, "Hello")
    said = (tmp_path / "log").read_text(encoding="utf-8")
    fast, own, *windows = said.replace("\n\n", "\n").splitlines()
    assert fast.startswith("['-r', '350', '-v', 'Alex'")
    assert own.startswith("['-v', 'Alex'")
    assert ["$voice.Rate = 6;" in windows[0], "$voice.Rate = -6;" in windows[1]] == [True, True]


@pytest.mark.parametrize(("silent", "length"), [(0, 1.0), (2205, 0.9), (4410, 0.8), (9000, 0.8)])
async def test_what_a_voice_makes_of_silence_counts(
    tmp_path: Path, silent: int, length: float
) -> None:
    """A program that ends in silence of its own gets as much more as makes up 0.2 s."""
    loud = 17_640 - silent if silent <= 4410 else 8640
    code = f"sys.stdout.buffer.write(b'\\1\\1' * {loud} + bytes(2 * {silent}))"
    program(tmp_path, "fake", code)
    voice = SystemVoice("fake", {"en": (str(tmp_path / "fake"),)}, output=Output.RAW)
    assert round(seconds(await sounds(voice, "That is all.")), 2) == length
