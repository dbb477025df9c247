"""The sound connection of one tab: it sends orders before sound, and takes what is a frame."""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from pace.doors.web.voice.frames import BadFrameError, Order, chunk_of, order_of

# RFC 6455, section 7.4.1: what came does not fit its kind.
_NO_FRAME = 1007
_GOING = 1000
_WHY_NO_FRAME = (
    "The sound connection was closed, since what came over it was no sound. Press the microphone "
    "button to open it again."
)


class Receiver(Protocol):
    """Takes what the page sends."""

    def chunk(self, chunk: bytes) -> None:
        """A chunk that the microphone heard."""
        ...

    def take(self, order: Order) -> None:
        """An order of the page."""
        ...


class SoundConnection:
    """An accepted websocket. `state` gives what the page is to show, as often as `changed` says."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._orders: deque[str] = deque()
        self._sound: deque[bytes] = deque()
        self._state = ""
        self._ready = asyncio.Event()
        self._ending = asyncio.Event()
        self._why = ""
        self.is_over = False
        """Whether nothing comes or goes any more."""

    # --- to the page

    def order(self, text: str) -> None:
        """Send an order, before any sound that waits."""
        self._orders.append(text)
        self._ready.set()

    def sound(self, piece: bytes) -> None:
        """Send a piece of sound, after those before it."""
        self._sound.append(piece)
        self._ready.set()

    def drop_sound(self) -> None:
        """Do not send what waits."""
        self._sound.clear()

    def show(self, state: str) -> None:
        """Have the page show this; one that was not sent yet makes way."""
        self._state = state
        self._ready.set()

    def end(self, why: str) -> None:
        """Close it; `why` is for the person, and nothing if there is nothing to say."""
        self._why = why
        self._ending.set()

    # --- life

    async def run(self, receiver: Receiver) -> str:
        """Send and take until either side closes it, or something comes that is no frame.

        Gives a sentence that says why it ended; nothing, if the page was closed.
        """
        reading = asyncio.create_task(self._read(receiver), name="hear the page")
        writing = asyncio.create_task(self._write(), name="tell the page")
        ending = asyncio.create_task(self._ending.wait(), name="end")
        tasks = (reading, writing, ending)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            self.is_over = True
        is_bad = not reading.cancelled() and not reading.result()
        with suppress(WebSocketDisconnect, RuntimeError):  # the page was faster
            await self._socket.close(_NO_FRAME if is_bad else _GOING)
        return _WHY_NO_FRAME if is_bad else self._why

    async def _read(self, receiver: Receiver) -> bool:
        """Take what comes until the page leaves; False at the first thing that is no frame."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return True
            data, text = message.get("bytes"), message.get("text")
            try:
                if data is not None:
                    receiver.chunk(chunk_of(data))
                else:
                    receiver.take(order_of(text or ""))
            except BadFrameError:
                return False
            # A page that sends without end is no reason to let all others wait.
            await asyncio.sleep(0)

    async def _write(self) -> None:
        shown = ""
        try:
            while True:
                await self._ready.wait()
                self._ready.clear()
                while self._orders or self._sound or self._state != shown:
                    if self._orders:
                        await self._socket.send_text(self._orders.popleft())
                    elif self._state != shown:
                        shown = self._state
                        await self._socket.send_text(shown)
                    else:
                        await self._socket.send_bytes(self._sound.popleft())
        except (WebSocketDisconnect, RuntimeError):  # the page is gone; whoever reads says so
            await asyncio.Event().wait()
