"""Hands addresses to the platform's own opener: `xdg-open` or `gio`, `open`, `os.startfile`."""

import asyncio
import errno
import os
import shutil
import sys

from pace.actions.opening.addresses import Address, opened_path
from pace.actions.opening.programs import started
from pace.actions.waiting import in_thread
from pace.errors import ActionError, ActionUncertainError

# An opener hands on and ends. One that does not has become the browser itself, or hangs.
_ANSWERS_WITHIN = 10.0
# From xdg-open's manual; the others have no such list.
_NO_APP = 3


class Opener:
    """Opens what an address names. `answers_within` is in seconds."""

    def __init__(
        self, *, answers_within: float = _ANSWERS_WITHIN, platform: str = sys.platform
    ) -> None:
        self._answers_within = answers_within
        self._platform = platform

    async def open(self, address: Address) -> None:
        """Open it once. Raises ActionError, and ActionUncertainError if the opener hangs."""
        target = address.text
        if not address.is_web:
            target = str(await in_thread(lambda: opened_path(address), name="look at a file"))
        if self._platform == "win32":
            await self._on_windows(target, address)
            return
        words = ("open", target) if self._platform == "darwin" else (*_linux_opener(), target)
        status = await started(words, within=self._answers_within)
        if status is None:
            raise ActionUncertainError(
                f"{words[0]} did not come back; {address.said} may have been opened or not. "
                "Look before you ask again."
            )
        if status == _NO_APP and words[0] == "xdg-open":
            raise ActionError(f"No app here opens {address.said}. Install one for it.")
        if status != 0:
            raise ActionError(
                f"{words[0]} could not open {address.said} (status {status}). Try it by hand."
            )

    async def _on_windows(self, target: str, address: Address) -> None:
        try:
            async with asyncio.timeout(self._answers_within):
                await in_thread(lambda: startfile(target), name="open an address")
        except TimeoutError as error:
            raise ActionUncertainError(
                f"Windows did not come back; {address.said} may have been opened or not. Look "
                "before you ask again."
            ) from error
        except OSError as error:
            raise ActionError(
                f"Windows could not open {address.said} ({error.strerror}). Try it by hand."
            ) from error


def startfile(target: str) -> None:
    """Open with what Windows has for it. Raises OSError."""
    if sys.platform == "win32":
        os.startfile(target)  # noqa: S606  # a document or an address, looked at before
    else:
        raise OSError(errno.ENOSYS, "this is not Windows")


def _linux_opener() -> tuple[str, ...]:
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise ActionError("There is no screen here to open anything on. Use Pace on a desktop.")
    if shutil.which("xdg-open"):
        return ("xdg-open",)
    if shutil.which("gio"):
        return ("gio", "open")
    raise ActionError("Nothing here opens addresses. Install the package xdg-utils.")
