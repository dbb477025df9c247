"""The names of the journal's file and of all that stands beside it."""

import os
from contextlib import suppress
from pathlib import Path

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite puts beside a database file, by the ending of its name."""


def beside(path: Path, ending: str) -> Path:
    """A file that stands beside the journal."""
    return path.with_name(path.name + ending)


def mended_name(path: Path) -> Path:
    """What a mended file is called until it takes the damaged one's place.

    Where it stands alone, it is whole and was to take that place.
    """
    return beside(path, ".mended")


def remove(path: Path) -> None:
    """Remove a database file, and what stands beside it. Raises OSError."""
    for ending in ("", *BESIDE):
        beside(path, ending).unlink(missing_ok=True)


def is_of(path: Path, journal: Path) -> bool:
    """Whether a file is the journal's or stands beside it under its name, also through links."""
    for each in (journal, Path(os.path.realpath(journal))):
        there, here = Path(os.path.realpath(path)), Path(os.path.realpath(each.parent))
        if there.parent == here and _is_named_after(there.name, each.name):
            return True
        with suppress(OSError):
            for other in here.iterdir():
                if _is_named_after(other.name, each.name) and other.samefile(path):
                    return True
    return False


def _is_named_after(name: str, journal: str) -> bool:
    return name == journal or name.startswith((f"{journal}-", f"{journal}."))
