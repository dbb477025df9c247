"""A private folder that a program runs in, gone with it: empty, but for fixed words of ours.

A process of its own (watcher.py) makes and removes it, since Pace may be killed.
"""

import asyncio
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pace.planners.answers import mapping, parsed
from pace.planners.cli_bridge import watcher

# Nothing of ours but what an interpreter needs to start.
_PASSED = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")
_END_LIMIT = 10.0


@dataclass(frozen=True, slots=True)
class Room:
    """Where a program works, and where its own temporary files go; it has no others of ours.

    `fixed` is for files that hold no word of a conversation.
    """

    work: Path
    temporary: Path
    fixed: Path


@asynccontextmanager
async def private_room(
    files: Mapping[str, str], work_files: Mapping[str, str]
) -> AsyncIterator[tuple[Room, "Watch"]]:
    """Make it, for this user alone, and remove it with all that the program left in it.

    What still runs in it then is ended. A program's error report may hold the prompt; it writes it
    to its temporary folder. Raises OSError if there is no room on the disk.
    """
    watch = Watch()
    try:
        top = await watch.folder()
        room = Room(top / "work", top / "temporary", top / "fixed")
        for folder in (room.work, room.temporary, room.fixed):
            folder.mkdir()
        for folder, texts in ((room.fixed, files), (room.work, work_files)):
            for name, text in texts.items():
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
        yield room, watch
    finally:
        await watch.aclose()


class Watch:
    """The process that keeps a room. Whoever makes one closes it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # a file of ours
            (sys.executable, "-I", watcher.__file__),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _PASSED if name in os.environ},
            start_new_session=True,  # Ctrl-C is for Pace
        )
        self._folder: Path | None = None
        self._tell(json.dumps(tempfile.gettempdir()))

    async def folder(self) -> Path:
        """Wait until it made the folder; raises OSError."""
        answers = self._process.stdout
        if answers is None:
            raise AssertionError("`Popen` was asked for the pipe")
        line = await asyncio.to_thread(answers.readline)
        answer = mapping(parsed(line.decode(errors="replace")))
        if isinstance(name := answer.get("folder"), str):
            self._folder = Path(name)
            return self._folder
        number = answer.get("fault")
        number = number if isinstance(number, int) and number else errno.ECHILD
        raise OSError(number, os.strerror(number))

    def begins(self, group: int) -> None:
        """This process group is to end with us."""
        self._tell(str(group))

    def ended(self) -> None:
        """The group is gone, and its number may become another's."""
        self._tell("0")

    async def aclose(self) -> None:
        """Have it end what is left and remove the folder; a cancel waits for that, too."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        ending = asyncio.get_running_loop().run_in_executor(None, self._wait_ended)
        is_cancelled = False
        while not ending.done():
            try:
                await asyncio.wait([ending])
            except asyncio.CancelledError:
                is_cancelled = True
        ending.result()
        if is_cancelled:
            raise asyncio.CancelledError

    def _tell(self, line: str) -> None:
        if self._process.stdin is None:
            raise AssertionError("`Popen` was asked for the pipe")
        with suppress(BrokenPipeError):  # somebody killed it; `aclose` removes the folder
            self._process.stdin.write(f"{line}\n".encode())

    def _wait_ended(self) -> None:
        try:
            self._process.wait(_END_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
