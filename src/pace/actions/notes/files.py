"""The files of notes: which there are, what they are called, and how one is written whole."""

import os
import re
import stat
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pace.actions.notes.names import key_of, stem_of
from pace.actions.telling import quoted, shown
from pace.errors import ActionError

MOST_NOTES = 20_000
"""How many files are looked at; a folder with more is not one of notes alone."""

LARGEST_NOTE = 1_000_000
"""In bytes; of a larger file the beginning is searched, and nothing is added to it."""

_ASIDE = ".pace-"
_MOST_OF_A_TITLE = 1000
_MOST_NUMBERS = 1000
_HEADING = re.compile(r"\ufeff?# +(.*?) *$")
_BULLET = re.compile(rb"([ \t]*[-*+] )(\[[ xX]\] )?\S")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFile:
    """A file of the folder; `title` is its first heading, or the file's name without its ending.

    One that `leads_out` is a link to elsewhere, and is not read.
    """

    path: Path
    title: str
    changed_at: float = 0.0
    leads_out: bool = False


def listed(folder: Path, most: int = MOST_NOTES) -> list[NoteFile]:
    """The notes of a folder whose path is real; hidden files and folders are none.

    Raises ActionError if there are more than could be looked at: some would seem not to be there.
    """
    found: list[NoteFile] = []
    for path in _markdown(folder):
        if len(found) == most:
            raise ActionError(
                f"There are more than {most:,} notes in {shown(str(folder), 80)}. Choose another "
                "folder: pace settings actions.notes_folder FOLDER"
            )
        with suppress(OSError):
            real = path.resolve(strict=True)
            if not real.is_relative_to(folder):
                found.append(NoteFile(path=path, title=path.stem, leads_out=True))
                continue
            facts = real.stat()
            # A pipe or a device would never end.
            if stat.S_ISREG(facts.st_mode):
                title = _title_in(real) or path.stem
                found.append(NoteFile(path=path, title=title, changed_at=facts.st_mtime))
    return found


def text_of(note: NoteFile) -> str:
    """What it says; of a large one the beginning. Raises OSError."""
    with note.path.open("rb") as file:
        return file.read(LARGEST_NOTE).decode("utf-8-sig", "replace")


def free_title(title: str, notes: Iterable[NoteFile]) -> str:
    """The title, or the title with a number, that no note has. Raises ActionError."""
    taken = {key_of(note.title) for note in notes}
    for name in (title, *(f"{title} ({number})" for number in range(2, _MOST_NUMBERS))):
        if key_of(name) not in taken:
            return name
    raise ActionError(f"Too many notes are called {quoted(title)}. Give this one another title.")


def free_path(folder: Path, title: str) -> Path:
    """A file for a title that is not there yet, in whatever letter case. Raises ActionError."""
    taken = {key_of(path.name) for path in folder.iterdir()}
    stem = stem_of(title)
    for name in (stem, *(f"{stem} ({number})" for number in range(2, _MOST_NUMBERS))):
        if key_of(f"{name}.md") not in taken:
            return folder / f"{name}.md"
    raise ActionError(f"Too many notes are called {quoted(title)}. Give this one another title.")


def put_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet. Raises OSError, and FileExistsError if it is."""
    with _written_aside(path, content, mode=0o600) as whole:
        try:
            # A second name for it, which is there with its whole content or not at all.
            os.link(whole, path)
        except FileExistsError:
            raise
        except OSError:  # some file systems, such as those of USB sticks, have no second names
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            whole.replace(path)
    _reach_disk(path.parent)


def add_to(note: NoteFile, text: str, folder: Path) -> None:
    """Put a text at the end of a note; a list gets it as its next point. Raises OSError."""
    real = note.path.resolve(strict=True)
    if note.leads_out or not real.is_relative_to(folder):
        raise ActionError(f"The note {quoted(note.title)} leads out of the notes folder. Move it.")
    facts = real.stat()
    if facts.st_size > LARGEST_NOTE:
        raise ActionError(f"The note {quoted(note.title)} is too large. Take a new one.")
    before = real.read_bytes()
    try:
        before.decode()
    except UnicodeDecodeError as error:
        raise ActionError(
            f"The note {quoted(note.title)} is no UTF-8 text. Save it as one first."
        ) from error
    _replace(real, _joined(before, text), mode=stat.S_IMODE(facts.st_mode))


def _joined(before: bytes, text: str) -> bytes:
    """Old and new text, in the old one's kind of line ends."""
    end = b"\r\n" if b"\r\n" in before else b"\n"
    added = end.join(line.encode() for line in text.strip().splitlines())
    head = before.rstrip()
    bullet = _BULLET.match(head.splitlines()[-1]) if head else None
    if bullet and end not in added and not _BULLET.match(added):
        return head + end + bullet[1] + (b"[ ] " if bullet[2] else b"") + added + end
    if bullet and _BULLET.match(added):
        return head + end + added + end
    return (head + end + end if head else b"") + added + end


def _replace(path: Path, content: bytes, *, mode: int) -> None:
    """Put the whole content in place of the old one, or leave the old one as it is."""
    with _written_aside(path, content, mode=mode) as whole:
        whole.replace(path)
    _reach_disk(path.parent)


@contextmanager
def _written_aside(path: Path, content: bytes, *, mode: int) -> Generator[Path, None, None]:
    """The content in a file beside it, which is gone at the end.

    Whoever writes holds the folder's lock, so what lies there already is of one that was killed.
    """
    for left in path.parent.glob(f"{_ASIDE}*.tmp"):
        with suppress(OSError):
            left.unlink()
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_ASIDE, suffix=".tmp")
    whole = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        whole.chmod(mode)
        yield whole
    finally:
        with suppress(OSError):
            whole.unlink()


def _reach_disk(parent: Path) -> None:
    """Have a new name reach the disk, too, where folders can be opened for that."""
    with suppress(OSError):
        folder = os.open(parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _markdown(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(".md") and not name.startswith("."):
                yield Path(parent) / name


def _title_in(path: Path) -> str:
    with path.open("rb") as file:
        first = file.readline(_MOST_OF_A_TITLE).decode("utf-8", "replace").rstrip("\r\n")
    heading = _HEADING.match(first)
    return " ".join(heading[1].split()) if heading else ""
