"""Sound as samples in memory: other rates and forms made ours, its level, files a person names."""

import math
import wave
from array import array
from pathlib import Path
from types import TracebackType
from typing import Self

from pace.errors import MissingExtraError, SettingsError
from pace.speech.ports import RATE, SAMPLE_BYTES, Sound

try:
    import miniaudio
except ModuleNotFoundError as error:  # pragma: no cover - the tests have all extras
    raise MissingExtraError("A spoken conversation", "voice") from error

SILENCE_DBFS = -100.0
"""The level of no sound at all; the smallest sample that is none stands at -90."""
_FULL_SCALE = 32768
# Softer samples, below -40 dBFS, are the silence of a voice.
_AUDIBLE = 328
# How finely silence is told, in parts of a second.
_STEPS = 100


def mono(
    samples: bytes, *, rate: int, channels: int = 1, is_float: bool = False, to_rate: int = RATE
) -> Sound:
    """Whole sound of any rate and number of channels, 16-bit or 32-bit float, as mono sound.

    Not for pieces of a longer one: each is filtered as if silence came before it.
    """
    form = miniaudio.SampleFormat.FLOAT32 if is_float else miniaudio.SampleFormat.SIGNED16
    frame = channels * (4 if is_float else SAMPLE_BYTES)
    samples = samples[: len(samples) // frame * frame]
    if not samples:
        return Sound(b"", to_rate)
    converted = miniaudio.convert_frames(
        form, channels, rate, samples, miniaudio.SampleFormat.SIGNED16, 1, to_rate
    )
    return Sound(bytes(converted), to_rate)


def at_rate(sound: Sound, rate: int = RATE) -> Sound:
    """The same whole sound at another rate."""
    return sound if sound.rate == rate else mono(sound.samples, rate=sound.rate, to_rate=rate)


def level(samples: bytes) -> float:
    """The root mean square of 16-bit samples in dBFS: 0 is a square wave as loud as can be."""
    values = _values(samples)
    power = sum(value * value for value in values)
    if not power:
        return SILENCE_DBFS
    return 10 * math.log10(power / len(values) / _FULL_SCALE**2)


def _values(samples: bytes) -> "array[int]":  # the class cannot be asked before Python 3.12
    return array("h", samples[: len(samples) // SAMPLE_BYTES * SAMPLE_BYTES])


def silence_behind(sound: Sound) -> float:
    """How many seconds at its end nobody hears; all of them, if it is silence."""
    values = _values(sound.samples)
    step = max(1, sound.rate // _STEPS)
    end = len(values)
    while end > 0:
        block = values[max(0, end - step) : end]
        if max(block) > _AUDIBLE or min(block) < -_AUDIBLE:
            break
        end -= len(block)
    return (len(values) - end) / sound.rate


def read_wav(path: Path) -> Sound:
    """What is in a WAV file, of 16-bit, 24-bit or float samples, at RATE; raises SettingsError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read. Check the name of the sound file.") from error
    try:
        if content[:4] != b"RIFF" or content[8:12] != b"WAVE":
            raise _not_wav(path)
        decoded = miniaudio.decode(content, miniaudio.SampleFormat.SIGNED16, 1, RATE)
    except miniaudio.MiniaudioError as error:
        raise _not_wav(path) from error
    return Sound(decoded.samples.tobytes(), RATE)


def _not_wav(path: Path) -> SettingsError:
    return SettingsError(f"{path} is no WAV file that can be read. Save the sound as WAV.")


class WavFile:
    """Writes sound to a WAV file that a person named, mono and 16-bit; raises SettingsError."""

    def __init__(self, path: Path, *, rate: int) -> None:
        self._path = path
        self._rate = rate
        try:
            self._opened = path.open("wb")
        except OSError as error:
            raise SettingsError(
                f"{path} cannot be written. Check who owns its folder, or name another file."
            ) from error
        self._file = wave.open(self._opened)  # noqa: SIM115  # `close` closes it
        self._file.setnchannels(1)
        self._file.setsampwidth(SAMPLE_BYTES)
        self._file.setframerate(rate)

    def append(self, sound: Sound) -> None:
        """Write one more sound, at the file's rate."""
        try:
            self._file.writeframes(at_rate(sound, self._rate).samples)
        except OSError as error:
            raise SettingsError(
                f"{self._path} cannot be written on. Is there room on its disk?"
            ) from error

    def close(self) -> None:
        """Finish the file; only then its header says how long it is."""
        try:
            self._file.close()
        finally:
            self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
