"""One process at a time: a lock on a file, which ends with the process that holds it."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

# How often a waiting process looks again, in seconds.
_LOOK_AGAIN = 0.2


@asynccontextmanager
async def only_here(path: Path) -> AsyncGenerator[None, None]:
    """Hold the lock; wait, without end, while another process does."""
    with path.open("a+b") as file:
        while not _try_lock(file):  # noqa: ASYNC110 - another process sets no event here
            await asyncio.sleep(_LOOK_AGAIN)
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
