"""Speaks with the voice that the platform brings, one process for each text.

espeak-ng gives its sound through a pipe, as does Windows' own voice, by way of PowerShell's memory.
macOS' `say` writes sound to files alone (say(1)), and Pace writes none; so it plays by itself.
"""

import asyncio
import struct
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto

from pace.errors import VoiceError
from pace.speech.ports import SAMPLE_BYTES, Sound
from pace.speech.voices.environment import voice_environment
from pace.speech.voices.text import end_of, has_words, one_line, pause_after

RAW_RATE = 22_050
_PIECE_BYTES = 16_384
_MONO_16_BIT = (1, 16)


class Output(Enum):
    """What a program does with the sound."""

    WAV = auto()
    """A WAV stream on standard output, its length unknown."""
    RAW = auto()
    """Bare samples on standard output, RAW_RATE of them a second."""
    PLAYED = auto()
    """It plays it by itself, and ends when all of it was heard."""


class SystemVoice:
    """Speaks by a program that reads UTF-8 text on standard input; `commands` are by language.

    Where `plays_itself` is true, no sound comes of `speak`: it ends once the text was heard.
    """

    def __init__(self, name: str, commands: Mapping[str, Sequence[str]], *, output: Output) -> None:
        self._name = name
        self._commands = dict(commands)
        self._output = output

    @property
    def name(self) -> str:
        """As it is set and shown."""
        return self._name

    @property
    def languages(self) -> frozenset[str]:
        """Those for which the platform has a voice."""
        return frozenset(self._commands)

    @property
    def plays_itself(self) -> bool:
        """Whether the sound is heard without passing through here."""
        return self._output is Output.PLAYED

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:
        """The sound of a text; closing it ends the process. Raises VoiceError."""
        if not has_words(text):
            return
        process = await self._started(language)
        rate, end = RAW_RATE, b""
        try:
            _give(process, text)
            if process.stdout is not None:
                if self._output is Output.WAV:
                    rate = await self._rate_told(process.stdout)
                rest = b""
                while piece := await process.stdout.read(_PIECE_BYTES):
                    piece = rest + piece  # with what was left of the last one
                    whole = len(piece) // SAMPLE_BYTES * SAMPLE_BYTES
                    rest = piece[whole:]
                    if whole:
                        end = end_of(end, piece[:whole], rate)
                        yield Sound(piece[:whole], rate)
            if await process.wait():
                raise self._failed()
            pause = pause_after(one_line(text), end, rate)
            if pause is not None and not self.plays_itself:
                yield pause
        finally:
            await _ended(process)

    async def aclose(self) -> None:
        """Nothing runs between texts."""

    async def _started(self, language: str) -> asyncio.subprocess.Process:
        command = self._commands.get(language)
        if command is None:
            raise VoiceError(f"The voice {self._name} does not speak {language!r}. Choose another.")
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            return await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=nothing if self.plays_itself else pipe,
                stderr=nothing,
                env=voice_environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise VoiceError(
                f"The voice {self._name} cannot be started ({error.strerror}). Is it installed?"
            ) from error

    async def _rate_told(self, stream: asyncio.StreamReader) -> int:
        """Read the head of a WAV stream, up to its samples."""
        try:
            head = await stream.readexactly(12)
            rate = 0
            while True:
                kind, size = struct.unpack("<4sI", await stream.readexactly(8))
                if head[:4] != b"RIFF" or (kind == b"data" and not rate):
                    raise self._failed()
                if kind == b"data":
                    return rate
                chunk = await stream.readexactly(size + size % 2)
                if kind == b"fmt ":
                    _, channels, rate, _, _, bits = struct.unpack("<HHIIHH", chunk[:16])
                    if (channels, bits) != _MONO_16_BIT:
                        raise self._failed()
        except (asyncio.IncompleteReadError, struct.error) as error:
            raise self._failed() from error

    def _failed(self) -> VoiceError:
        return VoiceError(f"The voice {self._name} failed. Try it by hand, or choose another.")


def _give(process: asyncio.subprocess.Process, text: str) -> None:
    if process.stdin is None:
        raise AssertionError("its input is ours")
    process.stdin.write(one_line(text).encode() + b"\n")
    process.stdin.close()


async def _ended(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
    if sys.platform == "win32" and process.stdin is not None:
        with suppress(ConnectionError):
            await process.stdin.wait_closed()
