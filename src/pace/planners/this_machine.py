"""What this machine has to spare for a model, asked of the system in its own way."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# A control group may allow less than the machine has.
_GROUP = Path("/sys/fs/cgroup")
_MACHINE = Path("/proc/meminfo")
_DEVICE_LIMIT = 30.0
_ASK_DEVICE = """
import xllamacpp
devices = xllamacpp.get_device_info()
gpus = [d["description"] or d["name"] for d in devices if "GPU" in d["type"].name]
print(gpus[0] if gpus else "CPU")
"""
_PAGES_TO_SPARE = ("free", "inactive", "speculative", "purgeable")


def free_memory() -> int | None:
    """Bytes that programs could still take without pushing others out; None if nobody says."""
    if sys.platform == "linux":
        return _free_on_linux()
    if sys.platform == "darwin":
        return _free_on_macos()
    if sys.platform == "win32":
        return _free_on_windows()
    return None


def free_disk(folder: Path) -> int:
    """Bytes free where the folder is, or would be."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def device() -> str | None:
    """What the engine would compute on: a GPU's name, or CPU; None if there is no engine.

    Asked of a process of its own, since a GPU's driver may print, or fail altogether.
    """
    try:
        told = subprocess.run(  # noqa: S603  # our own words only
            [sys.executable, "-P", "-c", _ASK_DEVICE],
            capture_output=True,
            text=True,
            timeout=_DEVICE_LIMIT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip().splitlines()[-1] if told.stdout.strip() else None


def _free_on_linux() -> int | None:
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB$", _MACHINE.read_text(), re.MULTILINE)
    except OSError:
        return None
    if found is None:
        return None
    machine = int(found[1]) * 1024
    try:
        allowed = int((_GROUP / "memory.max").read_text())
        used = int((_GROUP / "memory.current").read_text())
    except (OSError, ValueError):
        return machine
    return max(0, min(machine, allowed - used))


def _free_on_macos() -> int | None:
    try:
        told = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    pages = sum(
        int(count)
        for kind, count in re.findall(r"^Pages (\w+):\s+(\d+)\.$", told.stdout, re.MULTILINE)
        if kind in _PAGES_TO_SPARE
    )
    return pages * os.sysconf("SC_PAGE_SIZE")


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *(
            (name, ctypes.c_uint64)
            for name in ("total", "free", "page_total", "page_free", "virtual", "virtual_free")
        ),
        ("extended_free", ctypes.c_uint64),
    )


def _free_on_windows() -> int | None:
    if sys.platform != "win32":
        return None
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.free)
