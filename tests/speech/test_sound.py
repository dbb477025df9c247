"""Sound in memory: whatever form it comes in, it is the same sound at our rate."""

import math
import struct
import wave
from itertools import pairwise
from pathlib import Path

import pytest

from pace.errors import SettingsError
from pace.speech.ports import RATE, Sound
from pace.speech.sound import (
    SILENCE_DBFS,
    WavFile,
    at_rate,
    level,
    mono,
    read_wav,
    silence_behind,
)

RATES = (8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000)


def tone(rate: int, *, pitch: float = 440, seconds: float = 1.0) -> list[float]:
    return [0.5 * math.sin(2 * math.pi * pitch * n / rate) for n in range(int(rate * seconds))]


def packed(values: list[float], *, channels: int = 1, is_float: bool = False) -> bytes:
    repeated = [value for value in values for _ in range(channels)]
    if is_float:
        return struct.pack(f"<{len(repeated)}f", *repeated)
    return struct.pack(f"<{len(repeated)}h", *(round(value * 32767) for value in repeated))


def pitch_of(sound: Sound) -> float:
    """From how often it goes through zero."""
    values = struct.unpack(f"<{len(sound.samples) // 2}h", sound.samples)
    crossings = sum((a < 0) != (b < 0) for a, b in pairwise(values))
    return crossings / 2 / sound.seconds


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("is_float", [False, True])
def test_a_tone_stays_the_same_tone(rate: int, channels: int, is_float: bool) -> None:  # noqa: FBT001
    """Length, pitch and loudness survive the way from any rate and form to ours."""
    given = packed(tone(rate), channels=channels, is_float=is_float)
    sound = mono(given, rate=rate, channels=channels, is_float=is_float)
    assert sound.rate == RATE
    assert sound.seconds == pytest.approx(1, abs=0.005)
    assert pitch_of(sound) == pytest.approx(440, abs=3)
    assert level(sound.samples) == pytest.approx(-9, abs=0.5)


def test_what_our_rate_cannot_hold_is_left_out() -> None:
    """A pitch above half of our rate is damped, and does not come back as a lower one."""
    sound = mono(packed(tone(48_000, pitch=15_000)), rate=48_000)
    assert level(sound.samples) < -20


def test_half_a_sample_at_the_end_is_dropped() -> None:
    """Bytes that are no whole frame do no harm, and nothing is nothing."""
    assert mono(b"\x01", rate=48_000) == Sound(b"")
    assert mono(bytes(7), rate=RATE, channels=2).samples == bytes(2)
    assert at_rate(Sound(b"\1\0", 16_000)).samples == b"\1\0"


def test_the_level_is_in_decibels_of_full_scale() -> None:
    """A full square wave stands at 0, half of it 6 lower, and silence at the bottom."""
    assert level(struct.pack("<2h", -32768, -32768)) == 0
    assert level(struct.pack("<2h", 16384, -16384)) == pytest.approx(-6.02, abs=0.01)
    assert level(bytes(64)) == level(b"") == SILENCE_DBFS


@pytest.mark.parametrize("rate", RATES)
def test_the_silence_behind_a_sound_is_what_nobody_hears(rate: int) -> None:
    """Up to the last loud sample, to about a hundredth of a second; noise counts as none."""
    loud = struct.pack("<2h", 1000, -1000) * (rate // 4)
    soft = struct.pack("<2h", 200, -200) * (rate // 8)
    assert silence_behind(Sound(soft + loud + soft, rate)) == pytest.approx(0.25, abs=0.011)
    assert silence_behind(Sound(loud, rate)) == 0
    assert silence_behind(Sound(soft, rate)) == pytest.approx(0.25, abs=0.001)
    assert silence_behind(Sound(b"", rate)) == 0


@pytest.mark.parametrize("rate", RATES)
def test_a_wav_file_is_read_at_our_rate(tmp_path: Path, rate: int) -> None:
    """Stereo of any rate is read as mono sound of ours."""
    path = tmp_path / "two.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(packed(tone(rate), channels=2))
    sound = read_wav(path)
    assert sound.seconds == pytest.approx(1, abs=0.005)
    assert pitch_of(sound) == pytest.approx(440, abs=3)


def test_a_wav_file_of_floats_is_read(tmp_path: Path) -> None:
    """Samples as 32-bit floats are as good as whole numbers."""
    data = packed(tone(48_000), is_float=True)
    form = struct.pack("<HHIIHH", 3, 1, 48_000, 192_000, 4, 32)
    chunks = b"fmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    path = tmp_path / "float.wav"
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    assert pitch_of(read_wav(path)) == pytest.approx(440, abs=3)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"RIFF1234WAVE", b"Hello, world", b"\xff" * 99])
def test_a_file_that_is_no_sound_is_named(tmp_path: Path, content: bytes) -> None:
    """Anything else is one sentence with the file's name and what to do."""
    path = tmp_path / "no.wav"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"no\.wav is no WAV file"):
        read_wav(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Neither reading from nowhere nor writing there ends in a traceback."""
    with pytest.raises(SettingsError, match="cannot be read"):
        read_wav(tmp_path / "none.wav")
    with pytest.raises(SettingsError, match="cannot be written"):
        WavFile(tmp_path / "none" / "out.wav", rate=RATE)


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    """Sounds of several rates, one after the other, come back as one of the file's rate."""
    path = tmp_path / "out.wav"
    first, second = packed(tone(RATE)), packed(tone(22_050))
    with WavFile(path, rate=RATE) as file:
        file.append(Sound(first))
        file.append(Sound(second, 22_050))
    sound = read_wav(path)
    assert sound.samples[: len(first)] == first
    assert sound.seconds == pytest.approx(2, abs=0.01)
