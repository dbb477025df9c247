"""Plays through a loudspeaker of this machine, and knows to the sample where it was paused."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

from pace.errors import PaceError
from pace.speech.devices.listing import DeviceKind
from pace.speech.devices.opening import PERIOD_MS, PERIODS, OpenDevice
from pace.speech.devices.threads import in_thread
from pace.speech.devices.waiting_sound import WaitingSound
from pace.speech.ports import RATE, Sound

# A voice is that far ahead of its sound, and no further: what is cut is not made for nothing.
_AHEAD_SECONDS = 5.0
# Between two sentences of a reply a slow model may think; opening anew takes a moment, or a click.
IDLE_AFTER = timedelta(seconds=5)
# A device that takes nothing for 2 s is gone; waking a headset up may take as long again.
_LOOKS_EVERY = 0.5
_QUIET_LOOKS, _QUIET_LOOKS_AT_FIRST = 4, 10


class DeviceSpeaker:
    """The default loudspeaker, or the one that `device` names, in part or whole.

    It is opened with the first sound, at that sound's rate, and let go when it was silent for
    `idle_after`. `periods` of 20 ms lie in its buffer. Sound of another rate waits for what is
    before it. A pause ends with `stop`. When the device fails, what waited is dropped, the next
    call raises SpeakerError, and the one after that opens it anew. `given` hears all samples that
    the device takes, silence too, and their rate; it is called in the device's thread.
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        idle_after: timedelta = IDLE_AFTER,
        periods: int = PERIODS,
        given: Callable[[bytes, int], None] | None = None,
    ) -> None:
        self._wanted = device
        self._given = given
        self._periods = periods
        self._buffered_seconds = PERIOD_MS * periods / 1000
        self._idle_after = idle_after
        self._sound = WaitingSound(RATE, buffered_seconds=self._buffered_seconds)
        self._sounded_before = 0.0
        self._stops = 0
        self._opened: OpenDevice | None = None
        self._watching: asyncio.Task[None] | None = None
        self._fault: PaceError | None = None
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether the device is in use."""
        return self._opened is not None

    @property
    def played(self) -> float:
        """Seconds that have sounded since the last `stop`, but for what is in the device."""
        return self._sounded_before + self._sound.sounded

    @property
    def level(self) -> float:
        """How loud in dBFS is what the device got last."""
        return self._sound.level

    async def play(self, sound: Sound) -> None:
        """Have it sound after what is before it; waits while seconds of it are waiting."""
        stops = self._stops
        async with self._turn:
            if sound.rate != self._sound.rate:
                await self._wait(lambda: self._sound.is_silent or stops != self._stops)
            self._raise_fault()
            if stops == self._stops:
                await self._open(sound.rate)
            if stops != self._stops:
                return
            self._sound.put(sound.samples)
        await self._wait(lambda: self._sound.waiting <= _AHEAD_SECONDS)

    async def wait_silent(self) -> None:
        """Wait until all has left the device's buffer, or was dropped."""
        await self._wait(lambda: self._sound.is_silent)

    def pause(self) -> None:
        """Give the device silence from its next 20 ms on; up to 60 ms are in its buffer."""
        self._sound.is_paused = True

    def resume(self) -> None:
        """Go on with the very next sample."""
        self._sound.is_paused = False

    def stop(self) -> None:
        """Drop what did not sound, and a fault that nobody was told of."""
        self._stops += 1
        self._sounded_before = 0.0
        self._fault = None
        self._sound.drop()
        self._sound.is_paused = False
        self._changed.set()

    async def aclose(self) -> None:
        """Let go of the device at once; more than once is no harm."""
        self.stop()
        async with self._turn:
            await self._let_go()

    # --- inside

    async def _wait(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._raise_fault()
            self._changed.clear()
            await self._changed.wait()
        self._raise_fault()

    def _raise_fault(self) -> None:
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    async def _open(self, rate: int) -> None:
        if self._opened is not None and self._opened.rate == rate:
            return
        await self._let_go()
        self._sounded_before += self._sound.sounded
        sound = WaitingSound(
            rate, buffered_seconds=self._buffered_seconds, is_paused=self._sound.is_paused
        )
        loop = asyncio.get_running_loop()
        gone = asyncio.Event()

        def tell(changed: asyncio.Event) -> None:
            with suppress(RuntimeError):  # the loop was closed before the device
                loop.call_soon_threadsafe(changed.set)

        def take(count: int) -> bytes:
            taken = sound.take(count)
            if self._given is not None:
                self._given(taken, rate)
            tell(self._changed)
            return taken

        self._sound = sound
        opened = await in_thread(
            lambda: OpenDevice(
                DeviceKind.SPEAKER,
                self._wanted,
                rate=rate,
                periods=self._periods,
                carry=take,
                gone=lambda: tell(gone),
            ),
            OpenDevice.close,
        )
        self._opened = opened
        self._watching = asyncio.create_task(self._watch(opened, gone), name="speaker")

    async def _watch(self, opened: OpenDevice, gone: asyncio.Event) -> None:
        """Notice when the device is gone, and let go of it when it has long been silent."""
        idle = timedelta()
        look = timedelta(seconds=min(_LOOKS_EVERY, self._idle_after.total_seconds()))
        ticks, quiet_looks = opened.ticks, 0
        while idle < self._idle_after:
            with suppress(TimeoutError):
                async with asyncio.timeout(look.total_seconds()):
                    await gone.wait()
            quiet_looks = quiet_looks + 1 if opened.ticks == ticks else 0
            most = _QUIET_LOOKS if opened.ticks else _QUIET_LOOKS_AT_FIRST
            if gone.is_set() or quiet_looks * look.total_seconds() >= most * _LOOKS_EVERY:
                self._fault = opened.vanished()
                self._sounded_before += self._sound.sounded
                self._sound = WaitingSound(opened.rate, buffered_seconds=self._buffered_seconds)
                break
            ticks = opened.ticks
            idle = idle + look if self._sound.is_silent else timedelta()
        self._opened = None
        self._changed.set()
        await in_thread(opened.close)

    async def _let_go(self) -> None:
        watching, opened = self._watching, self._opened
        self._watching = self._opened = None
        if watching is not None:
            watching.cancel()
            await asyncio.wait([watching])
        if opened is not None:
            await in_thread(opened.close)
