"""Pace's own voice, taken out of what a microphone hears of it in simulated rooms."""

from collections.abc import AsyncGenerator

import numpy as np
import pytest

from pace.speech.devices.echo_cancelling import EchoFreeMicrophone, Sounding
from pace.speech.devices.speaker import DeviceSpeaker
from pace.speech.ports import CHUNK_SAMPLES, RATE, Sound
from speech.pulse import needs_pulse, running_pulse
from speech.test_echo_gate import GAINS, room, speech

# The device takes sound in such steps and so far ahead (s); the canceller learns for so long (s).
STEP_MS, LEARNS = 20, 2
AHEAD = 0.06
SOUNDS = 6
# What is cleaned comes so many samples later.
LATE = 4 * RATE // 100


class RoomMicrophone:
    """Hears a sound chunk by chunk, while the loudspeaker, if there is one, is given its own."""

    def __init__(
        self,
        heard: np.ndarray,
        given: np.ndarray | None,
        sounding: Sounding,
        *,
        rate: int = RATE,
        ahead: float = AHEAD,
    ) -> None:
        self._heard = samples(heard)
        self._given = None if given is None else samples(given)
        self._sounding = sounding
        self._rate = rate
        self._ahead = ahead

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        step = self._rate * STEP_MS // 1000 * 2
        put = 0
        given = self._given
        for at in range(0, len(self._heard) - 2 * CHUNK_SAMPLES, 2 * CHUNK_SAMPLES):
            now = (at / 2 + CHUNK_SAMPLES) / RATE + self._ahead
            while given is not None and put / 2 / self._rate < now:
                self._sounding.put(given[put : put + step].ljust(step, bytes(1)), self._rate)
                put += step
            yield self._heard[at : at + 2 * CHUNK_SAMPLES]


def samples(sound: np.ndarray) -> bytes:
    return np.clip(np.round(sound * 32768), -32768, 32767).astype("<i2").tobytes()


def at(rate: int, sound: np.ndarray) -> np.ndarray:
    places = np.arange(len(sound) * rate // RATE) * RATE / rate
    return np.interp(places, np.arange(len(sound)), sound)


async def cleaned(
    heard: np.ndarray, given: np.ndarray, *, rate: int = RATE, ahead: float = AHEAD
) -> np.ndarray:
    sounding = Sounding()
    microphone = EchoFreeMicrophone(
        RoomMicrophone(heard, at(rate, given), sounding, rate=rate, ahead=ahead), sounding
    )
    whole = b"".join([chunk async for chunk in microphone.chunks()])
    return np.frombuffer(whole, "<i2") / 32768


def dbfs(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(sound**2) + 1e-12))


@pytest.mark.parametrize("rate", [RATE, 22_050, 48_000])
@pytest.mark.parametrize("gain", [gain for gain in GAINS if gain > -40])
async def test_its_own_voice_is_taken_out(gain: int, rate: int) -> None:
    """Whatever rate a voice is made at; what is left lies far below what came back."""
    given = speech(SOUNDS)
    heard = room(given, gain=gain, delay_ms=100)
    left = await cleaned(heard, given, rate=rate)
    after = slice(LEARNS * RATE, len(left))
    assert dbfs(left[after]) < max(dbfs(heard[after]) - 20, -68)


async def test_a_device_that_holds_nothing_is_no_harm() -> None:
    """The echo comes with the sound itself, and is behind it for the canceller all the same."""
    given = speech(SOUNDS)
    heard = room(given, gain=0, delay_ms=0)
    left = await cleaned(heard, given, ahead=0)
    after = slice(LEARNS * RATE, len(left))
    assert dbfs(left[after]) < dbfs(heard[after]) - 20


async def test_a_person_is_left_in() -> None:
    """As loud as the echo, they come through nearly as they spoke."""
    given = speech(SOUNDS)
    echo = room(given, gain=-10, delay_ms=100)
    spoken = np.zeros(len(echo))
    words = slice(4 * RATE, 5 * RATE)
    spoken[words] = speech(1, dbfs=-30, seed=7)
    left = await cleaned(echo + spoken, given)
    later = slice(words.start + LATE, words.stop + LATE)
    assert dbfs(left[later]) > dbfs(spoken[words]) - 10


async def test_without_a_loudspeaker_all_is_left_as_it_is() -> None:
    """Only later."""
    heard = speech(1)
    sounding = Sounding()
    inner = RoomMicrophone(heard, None, sounding)
    whole = b"".join([chunk async for chunk in EchoFreeMicrophone(inner, sounding).chunks()])
    left = np.frombuffer(whole, "<i2")
    assert abs(dbfs(left[LATE:] / 32768) - dbfs(heard)) < 1


@needs_pulse
async def test_a_loudspeaker_tells_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a sound, as its device takes it, at its rate."""
    given: list[tuple[bytes, int]] = []
    spoken = samples(speech(0.3))
    with running_pulse() as pulse:
        pulse.add_sink()
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        speaker = DeviceSpeaker("Room", given=lambda taken, rate: given.append((taken, rate)))
        await speaker.play(Sound(spoken))
        await speaker.wait_silent()
        await speaker.aclose()
    assert {rate for _, rate in given} == {RATE}
    assert spoken in b"".join(taken for taken, _ in given)


def test_what_nobody_heard_is_forgotten() -> None:
    """Of a time in which no microphone was open, the newest is what comes back now."""
    sounding = Sounding()
    for value in range(100):
        sounding.put(int(value).to_bytes(2, "little") * 320, RATE)
    taken = np.frombuffer(sounding.take(CHUNK_SAMPLES), "<i2")
    assert taken[-1] > 95


def test_silence_is_given_where_nothing_sounds() -> None:
    """And a piece that is too short waits for the next."""
    sounding = Sounding()
    assert not any(sounding.take(CHUNK_SAMPLES))
    sounding.put(b"\1\0" * 320, RATE)
    assert not any(sounding.take(CHUNK_SAMPLES))
    sounding.put(b"\1\0" * 800, RATE)
    assert any(sounding.take(CHUNK_SAMPLES))
    sounding.clear()
    assert not any(sounding.take(CHUNK_SAMPLES))
