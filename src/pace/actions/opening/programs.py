"""Starts programs of the desktop, by a list of words and never through a shell.

They are no children that Pace ends: a browser or an app goes on when Pace is gone. What a person
approved stands in their arguments, since no opener takes it in another way.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pace.actions.waiting import in_thread
from pace.errors import ActionError


async def started(words: Sequence[str], *, within: float) -> int | None:
    """Start a program; its exit status, or None if it still runs after so many seconds.

    Cancelled while it waits, it ends the program. Raises ActionError if it cannot be started.
    """
    program = Path(words[0]).name
    try:
        process = subprocess.Popen(  # noqa: ASYNC220, S603  # to start takes no time; no shell
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=_at_home(),
        )
    except OSError as error:
        raise ActionError(
            f"{program} cannot be started ({error.strerror}). Is it installed?"
        ) from error
    except ValueError as error:
        raise ActionError(f"{program} takes no null character.") from error
    try:
        async with asyncio.timeout(within):
            # The thread also takes note of its end, whenever that comes.
            return await in_thread(process.wait, name=f"end of {program}")
    except TimeoutError:
        return None
    except asyncio.CancelledError:
        _end(process)
        raise


def _at_home() -> Path | None:
    """Where a desktop starts programs; where Pace runs, if there is no such place."""
    home = Path.home()
    return home if home.is_dir() else None


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
