"""A process of its own that keeps a program's private folder, and outlives Pace to remove it.

It is run by its path, since it needs nothing of Pace's. It is told on standard input where folders
lie, then the number of the process group that begins, and 0 when that has ended. It makes the
folder itself, so that there is none that nobody watches over. When its standard input ends, because
a reply is over or because Pace was killed, it ends every process of the folder and removes it.
Folders that nobody watches over any more, such as after a power cut, it removes, too.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

PREFIX = "pace-cli-"
_OWNER = "owner"
# A process that is being started while another is ended is found at the next look.
_LOOKS = 20
_PAUSE = 0.05


def main() -> None:
    """Keep one folder until standard input ends."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Pace decides when this ends, or its end does
        if number := getattr(signal, name, None):
            signal.signal(number, signal.SIG_IGN)
    if not (line := sys.stdin.readline()):
        return
    parent = Path(json.loads(line))
    try:
        folder, lock = _owned_folder(parent)
    except OSError as error:
        _answer(fault=error.errno or 0)
        return
    group = 0
    try:
        _answer(folder=str(folder))
        _sweep(parent)
        for told in sys.stdin:
            group = int(told)
    finally:
        if group:
            _end_group(group)
        _end_processes(folder)
        lock.close()  # or Windows keeps the file
        _remove(folder)


def _answer(**facts: str | int) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(facts) + "\n")
        sys.stdout.flush()


def _owned_folder(parent: Path) -> tuple[Path, IO[bytes]]:
    """A new folder for this user alone, and the lock that says that somebody watches over it.

    Between the two, another's sweep may take it for one that nobody does.
    """
    while True:
        folder = parent / f"{PREFIX}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            lock = (folder / _OWNER).open("xb")
            if _is_locked(lock) and (folder / _OWNER).exists():
                return folder, lock
            lock.close()


def _sweep(parent: Path) -> None:
    """Remove this user's folders that nobody watches over, and end what still runs in them."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not _is_ours(folder):
                continue
            if not (folder / _OWNER).exists():
                folder.rmdir()  # only while it is empty
                continue
            with (folder / _OWNER).open("r+b") as lock:
                is_orphan = _is_locked(lock)
                if is_orphan:
                    _end_processes(folder)
                    if sys.platform != "win32":
                        _remove(folder)
            if is_orphan:
                _remove(folder)


def _is_ours(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    return sys.platform == "win32" or folder.stat().st_uid == os.getuid()


def _end_group(group: int) -> None:
    if sys.platform == "win32":
        subprocess.run(  # noqa: S603  # a number of ours
            ["taskkill", "/F", "/T", "/PID", str(group)],  # noqa: S607
            capture_output=True,
            check=False,
        )
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _end_processes(folder: Path) -> None:
    """End all that has the folder in its environment or works in it, whatever session it is of.

    Only Linux tells that of a process.
    """
    if sys.platform != "linux":
        return
    for _ in range(_LOOKS):
        found = [number for number in _numbers() if _is_of(number, folder)]
        if not found:
            return
        for number in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        time.sleep(_PAUSE)


def _numbers() -> list[int]:
    listed = (path.name for path in Path("/proc").iterdir())
    return [int(name) for name in listed if name.isdigit() and int(name) != os.getpid()]


def _is_of(number: int, folder: Path) -> bool:
    """Whether a process of this user's was started in that folder; one that has ended is not."""
    with suppress(OSError):
        if os.fsencode(folder) in Path(f"/proc/{number}/environ").read_bytes():
            return True
    with suppress(OSError):
        return Path(f"/proc/{number}/cwd").readlink().is_relative_to(folder)
    return False


def _remove(folder: Path) -> None:
    for _ in range(_LOOKS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _is_locked(file: IO[bytes]) -> bool:
        """Lock it for us, if nobody else has."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _is_locked(file: IO[bytes]) -> bool:
        """Lock it for us, if nobody else has."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


if __name__ == "__main__":
    main()
