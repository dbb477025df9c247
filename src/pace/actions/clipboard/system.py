"""The clipboard of the desktop, through pyperclip in a process of its own."""

import asyncio
import os
import signal
import sys
from contextlib import suppress

from pace.actions.clipboard.program import FAILED, LARGEST, NO_CLIPBOARD, NO_PYPERCLIP
from pace.actions.telling import shown
from pace.errors import ActionError, ActionUncertainError, MissingExtraError

_ANSWERS_WITHIN = 10.0
_PROGRAM = "pace.actions.clipboard.program"


class SystemClipboard:
    """Reads and writes text. Raises ActionError. `answers_within` is in seconds."""

    def __init__(self, *, answers_within: float = _ANSWERS_WITHIN) -> None:
        self._answers_within = answers_within

    async def read(self) -> str:
        """The text that is there; empty if there is none."""
        try:
            read = await self._ran("read", b"")
        except TimeoutError as error:
            raise ActionError(
                "The clipboard did not answer. Copy the text again, then ask again."
            ) from error
        if len(read) > LARGEST:
            raise ActionError(
                f"There is more in the clipboard than Pace reads ({LARGEST // 1_000_000} MB). "
                "Copy less."
            )
        return read.decode("utf-8", "replace")

    async def write(self, text: str) -> None:
        """Put a text there. Raises ActionUncertainError if the clipboard hangs."""
        try:
            await self._ran("write", text.encode())
        except TimeoutError as error:
            raise ActionUncertainError(
                "The clipboard did not answer; the text may be in it or not. Paste to see."
            ) from error

    async def _ran(self, what: str, given: bytes) -> bytes:
        # With -P the folder that Pace runs in brings no modules. What writes may leave a process
        # that serves the clipboard (xclip); that one must not hold a pipe of ours.
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", _PROGRAM, what),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE if what == "read" else asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ActionError(
                f"The clipboard could not be used ({error.strerror}). Try it by hand."
            ) from error
        try:
            async with asyncio.timeout(self._answers_within):
                out, _ = await process.communicate(given)
        finally:
            await _ended(process)
        if process.returncode == 0:
            return out or b""
        raise _fault(process.returncode)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End the process and what it started, if it did not end by itself."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _fault(status: int | None) -> ActionError:
    if status == NO_PYPERCLIP:
        return ActionError(str(MissingExtraError("The clipboard", "chat")))
    if status in {NO_CLIPBOARD, FAILED} and sys.platform not in {"darwin", "win32"}:
        return ActionError(_lacking(is_there=status == FAILED))
    if status == NO_CLIPBOARD:
        return ActionError("The clipboard could not be used. Does another program hold it?")
    return ActionError("The clipboard could not be used. Try it by hand.")


def _lacking(*, is_there: bool) -> str:
    """What a Linux desktop lacks; its own program may be there."""
    wayland, x11 = (os.environ.get(name) for name in ("WAYLAND_DISPLAY", "DISPLAY"))
    if not (wayland or x11):
        return "There is no screen here, so no clipboard. Use Pace on a desktop."
    if is_there:
        screen = shown(wayland or x11 or "")
        return f"The clipboard's own program failed. Is there a screen at {screen}?"
    package = "wl-clipboard" if wayland else "xclip"
    return f"No clipboard can be reached here. Install the package {package}."
