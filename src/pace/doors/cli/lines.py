"""Standard input, read by a thread, so that a read which never ends holds nothing up."""

import asyncio
import os
import select
import threading
from contextlib import suppress

from pace.errors import RequestError

# Far more than any context holds.
LONGEST_LINE = 8_000_000
_READ_BYTES = 65_536


def read_some(descriptor: int) -> bytes:
    """Wait for the next bytes; none at the end. Raises OSError.

    A descriptor may be set to never wait, by whoever shares it; then we wait beside it.
    """
    while True:
        try:
            return os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            select.select([descriptor], [], [])


def throw_away_typed(descriptor: int) -> None:
    """Forget what was typed at a terminal and not read yet; whatever is no terminal stays as it is.

    So a line that was typed before a question does not answer it.
    """
    try:
        import termios  # noqa: PLC0415  # not on every platform
    except ModuleNotFoundError:
        return
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)


class InputLines:
    """The lines of a file descriptor, each read only when it is asked for."""

    def __init__(self, descriptor: int, *, longest: int = LONGEST_LINE) -> None:
        self._descriptor = descriptor
        self._longest = longest
        self._held = bytearray()
        self._searched = 0
        self._is_over = False

    async def next(self) -> bytes | None:
        """The next line without its end; None when there are no more.

        Raises RequestError for a line that is too long; the one after it comes next.
        """
        is_too_long = False
        while True:
            end = self._held.find(b"\n", self._searched)
            if end >= 0 or self._is_over:
                break
            self._searched = len(self._held)
            if len(self._held) > self._longest:
                is_too_long = True
                self._forget(len(self._held))
            await self._read_on()
        line = bytes(self._held[:end] if end >= 0 else self._held)
        was_cut_off_by_end = end < 0
        self._forget(len(line) + (0 if was_cut_off_by_end else 1))
        if is_too_long or len(line) > self._longest:
            raise RequestError(f"The line is longer than {self._longest:,} bytes. Send less.")
        return None if was_cut_off_by_end and not line else line

    def _forget(self, count: int) -> None:
        del self._held[:count]
        self._searched = 0

    async def _read_on(self) -> None:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[bytes] = loop.create_future()

        def hand_over(data: bytes) -> None:
            if not arrived.done():
                arrived.set_result(data)

        def read() -> None:
            # Not through sys.stdin: a thread that waits inside it breaks the interpreter's end.
            try:
                data = read_some(self._descriptor)
            except OSError:
                data = b""
            with suppress(RuntimeError):  # nobody waits any more
                loop.call_soon_threadsafe(hand_over, data)

        threading.Thread(target=read, name="standard input", daemon=True).start()
        data = await arrived
        self._held += data
        self._is_over = not data
