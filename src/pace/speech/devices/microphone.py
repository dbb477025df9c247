"""Hears through a microphone of this machine; nothing of it is kept beyond a few seconds."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress

from pace.errors import MicrophoneError, PaceError
from pace.speech.devices.listing import DeviceKind
from pace.speech.devices.opening import OpenDevice, how_to_allow
from pace.speech.devices.threads import in_thread
from pace.speech.ports import CHUNK_SAMPLES, RATE, SAMPLE_BYTES

# 320 ms wait for a machine that is busy; whoever comes in time waits for none of them.
_PERIODS = 16
_CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES
# Of somebody who does not come for them, the chunks of the last 4 s are kept.
_KEPT_CHUNKS = 4 * RATE // CHUNK_SAMPLES
# A device that gives nothing for 2 s is gone; waking a headset up may take as long again. Each wait
# is short since, after a machine slept, one ends at once.
_WAIT_SECONDS = 0.5
_WAITS, _WAITS_FOR_FIRST = 4, 10
# macOS gives silence in place of what it does not allow. A real microphone always has noise.
_ZEROS_FOR_REFUSED = 3 * RATE // CHUNK_SAMPLES
_GIVES_ZEROS_FOR_REFUSED = sys.platform == "darwin"


class DeviceMicrophone:
    """The default microphone, or the one that `device` names, in part or whole.

    It is open, and shown as open by the system, only while somebody takes its `chunks`. Its own
    rate and channels do not matter. `zeros_for_refused`: whether the system gives unbroken zeros
    in place of what it does not allow.
    """

    def __init__(
        self, device: str | None = None, *, zeros_for_refused: bool = _GIVES_ZEROS_FOR_REFUSED
    ) -> None:
        self._wanted = device
        self._zeros_for_refused = zeros_for_refused

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """What is heard from now on; the oldest is dropped for who comes too late for it."""
        heard = _Heard(asyncio.get_running_loop())
        opened = await in_thread(
            lambda: OpenDevice(
                DeviceKind.MICROPHONE,
                self._wanted,
                rate=RATE,
                periods=_PERIODS,
                carry=heard.put,
                gone=heard.end,
            ),
            OpenDevice.close,
        )
        zeros = _ZEROS_FOR_REFUSED if self._zeros_for_refused else 0
        try:
            waits = _WAITS_FOR_FIRST
            while (chunk := await heard.next(waits)) is not None:
                waits = _WAITS
                if zeros:
                    zeros = 0 if any(chunk) else zeros - 1
                    if zeros == 0 and not any(chunk):
                        raise _refused()
                yield chunk
            raise opened.vanished()
        finally:
            await in_thread(opened.close)


def _refused() -> PaceError:
    return MicrophoneError(
        "The microphone gives no sound at all. Is it switched off? "
        + how_to_allow(DeviceKind.MICROPHONE, "darwin")
    )


class _Heard:
    """Whole chunks, handed from the device's thread to the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._begun = bytearray()
        self._chunks: deque[bytes] = deque(maxlen=_KEPT_CHUNKS)
        self._changed = asyncio.Event()
        self._has_ended = False

    # in the device's thread

    def put(self, samples: bytearray) -> None:
        self._begun += samples
        while len(self._begun) >= _CHUNK_BYTES:
            self._chunks.append(bytes(self._begun[:_CHUNK_BYTES]))
            del self._begun[:_CHUNK_BYTES]
        self._tell()

    def end(self) -> None:
        self._has_ended = True
        self._tell()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the loop was closed before the device
            self._loop.call_soon_threadsafe(self._changed.set)

    # in the loop

    async def next(self, waits: int) -> bytes | None:
        """The next one, or None if the device has ended or gave nothing for so many waits."""
        while not self._chunks:
            if self._has_ended or not waits:
                return None
            waits -= 1
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(_WAIT_SECONDS):
                    await self._changed.wait()
                    waits += 1
        return self._chunks.popleft()
