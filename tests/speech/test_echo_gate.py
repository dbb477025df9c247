"""The echo gate, in simulated rooms: Pace's voice at any loudness, and a person over it."""

import numpy as np
import pytest

from pace.speech.echo_gate import EchoGate
from pace.speech.ports import CHUNK_SAMPLES, RATE
from pace.speech.sound import SILENCE_DBFS, level

CHUNKS_A_SECOND = RATE // CHUNK_SAMPLES
GAINS = (-40, -30, -20, -10, 0)
DELAYS = (20, 100, 250)


def speech(seconds: float, *, dbfs: float = -20, seed: int = 1) -> np.ndarray:
    """Noise as loud and as uneven as speech: four syllables a second, a pause each second."""
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * RATE)) / RATE
    syllables = 0.15 + np.sin(2 * np.pi * 2 * times + 0.5) ** 2
    noise = random.standard_normal(len(times)) * syllables * (times % 1.3 < 1)
    return noise * 10 ** (dbfs / 20) / np.sqrt(np.mean(noise**2))


def room(sounding: np.ndarray, *, gain: float, delay_ms: int, noise: float = -75) -> np.ndarray:
    """What comes back: later, louder or softer, with a short reverberation, in a soft noise."""
    random = np.random.default_rng(9)
    ringing = random.standard_normal(RATE // 5) * np.exp(-np.arange(RATE // 5) / (0.03 * RATE))
    ringing[0] = 0
    answer = np.concatenate([[1.0], 0.4 * ringing[1:] / np.sqrt(np.sum(ringing**2))])
    answer *= 10 ** (gain / 20) / np.sqrt(np.sum(answer**2))
    size = 1 << (len(sounding) + len(answer)).bit_length()
    spectrum = np.fft.rfft(sounding, size) * np.fft.rfft(answer, size)
    returned = np.fft.irfft(spectrum, size)[: len(sounding)]
    late = delay_ms * RATE // 1000
    delayed = np.concatenate([np.zeros(late), returned])[: len(sounding)]
    return delayed + random.standard_normal(len(sounding)) * 10 ** (noise / 20)


def levels(sound: np.ndarray) -> list[float]:
    clipped = np.clip(np.round(sound * 32768), -32768, 32767).astype("<i2")
    whole = len(clipped) // CHUNK_SAMPLES * CHUNK_SAMPLES
    return [level(chunk.tobytes()) for chunk in clipped[:whole].reshape(-1, CHUNK_SAMPLES)]


def passed(heard: np.ndarray, sounding: np.ndarray, gate: EchoGate | None = None) -> list[bool]:
    gate = gate or EchoGate()
    return [gate.passes(*both) for both in zip(levels(heard), levels(sounding), strict=True)]


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("delay_ms", DELAYS)
def test_its_own_voice_does_not_pass(gain: int, delay_ms: int) -> None:
    """At any loudness and delay no chunk of the echo passes, from the first word on."""
    sounding = speech(20)
    assert not any(passed(room(sounding, gain=gain, delay_ms=delay_ms), sounding))


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("delay_ms", DELAYS)
def test_a_person_above_it_passes(gain: int, delay_ms: int) -> None:
    """After some seconds of Pace's speech, somebody 10 dB above its echo passes within 200 ms."""
    sounding = speech(9)
    heard = room(sounding, gain=gain, delay_ms=delay_ms)
    begins = 6 * CHUNKS_A_SECOND
    person = speech(3, dbfs=-20 + gain + 10, seed=2)
    heard[begins * CHUNK_SAMPLES :][: len(person)] += person[: len(heard) - begins * CHUNK_SAMPLES]
    outcome = passed(heard, sounding)
    assert not any(outcome[:begins])
    assert any(outcome[begins : begins + CHUNKS_A_SECOND // 5])


def test_whoever_was_let_through_is_let_through_for_a_moment() -> None:
    """A soft chunk within a person's word passes, too, so that the word stays whole."""
    gate = EchoGate()
    for _ in range(6 * CHUNKS_A_SECOND):
        gate.passes(-50, -20)
    assert [gate.passes(heard, -20) for heard in (-30, -30, -50, -30)] == [False, True, True, True]


def test_a_click_does_not_pass() -> None:
    """One loud chunk alone is nobody."""
    gate = EchoGate()
    outcome = [gate.passes(-10 if n % 50 == 49 else -50, -20) for n in range(500)]
    assert not any(outcome[100:])


def test_silence_of_the_speaker_lets_everything_pass() -> None:
    """While Pace is silent, the faintest sound passes; for 0.4 s after its voice, none does."""
    gate = EchoGate()
    assert all(gate.passes(-90, SILENCE_DBFS) for _ in range(100))
    assert not any(gate.passes(-40, -20) for _ in range(100))
    after = [gate.passes(-45, SILENCE_DBFS) for _ in range(40)]
    assert after == [False] * 11 + [True] * 29


def test_with_headphones_everything_passes() -> None:
    """An open gate keeps nothing back."""
    gate = EchoGate(is_open=True)
    assert all(gate.passes(-20, -20) for _ in range(100))


def test_a_volume_that_was_turned_up_is_learned() -> None:
    """An echo that has become 12 dB louder passes for some seconds at most."""
    sounding = speech(30)
    heard = room(sounding, gain=-25, delay_ms=100)
    heard[10 * RATE :] *= 4
    outcome = passed(heard, sounding)
    assert not any(outcome[: 10 * CHUNKS_A_SECOND])
    assert not any(outcome[14 * CHUNKS_A_SECOND :])


def test_a_person_who_was_let_through_hardly_counts() -> None:
    """Who cut in, for as long as it takes Pace to be silent, can cut in again just as loudly."""
    sounding = speech(14)
    heard = room(sounding, gain=-25, delay_ms=100)
    person = speech(0.3, dbfs=-34, seed=2)
    for begins in (6, 9, 12):
        heard[begins * RATE :][: len(person)] += person
    outcome = passed(heard, sounding)
    for begins in (6, 9, 12):
        assert any(outcome[begins * CHUNKS_A_SECOND :][: CHUNKS_A_SECOND // 2])
