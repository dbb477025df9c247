"""Reads a file whole, if it is one and not too large, and says in one sentence why it does not."""

import stat
from pathlib import Path

from pace.errors import TalksError
from pace.sayable import sayable

LARGEST = 500_000_000
"""Bytes of the largest file that is read; as values it takes some times as many."""


def read_whole(path: Path, holds: str) -> bytes:
    """A file's bytes; a pipe is read to its end. Raises TalksError, which names what it holds."""
    name = sayable(str(path))
    if name == "-":
        raise TalksError(f"Name a file that holds {holds}; for standard input, /dev/stdin.")
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISFIFO(found.st_mode)):
            raise TalksError(f"{name} cannot be read: it is no file. Name one that holds {holds}.")
        if found.st_size > LARGEST:
            raise TalksError(too_large(name))
        with path.open("rb") as file:
            read = file.read(LARGEST + 1)
    except OSError as error:
        raise TalksError(
            f"{name} cannot be read ({error.strerror}). Name a file that holds {holds}."
        ) from error
    except MemoryError as error:
        raise TalksError(too_large(name)) from error
    if len(read) > LARGEST:
        raise TalksError(too_large(name))
    return read


def too_large(name: str) -> str:
    """What is said of a file that there is no room for."""
    return f"{name} is too large to be read at once. Give a part of it."
