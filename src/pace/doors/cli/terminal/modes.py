"""Takes the terminal's modes and the process's signals over, and gives them back in every case."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from pace.doors.cli.terminal.look import Look

# Bracketed paste off, cursor shown, colours off, and an update that was begun ended.
_AS_BEFORE = "\x1b[?2026l\x1b[?2004l\x1b[?25h\x1b[0m"

_Handler = Callable[[int, FrameType | None], object] | int | None


@contextmanager
def modes_kept(stdin: TextIO, stdout: TextIO, look: Look) -> Iterator[None]:
    """Leave the terminal as it was found, however the block ends."""
    restore = _restorer(stdin)
    try:
        yield
    finally:
        try:
            if not look.is_plain:
                stdout.write(_AS_BEFORE)
                stdout.flush()
        except OSError:
            # The terminal is gone; there is nothing left to put in order.
            pass
        restore()


@contextmanager
def signals_taken(*, interrupt: Callable[[], None], leave: Callable[[], None]) -> Iterator[None]:
    """Call `interrupt` for SIGINT, and `leave` for an ending from outside, instead of dying."""
    taken: list[tuple[signal.Signals, _Handler]] = []
    for name, action in (("SIGINT", interrupt), ("SIGTERM", leave), ("SIGHUP", leave)):
        number = getattr(signal, name, None)
        if number is not None:
            taken.append((number, signal.signal(number, _calling(action))))
    try:
        yield
    finally:
        for number, before in taken:
            signal.signal(number, before)


def _calling(action: Callable[[], None]) -> Callable[[int, FrameType | None], None]:
    def handle(_number: int, _frame: FrameType | None) -> None:
        action()

    return handle


def _restorer(stdin: TextIO) -> Callable[[], None]:
    if sys.platform == "win32" or not stdin.isatty():
        return lambda: None
    # termios is not there on Windows.
    import termios  # noqa: PLC0415

    found = termios.tcgetattr(stdin.fileno())

    def restore() -> None:
        try:
            termios.tcsetattr(stdin.fileno(), termios.TCSANOW, found)
        except termios.error:
            # The terminal is gone.
            return

    return restore
