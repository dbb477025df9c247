"""The input line of a terminal that can only write on: the system edits and echoes the line."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TextIO

from pace.doors.cli.lines import throw_away_typed
from pace.doors.cli.terminal.asking import (
    BURST,
    EARLY_HINT,
    KEPT_HINT,
    LEAVE_HINT,
    SETTLE,
    Show,
    kept_quiet,
)

_CHUNK = 65_536


class CookedLine:
    """An InputLine without a single escape code. A burst of lines is one message here, too.

    `mark` stands before each message while it says anything.
    """

    def __init__(
        self, stdin: TextIO, stdout: TextIO, sign: str, *, mark: Callable[[], str] = str
    ) -> None:
        self._fd = stdin.fileno()
        self._encoding = stdin.encoding or "utf-8"
        self._stdout = stdout
        self._you = sign
        self._mark = mark
        self.was_cleared = False
        self._may_leave = False
        self._asked: asyncio.Future[str | None] | None = None
        self._typed = b""
        self._kept: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, prefill: str, *, beside: Callable[[], Awaitable[None]]) -> str | None:
        """One message; words to begin with are shown above, since they cannot be edited."""
        if prefill:
            self._write(f"{prefill}\n")
        self._write(f"{self._sign} ")
        self._may_leave = self.was_cleared = False
        if self._kept:
            line = self._kept.pop(0)
            self._write(f"{line}\n")
            return line
        loop = asyncio.get_running_loop()
        self._asked = loop.create_future()
        loop.add_reader(self._fd, self._read)
        watch = asyncio.ensure_future(kept_quiet(beside, self._tell))
        try:
            return await self._asked
        finally:
            loop.remove_reader(self._fd)
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            self._asked = None

    async def above(self, write: Callable[[], None]) -> None:
        """Write on, and ask again below."""
        self._write("\n")
        write()
        self._write(f"{self._sign} ")

    @property
    def _sign(self) -> str:
        return f"{mark} {self._you}" if (mark := self._mark()) else self._you

    def refresh(self) -> None:
        """There is no toolbar."""

    def interrupt(self) -> None:
        """Say how to leave, or leave."""
        if self._asked is None or self._asked.done():
            return
        if self._may_leave:
            self._asked.set_result(None)
            return
        self._may_leave = self.was_cleared = True
        self._tell(LEAVE_HINT)

    async def choose(self, words: Collection[str], show: Show) -> str:
        """A line that is one of these words; other lines are the next messages.

        A line that was begun before the question could be read is thrown away.
        """
        loop = asyncio.get_running_loop()
        settled_at = loop.time() + SETTLE
        chosen: asyncio.Future[str] = loop.create_future()

        def read() -> None:
            data = self._read_some()
            line = data.decode(self._encoding, "replace").removesuffix("\n")
            said = line.strip().lower()
            if not data:
                loop.remove_reader(self._fd)  # the end of the terminal ends the turn by a signal
            elif said not in words:
                self._kept += [line] if said else []
                show("", KEPT_HINT if said else "")
            elif loop.time() < settled_at:
                show("", EARLY_HINT)
            else:
                loop.remove_reader(self._fd)
                chosen.set_result(said)

        show("", "")
        loop.add_reader(self._fd, read)
        try:
            await asyncio.sleep(SETTLE)
            throw_away_typed(self._fd)
            return await chosen
        finally:
            loop.remove_reader(self._fd)

    @contextmanager
    def replying(self, stop: Callable[[], None]) -> Iterator[None]:  # noqa: ARG002  # a signal does
        """The system keeps what is typed, and makes Ctrl-C a signal."""
        yield

    def _tell(self, sentence: str) -> None:
        self._write(f"\n{sentence}\n{self._sign} ")

    def _read_some(self) -> bytes:
        """What was typed; nothing at the end, which a terminal that is gone reads as, too."""
        try:
            return os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return b"\n"
        except OSError:
            return b""

    def _read(self) -> None:
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            # A terminal that is gone reads as its end.
            data = b""
        if self._timer is not None:
            self._timer.cancel()
        if not data:
            self._answer(None)
            return
        self._may_leave = False
        self._typed += data
        if self._typed.endswith(b"\n"):
            self._timer = asyncio.get_running_loop().call_later(BURST, self._burst_over)

    def _burst_over(self) -> None:
        text = self._typed.decode(self._encoding, "replace").removesuffix("\n")
        self._typed = b""
        self._answer(text)

    def _answer(self, text: str | None) -> None:
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(text)

    def _write(self, text: str) -> None:
        self._stdout.write(text)
        self._stdout.flush()
