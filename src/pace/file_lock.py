"""One process at a time: a lock on a file, which ends with the process that holds it."""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

# How often a waiting process looks again, in seconds.
_LOOK_AGAIN = 0.2
_LOOK_AGAIN_SOON = 0.002


@asynccontextmanager
async def only_here(path: Path) -> AsyncGenerator[None, None]:
    """Hold the lock; wait, without end, while another process does."""
    with path.open("a+b") as file:
        while not _try_lock(file):  # noqa: ASYNC110 - another process sets no event here
            await asyncio.sleep(_LOOK_AGAIN)
        yield


@contextmanager
def only_here_briefly(path: Path, *, limit: float) -> Iterator[None]:
    """Hold the lock for a moment's work, which blocks as waiting for it does.

    Raises TimeoutError if another process holds it for longer than `limit`, in seconds.
    """
    with path.open("a+b") as file:
        until = time.monotonic() + limit
        while not _try_lock(file):
            if time.monotonic() >= until:
                raise TimeoutError
            time.sleep(_LOOK_AGAIN_SOON)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
