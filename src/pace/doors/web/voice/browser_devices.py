"""A browser's microphone and loudspeaker, as the ports of a spoken conversation."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from pace.doors.web.voice.frames import (
    MicrophoneIs,
    MicrophoneState,
    Sounding,
    pieces_of,
    written,
)
from pace.errors import MicrophoneError, SpeakerError
from pace.speech.ports import CHUNK_SAMPLES, RATE, Sound
from pace.speech.sound import SILENCE_DBFS

# Of what is not taken in time, the newest three seconds are kept.
_MOST_CHUNKS = 3 * RATE // CHUNK_SAMPLES
# A voice is that far ahead of its sound, and no further: what is cut is not made for nothing.
_AHEAD_SECONDS = 5.0
_WHY = {
    MicrophoneState.REFUSED: (
        "The browser does not let this page use the microphone. Allow it in the address bar, "
        "and press the button again."
    ),
    MicrophoneState.MISSING: "The browser finds no microphone. Plug one in, and press the button.",
    MicrophoneState.BUSY: (
        "The microphone could not be opened. Close the program that uses it, and press the button "
        "again."
    ),
    MicrophoneState.ENDED: (
        "The microphone was unplugged or taken away. Plug it in, and press the button again."
    ),
}
NO_SOUND = (
    "The browser plays no sound, so this reply is text. Check its output, and press the "
    "microphone button once."
)


class Outgoing(Protocol):
    """Takes what is to be sent to the page, at once and in order; orders go before sound."""

    def order(self, text: str) -> None:
        """Send an order."""
        ...

    def sound(self, piece: bytes) -> None:
        """Send a piece of sound."""
        ...

    def drop_sound(self) -> None:
        """Do not send the pieces that were not sent yet."""
        ...


class BrowserMicrophone:
    """Asks the page to open its microphone, and to release it when `chunks` is closed.

    `why_lost` is the sentence that is raised once the page is gone; None before.
    """

    def __init__(self, out: Outgoing) -> None:
        self.why_lost: str | None = None
        self._out = out
        self._number = 0
        self._chunks: deque[bytes] = deque(maxlen=_MOST_CHUNKS)
        self._came = asyncio.Event()
        self._fault: str | None = None
        self._is_open = False

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """What the page hears; raises MicrophoneError, which says what to do."""
        self._number += 1
        self._chunks.clear()
        self._fault = None
        self._is_open = True
        self._out.order(written("open", id=self._number))
        try:
            while True:
                yield await self._next()
        finally:
            self._is_open = False
            self._chunks.clear()
            self._out.order(written("close", id=self._number))

    async def _next(self) -> bytes:
        while True:
            if (why := self.why_lost or self._fault) is not None:
                raise MicrophoneError(why)
            if self._chunks:
                return self._chunks.popleft()
            self._came.clear()
            await self._came.wait()

    def heard(self, chunk: bytes) -> None:
        """The page sent a chunk; one that nobody asked for is dropped."""
        if self._is_open:
            self._chunks.append(chunk)
            self._came.set()

    def told(self, state: MicrophoneIs) -> None:
        """The page said how its microphone is; a late word about an earlier one is dropped."""
        if state.id == self._number and state.state in _WHY:
            self._fault = _WHY[state.state]
            self._came.set()

    def lose(self, why: str) -> None:
        """The page is gone."""
        self.why_lost = why
        self._came.set()


class BrowserSpeaker:
    """Plays in the page. What has sounded is what the page reported, and nothing is added to it.

    Once the page is gone, or plays nothing, whoever plays or waits gets SpeakerError.
    """

    def __init__(self, out: Outgoing) -> None:
        self.played = 0.0
        """Seconds that the page says have sounded since the last `stop`."""
        self.level = SILENCE_DBFS
        """How loud in dBFS the page says it is."""
        self._out = out
        self._stops = 0
        self._sent = 0.0
        self._pieces = 0
        self._done = 0
        self._lost: str | None = None
        self._fault: str | None = None
        self._changed = asyncio.Event()
        self._turn = asyncio.Lock()

    async def play(self, sound: Sound) -> None:
        """Send it, piece by piece; waits while seconds of it are waiting. Raises SpeakerError."""
        stops = self._stops
        async with self._turn:
            for piece in pieces_of(sound, stops):
                self._raise_fault()
                if stops != self._stops:
                    return
                self._out.sound(piece)
                self._pieces += 1
            self._sent += sound.seconds
            await self._wait(
                lambda: stops != self._stops or self._sent - self.played <= _AHEAD_SECONDS
            )

    async def wait_silent(self) -> None:
        """Wait until the page says that all has sounded, or it was dropped. Raises SpeakerError."""
        stops = self._stops
        await self._wait(lambda: stops != self._stops or self._done >= self._pieces)

    def pause(self) -> None:
        """Silence, from the page's next quantum of sound on."""
        self._out.order(written("pause"))

    def resume(self) -> None:
        """Go on with the very next sample."""
        self._out.order(written("resume"))

    def stop(self) -> None:
        """Drop what did not sound, and a fault that nobody was told of."""
        self._stops += 1
        self.played, self.level = 0.0, SILENCE_DBFS
        self._sent, self._pieces, self._done = 0.0, 0, 0
        self._fault = None
        self._out.drop_sound()
        self._out.order(written("stop", id=self._stops))
        self._changed.set()

    def stop_with(self, why: str) -> None:
        """Be silent at once, and tell so whoever goes on playing."""
        self.stop()
        self._fault = why
        self._changed.set()

    async def aclose(self) -> None:
        """Be silent; the page lets go of its device."""
        self.stop()

    # --- what the page tells

    def told(self, sounding: Sounding) -> None:
        """The page said how far it is; what it says of an earlier sound is dropped."""
        if sounding.id != self._stops:
            return
        # Never more than was sent, and never back.
        self.played = max(self.played, min(sounding.played, self._sent))
        self.level = sounding.level
        self._done = max(self._done, min(sounding.pieces, self._pieces))
        if self._done >= self._pieces:
            self.level = SILENCE_DBFS
        self._changed.set()

    def fail(self) -> None:
        """The page said that it plays nothing."""
        self._fault = NO_SOUND
        self._changed.set()

    def lose(self, why: str) -> None:
        """The page is gone."""
        self._lost = why
        self.level = SILENCE_DBFS
        self._changed.set()

    # --- inside

    async def _wait(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._raise_fault()
            self._changed.clear()
            await self._changed.wait()

    def _raise_fault(self) -> None:
        if self._lost is not None:
            raise SpeakerError(self._lost)
        fault, self._fault = self._fault, None
        if fault is not None:
            raise SpeakerError(fault)
