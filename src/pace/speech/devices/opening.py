"""Opens a device of this machine and lets go of it; each fault is one sentence."""

import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import miniaudio

from pace.errors import PaceError
from pace.speech.devices.alsa import quieten
from pace.speech.devices.listing import (
    BACKENDS,
    LIST_THEM,
    DeviceKind,
    SoundDevice,
    device_named,
    no_device,
    sound_devices,
)

PERIOD_MS = 20
"""How much sound goes to or comes from a device at once."""
PERIODS = 3
"""So many of them lie in its buffer: 60 ms are silent soon, and outlast what keeps us busy. More
of them outlast a machine that is busier, and are silent later."""
_APP_NAME = "Pace"


class OpenDevice:
    """A device at work, until `close`; raises the error of its kind if it cannot be.

    Sound is mono and 16-bit, of `rate`, whatever the device has. `carry` is called with the bytes
    that were heard, or with how many samples are to be played, which it returns; `gone` when the
    device stopped by itself. Both are called in the device's own thread. All of it blocks.
    """

    def __init__(
        self,
        kind: DeviceKind,
        wanted: str | None,
        *,
        rate: int,
        periods: int = PERIODS,
        carry: Callable[[Any], Any],
        gone: Callable[[], None],
    ) -> None:
        self.ticks = 0
        """How often the device's thread came; it does so as long as the device is there."""
        self.rate = rate
        self._periods = periods
        self._kind = kind
        self._carry = carry
        self._gone = gone
        self._is_closing = False
        quieten()
        found = None if wanted is None else device_named(wanted, kind, sound_devices())
        self._name = f"The {kind}" if found is None else f"The {kind} {found.name}"
        try:
            self._device = self._opened(found)
            self._device.stop_callback = self._stopped
            carrying = self._carrying()
            next(carrying)
            self._device.start(carrying)
        except miniaudio.MiniaudioError as error:
            raise self._refused(error.args[-1]) from error
        if found is None and not _is_there(kind):
            # PulseAudio and PipeWire play into nothing where there is no loudspeaker.
            self.close()
            raise no_device(kind)

    def _opened(self, found: SoundDevice | None) -> Any:  # noqa: ANN401  # miniaudio has no types
        asked = {
            "nchannels": 1,
            "sample_rate": self.rate,
            "buffersize_msec": PERIOD_MS,
            "callback_periods": self._periods,
            "backends": BACKENDS,
            "app_name": _APP_NAME,
        }
        if found is not None:
            asked["device_id"] = miniaudio.ffi.new("ma_device_id*")
            miniaudio.ffi.memmove(asked["device_id"], found.id, len(found.id))
        if self._kind is DeviceKind.MICROPHONE:
            return miniaudio.CaptureDevice(**asked)
        return miniaudio.PlaybackDevice(**asked)

    def _carrying(self) -> Generator[Any, Any, None]:
        asked = yield b""
        while True:
            self.ticks += 1
            asked = yield self._carry(asked)

    def _stopped(self) -> None:
        if not self._is_closing:
            self._gone()

    def close(self) -> None:
        """Let go of the device; more than once is no harm."""
        if self._is_closing:
            return
        self._is_closing = True
        self._device.close()
        # Miniaudio's class leaves this open: a connection to the sound system for each device that
        # was ever opened, and PulseAudio takes 64. It has no public name.
        with suppress(AttributeError):
            miniaudio.lib.ma_context_uninit(self._device._context)

    # --- faults

    def _refused(self, code: object) -> PaceError:
        lib = miniaudio.lib
        if code == lib.MA_ACCESS_DENIED:
            return self._kind.error(f"{self._name} may not be used. {how_to_allow(self._kind)}")
        if code == lib.MA_BUSY:
            return self._kind.error(
                f"{self._name} is in use. End the program that uses it, or choose another: "
                f"{LIST_THEM}"
            )
        if not _is_there(self._kind):
            return no_device(self._kind)
        return self._kind.error(
            f"{self._name} cannot be opened. Plug it in again, or choose another: {LIST_THEM}"
        )

    def vanished(self) -> PaceError:
        """What is said when it stopped, or gives nothing any more."""
        return self._kind.error(
            f"{self._name} is gone. Plug it in again, or choose another: {LIST_THEM}"
        )


def _is_there(kind: DeviceKind) -> bool:
    return any(device.kind is kind for device in sound_devices())


def how_to_allow(kind: DeviceKind, platform: str = sys.platform) -> str:
    """Where a person lets programs use such a device."""
    if kind is DeviceKind.MICROPHONE and platform == "darwin":
        where = "System Settings, Privacy & Security, Microphone"
        return f"Allow it for your terminal in {where}, and start that again."
    if kind is DeviceKind.MICROPHONE and platform == "win32":
        return "Allow it for desktop apps in Settings, Privacy & security, Microphone."
    return "Ask who looks after this machine for the right to use it."
