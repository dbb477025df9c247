"""The detector tells speech from silence and noise."""

import random
import struct

import pytest

from pace.speech.detecting import SileroSpeechDetector
from pace.speech.ports import CHUNK_SAMPLES, SAMPLE_BYTES
from pace.speech.sound import at_rate
from speech.conftest import Spoken

CHUNK = CHUNK_SAMPLES * SAMPLE_BYTES


def probabilities(detector: SileroSpeechDetector, samples: bytes) -> list[float]:
    starts = range(0, len(samples) - CHUNK + 1, CHUNK)
    return [detector.probability(samples[start : start + CHUNK]) for start in starts]


def test_speech_is_told_from_silence(spoken: tuple[Spoken, ...]) -> None:
    """Most of a spoken sentence is speech, and nothing of the silence after it is."""
    detector = SileroSpeechDetector()
    speech = probabilities(detector, at_rate(spoken[4].sound).samples)
    silence = probabilities(detector, bytes(40 * CHUNK))
    assert sum(each > 0.5 for each in speech) > 0.7 * len(speech)
    assert all(each < 0.35 for each in silence[10:])
    assert all(0 <= each <= 1 for each in (*speech, *silence))


def test_noise_is_no_speech() -> None:
    """Steady noise begins no turn."""
    noise = random.Random(1)  # noqa: S311  # the same noise each time
    samples = struct.pack("<16384h", *(int(noise.gauss(0, 2000)) for _ in range(16384)))
    assert max(probabilities(SileroSpeechDetector(), samples)) < 0.5


def test_a_detector_that_was_reset_is_as_new(spoken: tuple[Spoken, ...]) -> None:
    """After a reset it remembers nothing, and two detectors know nothing of each other."""
    detector = SileroSpeechDetector()
    samples = at_rate(spoken[0].sound).samples
    fresh = probabilities(detector, samples)
    detector.reset()
    assert probabilities(detector, samples) == fresh
    assert probabilities(SileroSpeechDetector(), samples) == fresh


@pytest.mark.parametrize("size", [0, CHUNK - 2, CHUNK + 2])
def test_what_is_no_chunk_is_refused(size: int) -> None:
    """Anything but CHUNK_SAMPLES samples is a mistake of the caller."""
    with pytest.raises(ValueError, match="chunk"):
        SileroSpeechDetector().probability(bytes(size))
