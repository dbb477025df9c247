"""Short tones in place of words, made here and never kept: the microphone is closed."""

import math
from array import array

from pace.speech.ports import RATE, Sound

_NOTE_SECONDS = 0.12
_FADE_SECONDS = 0.02
_LOUDNESS = 0.12 * 32767
# A fourth downwards says that something is over; the names are those of scientific pitch.
_E5, _B4 = 659.26, 493.88


def closing_tone() -> Sound:
    """Two soft notes, the second one lower."""
    return Sound(b"".join(_note(frequency) for frequency in (_E5, _B4)))


def _note(frequency: float) -> bytes:
    count = int(_NOTE_SECONDS * RATE)
    fade = int(_FADE_SECONDS * RATE)
    samples = array("h")
    for at in range(count):
        swell = min(1.0, at / fade, (count - at) / fade)
        samples.append(round(_LOUDNESS * swell * math.sin(2 * math.pi * frequency * at / RATE)))
    return samples.tobytes()
