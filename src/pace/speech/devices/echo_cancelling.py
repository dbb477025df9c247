"""Takes Pace's own voice out of what a microphone hears, as it comes back from a loudspeaker.

The canceller is WebRTC's (AEC3), which browsers use. It finds the delay and the room by itself.
"""

import threading
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from importlib.util import find_spec

import numpy as np
from av import AudioFrame, AudioResampler

from pace.speech.ports import CHUNK_SAMPLES, RATE, SAMPLE_BYTES, Microphone

_FORM = "<i2"
# What the canceller takes at once: 10 ms.
_FRAME = RATE // 100
# The device takes sound in steps of 20 ms; so much is kept waiting, since the next may be late.
_CUSHION = 2 * RATE // 100
# An echo has to come behind the sound that made it, also where a device holds next to nothing (as
# PulseAudio's null sink): what is heard waits for longer than what sounds does.
_HELD_BACK = 3 * RATE // 100
# More than this is of a time in which no microphone was open, or two clocks have drifted apart.
_MOST = 3 * RATE // 10
_KEPT_PIECES = 32


def can_cancel() -> bool:
    """Whether there is a canceller here; it is not built for every system."""
    return find_spec("pywebrtc_audio") is not None


class Sounding:
    """What a loudspeaker was given last, at RATE, for whoever hears it come back.

    Where the loudspeaker is given nothing, it is silence.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: deque[tuple[bytes, int]] = deque(maxlen=_KEPT_PIECES)
        self._ready = bytearray()
        self._resampler, self._rate = _resampler(), RATE
        self._is_flowing = False

    def put(self, samples: bytes, rate: int) -> None:
        """The device takes these now; called from its thread."""
        with self._lock:
            self._pieces.append((samples, rate))

    def take(self, count: int) -> bytes:
        """The next samples, as many as were heard meanwhile."""
        with self._lock:
            pieces, self._pieces = self._pieces, deque(maxlen=_KEPT_PIECES)
        for samples, rate in pieces:
            for piece in self._at_rate(samples, rate):
                self._ready += piece
        held = len(self._ready) // SAMPLE_BYTES
        begins = not self._is_flowing and held >= count + _CUSHION
        if begins or held > count + _MOST:
            del self._ready[: (held - count - _CUSHION) * SAMPLE_BYTES]
        self._is_flowing = begins or (self._is_flowing and held >= count)
        if not self._is_flowing:
            return bytes(count * SAMPLE_BYTES)
        taken = bytes(self._ready[: count * SAMPLE_BYTES])
        del self._ready[: count * SAMPLE_BYTES]
        return taken

    def clear(self) -> None:
        """Forget what nobody heard."""
        with self._lock:
            self._pieces.clear()
        self._ready.clear()
        self._is_flowing = False

    def _at_rate(self, samples: bytes, rate: int) -> Iterator[bytes]:
        if rate != self._rate:
            self._resampler, self._rate = _resampler(), rate
        frame = AudioFrame.from_ndarray(
            np.frombuffer(samples, _FORM)[np.newaxis], format="s16", layout="mono"
        )
        frame.sample_rate = rate
        for made in self._resampler.resample(frame):
            yield made.to_ndarray().astype(_FORM, copy=False).tobytes()


def _resampler() -> AudioResampler:
    return AudioResampler(format="s16", layout="mono", rate=RATE)


class EchoCanceller:
    """There is one only where `can_cancel`; what it gives comes 40 ms late.

    It learns the room within a second or two of sound.
    """

    def __init__(self) -> None:
        from pywebrtc_audio import AudioProcessor  # noqa: PLC0415  # where there is one

        self._processor = AudioProcessor(sample_rate=RATE, echo_cancellation=True)
        self._heard, self._sounding = np.zeros(_HELD_BACK, _FORM), np.zeros(0, _FORM)
        self._cleaned = np.zeros(_FRAME, _FORM)

    def clean(self, heard: bytes, sounding: bytes) -> bytes:
        """What was heard, without what sounded; both of one length, and so is what it gives."""
        self._heard = np.concatenate([self._heard, np.frombuffer(heard, _FORM)])
        self._sounding = np.concatenate([self._sounding, np.frombuffer(sounding, _FORM)])
        whole = len(self._sounding) // _FRAME * _FRAME
        made = [
            self._processor.process(self._heard[at : at + _FRAME], self._sounding[at : at + _FRAME])
            for at in range(0, whole, _FRAME)
        ]
        self._heard, self._sounding = self._heard[whole:], self._sounding[whole:]
        cleaned = np.concatenate([self._cleaned, *made])
        size = len(heard) // SAMPLE_BYTES
        self._cleaned = cleaned[size:]
        return cleaned[:size].astype(_FORM, copy=False).tobytes()


class EchoFreeMicrophone:
    """Another microphone, without what `sounding` tells that a loudspeaker plays meanwhile."""

    def __init__(self, inner: Microphone, sounding: Sounding) -> None:
        self._inner = inner
        self._sounding = sounding
        self._canceller = EchoCanceller()

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """As the inner one gives them."""
        self._sounding.clear()
        async with aclosing(self._inner.chunks()) as chunks:
            async for chunk in chunks:
                yield self._canceller.clean(chunk, self._sounding.take(CHUNK_SAMPLES))
