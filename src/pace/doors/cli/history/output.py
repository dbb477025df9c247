"""The file that an export is written to: private, whole or not at all, and never the history."""

import asyncio
import errno
import os
import stat
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pace.errors import HistoryError, SettingsError

# How often a pipe that nobody reads yet is looked at again, in seconds.
_LOOK_AGAIN = 0.1


def output_path(written: str | None) -> Path | None:
    """Where an export goes; None is standard output. Raises SettingsError."""
    if written is None or written == "-":
        return None
    if not written:
        raise SettingsError("--output is empty; give the name of a file, or - for what is shown.")
    try:
        return Path(written).expanduser()
    except RuntimeError as error:
        raise SettingsError(f"--output cannot be {written!r}; there is no such person.") from error


@asynccontextmanager
async def output_file(
    path: Path, *, may_replace: bool, is_kept: Callable[[Path], bool]
) -> AsyncIterator[BinaryIO]:
    """A file that gets its name when it is whole; only its person may read it.

    What stands under that name stays until then, and for good if anything goes wrong. A device or a
    pipe is written to as it is. `is_kept` says which files may not be replaced, whatever is wanted.
    Raises SettingsError and HistoryError.
    """
    try:
        if is_kept(path):
            raise SettingsError(f"{path} is a part of the history itself. Name another file.")
        mode = _mode(path)
        if not may_replace and mode is not None and not _is_stream(mode):
            raise _taken(path)
        is_plain = mode is None or stat.S_ISREG(mode) or stat.S_ISLNK(mode)
        begun, descriptor = _begun_beside(path) if is_plain else (None, await _opened(path))
    except OSError as error:
        raise SettingsError(f"{path} cannot be written ({error.strerror}).") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if begun is not None:
                os.fsync(file.fileno())
        if begun is not None:
            _name(begun, path, may_replace=may_replace)
    except OSError as error:
        raise HistoryError(f"{path} cannot be written ({error.strerror}).") from error
    finally:
        # Of a new file, nothing is left behind that is not whole.
        if begun is not None:
            with suppress(OSError):
                begun.unlink(missing_ok=True)


def _mode(path: Path) -> int | None:
    """What has this name, as the system says it; None if nothing has. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return path.lstat().st_mode if path.is_symlink() else None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return mode


def _is_stream(mode: int) -> bool:
    """Whether nothing is lost by writing to it."""
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _begun_beside(path: Path) -> tuple[Path, int]:
    descriptor, name = tempfile.mkstemp(dir=_real(path).parent, prefix=".pace-export-")
    return Path(name), descriptor


async def _opened(path: Path) -> int:
    """A device, or a pipe once somebody reads it; waiting for that can be cancelled."""
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            if not _is_unread_pipe(path, error):
                raise
            await asyncio.sleep(_LOOK_AGAIN)
            continue
        os.set_blocking(descriptor, True)
        return descriptor


def _is_unread_pipe(path: Path, error: OSError) -> bool:
    return error.errno == errno.ENXIO and path.is_fifo()


def _name(begun: Path, path: Path, *, may_replace: bool) -> None:
    real = _real(path)
    if may_replace:
        begun.replace(real)
        return
    try:
        # Unlike a new name, a second one never takes the place of what came there meanwhile.
        real.hardlink_to(begun)
    except FileExistsError as error:
        raise _taken(path) from error
    except OSError:
        if os.path.lexists(real):
            raise
        begun.rename(real)


def _real(path: Path) -> Path:
    """What a link leads to; the link itself stays."""
    return Path(os.path.realpath(path))


def _taken(path: Path) -> SettingsError:
    return SettingsError(f"{path} is there already. Replace it with --force.")
