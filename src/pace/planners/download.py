"""What every way of fetching shares: progress, the part file that grows, its faults in words."""

import asyncio
import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pace.errors import WeightsError

_READ_BYTES = 4 * 1024 * 1024
# What is left free on the disk beside the file itself.
DISK_MARGIN = 200_000_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a fetch is, in bytes of the finished file; `source` is in words for a person."""

    done: int
    total: int | None
    source: str


Report = Callable[[Progress], None]


def no_report(_: Progress) -> None:
    """For callers that draw nothing."""


class SourceUnavailableError(WeightsError):
    """This source cannot give the file now; the next one may."""


class PartFile:
    """A file that grows until it is whole, with its SHA-256 kept as it grows.

    What is there from an interrupted fetch counts as begun. Raises WeightsError when the disk is
    full.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """Of everything written so far."""
        return self._digest.hexdigest()

    def resume(self, *, multiple_of: int = 1) -> int:
        """Take up what is there, down to a multiple; gives the bytes kept."""
        self._digest = hashlib.sha256()
        self.size = 0
        if not self.path.exists():
            return 0
        found = self.path.stat().st_size
        keep = found - found % multiple_of
        with self.path.open("r+b") as file:
            file.truncate(keep)
            while chunk := file.read(_READ_BYTES):
                self._digest.update(chunk)
        self.size = keep
        return keep

    def restart(self) -> None:
        """Begin again with nothing."""
        self.path.unlink(missing_ok=True)
        self._digest = hashlib.sha256()
        self.size = 0

    def append(self, chunk: bytes) -> None:
        """Write one more piece."""
        try:
            with self.path.open("ab") as file:
                file.write(chunk)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise disk_full(self.path.parent) from error
            raise WeightsError(
                f"{self.path.parent} cannot be written to. Check who owns that folder."
            ) from error
        self._digest.update(chunk)
        self.size += len(chunk)

    def finish(self, target: Path) -> None:
        """Give the whole file its name, after it reached the disk."""
        with self.path.open("r+b") as file:
            os.fsync(file.fileno())
        self.path.replace(target)


async def whole_in_thread(work: Callable[[], object]) -> None:
    """Run file work in a thread; a cancelled caller waits for its end, so that files stay whole."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; a second or two for each gigabyte."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_disk(folder: Path, needed: int) -> None:
    """Raise WeightsError unless the disk has room for so many bytes more, and a margin."""
    free = shutil.disk_usage(folder).free
    if free < needed + DISK_MARGIN:
        raise WeightsError(
            f"This needs {needed / 1e9:.1f} GB of disk, and {free / 1e9:.1f} GB are free in "
            f"{folder}. Free some space, or set PACE_HOME to a folder on another disk."
        )


def disk_full(folder: Path) -> WeightsError:
    """The disk filled up meanwhile."""
    return WeightsError(
        f"The disk of {folder} is full. Free some space and run it again; what was fetched is kept."
    )
