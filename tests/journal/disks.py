"""Disks that are small, full or may only be read; most of it needs root, or the test is skipped."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small(folder: Path, size: str) -> Iterator[Path]:
    """A disk of its own, of a size like `1m`."""
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    _mount(["--types", "tmpfs", "--options", f"size={size}", "none"], folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write to a folder that is there, whoever they are."""
    if os.geteuid() != 0:
        folder.chmod(0o500)
        yield
        folder.chmod(0o700)
        return
    _mount(["--bind", str(folder)], folder)
    try:
        _mount(["--options", "remount,ro,bind"], folder)
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def room_on(folder: Path) -> int:
    """What a disk still takes, in bytes."""
    return shutil.disk_usage(folder).free


def _mount(how: list[str], folder: Path) -> None:
    if subprocess.run(["mount", *how, folder], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk")
