"""Finds the voice that the platform brings, and the languages that it speaks."""

import asyncio
import math
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from pace.speech.voices.environment import voice_environment
from pace.speech.voices.system import RAW_RATE, Output, SystemVoice

_ANSWERS_WITHIN = 10.0
# `  5  en-gb  --/M  English_(Great_Britain)  gmw/en-GB  (en 2)`
_ESPEAK_LINE = re.compile(r"\s*\d+\s+(\S+)\s")
# `Alex                en_US    # Most people recognize me by my voice.`
_SAY_LINE = re.compile(r"(\S.*?)\s+([a-z]{2,3})[_-]\S+\s+#")
_TWO_LETTERS = re.compile(r"[a-z]{2}")
# espeak-ng names these by other codes than a recogniser does.
_OTHER_CODES = {"cmn": "zh", "yue": "zh", "nb": "no"}
# Words a minute at which espeak-ng (its manual) and, about, the voices of `say` speak unasked.
_WORDS_A_MINUTE = 175
# SAPI's rates: 10 is three times as fast as 0, and -10 a third of it.
_SAPI_RATE_OF_THREEFOLD = 10

_POWERSHELL = ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command")
_WINDOWS_VOICES = (
    "Add-Type -AssemblyName System.Speech; "
    "(New-Object System.Speech.Synthesis.SpeechSynthesizer).GetInstalledVoices() "
    "| ForEach-Object { $_.VoiceInfo.Culture.TwoLetterISOLanguageName }"
)
# SetOutputToAudioStream goes back and forth in its stream, which a pipe cannot do.
_WINDOWS_SPEAKS = (
    "[Console]::InputEncoding = [Text.Encoding]::UTF8; "
    "Add-Type -AssemblyName System.Speech; "
    "$voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; "
    "$voice.SelectVoiceByHints('NotSet', 'NotSet', 0, "
    "[Globalization.CultureInfo]::GetCultureInfo('{language}')); "
    "$voice.Rate = {speed}; "
    "$sound = New-Object IO.MemoryStream; "
    "$form = New-Object System.Speech.AudioFormat.SpeechAudioFormatInfo"
    "({rate}, 'Sixteen', 'Mono'); "
    "$voice.SetOutputToAudioStream($sound, $form); "
    "$voice.Speak([Console]::In.ReadToEnd()); "
    "$sound.Position = 0; $out = [Console]::OpenStandardOutput(); $sound.CopyTo($out); $out.Flush()"
)


async def system_voice(
    platform: str = sys.platform, *, path: str | None = None, speed: float = 1.0
) -> SystemVoice | None:
    """The platform's own voice, or None; programs are looked for in `path`, else in PATH.

    `speed` 2 takes half the time, 1 is the platform's own.
    """
    if platform == "darwin":
        return await _say(shutil.which("say", path=path), speed)
    if platform == "win32":
        return await _windows(shutil.which("powershell", path=path), speed)
    program = shutil.which("espeak-ng", path=path) or shutil.which("espeak", path=path)
    return await _espeak(program, speed)


async def _espeak(program: str | None, speed: float) -> SystemVoice | None:
    if program is None:
        return None
    tags = [
        found[1] for line in await _told(program, "--voices") if (found := _ESPEAK_LINE.match(line))
    ]
    commands: dict[str, tuple[str, ...]] = {}
    for tag in sorted(tags, key=len):
        first = tag.partition("-")[0]
        language = _OTHER_CODES.get(first, first)
        if _TWO_LETTERS.fullmatch(language):
            # Text in UTF-8 (-b 1), read whole before it speaks.
            pace = ("-s", _words_a_minute(speed))
            command = (program, "-b", "1", *pace, "--stdin", "--stdout", "-v", tag)
            commands.setdefault(language, command)
    return _voice("espeak-ng", commands, Output.WAV)


async def _say(program: str | None, speed: float) -> SystemVoice | None:
    if program is None:
        return None
    # Its voices differ in how fast they speak, so that nothing is asked for where nothing is set.
    pace = () if speed == 1.0 else ("-r", _words_a_minute(speed))
    commands: dict[str, tuple[str, ...]] = {}
    for line in await _told(program, "-v", "?"):
        if (found := _SAY_LINE.match(line)) and _TWO_LETTERS.fullmatch(found[2]):
            commands.setdefault(found[2], (program, *pace, "-v", found[1], "-f", "-"))
    return _voice("say", commands, Output.PLAYED)


async def _windows(program: str | None, speed: float) -> SystemVoice | None:
    if program is None:
        return None
    told = await _told(program, *_POWERSHELL, _WINDOWS_VOICES)
    languages = {line.strip() for line in told if _TWO_LETTERS.fullmatch(line.strip())}
    rate = round(_SAPI_RATE_OF_THREEFOLD * math.log(speed, 3))
    speaks = _WINDOWS_SPEAKS.replace("{rate}", str(RAW_RATE)).replace("{speed}", str(rate))
    commands = {
        language: (program, *_POWERSHELL, speaks.replace("{language}", language))
        for language in languages
    }
    return _voice("windows", commands, Output.RAW)


def _words_a_minute(speed: float) -> str:
    return str(round(_WORDS_A_MINUTE * speed))


def _voice(name: str, commands: Mapping[str, Sequence[str]], output: Output) -> SystemVoice | None:
    return SystemVoice(name, commands, output=output) if commands else None


async def _told(*command: str) -> list[str]:
    """The lines that a program says about itself; none if it cannot, or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=voice_environment(),
            start_new_session=True,
        )
    except OSError:
        return []
    try:
        async with asyncio.timeout(_ANSWERS_WITHIN):
            told, _ = await process.communicate()
    except TimeoutError:
        return []
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return told.decode(errors="replace").splitlines()
