"""Looks at real processes and folders, and waits for their end without sleeping."""

import asyncio
import os
import signal
import stat
from pathlib import Path


def kill(process_id: int | None) -> None:
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)


async def wait_died(process_id: int | None) -> None:
    """Return once the process has ended; it may be a grandchild that its parent left behind."""
    assert process_id is not None
    try:
        watch = os.pidfd_open(process_id)
    except ProcessLookupError:
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(watch, ended.set)
    try:
        async with asyncio.timeout(20):
            await ended.wait()
    finally:
        loop.remove_reader(watch)
        os.close(watch)


def engines(process_id: int | None = None) -> set[int]:
    """The engines that a process, by default this one, has started and that still run."""
    return children("embedded.child", process_id)


def children(command: str, process_id: int | None = None) -> set[int]:
    """What a process, by default this one, has started and that runs with this in its command."""
    tasks = Path(f"/proc/{process_id or 'self'}/task").glob("*/children")
    found = {int(child) for listed in tasks for child in listed.read_text().split()}
    return {child for child in found if command in command_line(child)}


def command_line(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode_of(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def files_in(folder: Path) -> list[Path]:
    """Regular files at any depth."""
    return [path for path in folder.rglob("*") if path.is_file()]


def core_limits(process_id: int) -> list[str]:
    """The soft and the hard limit of a core file."""
    limits = Path(f"/proc/{process_id}/limits").read_text()
    (core,) = (line for line in limits.splitlines() if line.startswith("Max core file size"))
    return core.split()[4:6]


def output_of(process_id: int, number: int) -> str:
    """Where one of its open files leads."""
    return str(Path(f"/proc/{process_id}/fd/{number}").readlink())
