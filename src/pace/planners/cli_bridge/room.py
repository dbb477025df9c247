"""A private folder that a program runs in, gone with it: empty, but for fixed words of ours."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Room:
    """Where a program works, and where its own temporary files go; it has no others of ours.

    `fixed` is for files that hold no word of a conversation.
    """

    work: Path
    temporary: Path
    fixed: Path


@contextmanager
def private_room(files: Mapping[str, str], work_files: Mapping[str, str]) -> Iterator[Room]:
    """Make it, for this user alone, and remove it with all that the program left in it.

    A program's error report may hold the prompt; it writes it to its temporary folder. Raises
    OSError if there is no room on the disk.
    """
    top = Path(tempfile.mkdtemp(prefix="pace-cli-"))
    try:
        room = Room(top / "work", top / "temporary", top / "fixed")
        for folder in (room.work, room.temporary, room.fixed):
            folder.mkdir()
        for folder, texts in ((room.fixed, files), (room.work, work_files)):
            for name, text in texts.items():
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
        yield room
    finally:
        shutil.rmtree(top, ignore_errors=True)
