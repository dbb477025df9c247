"""The folder of notes: one Markdown file for each, and no way out of the folder.

Notes may be a person's own, written in any editor, in folders of any depth. Whoever writes holds a
lock; what is written is there as a whole or not at all.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pace.actions.notes.files import (
    NoteFile,
    add_to,
    free_path,
    free_title,
    listed,
    put_new,
)
from pace.actions.notes.names import key_of
from pace.actions.notes.searching import Search, searched
from pace.actions.telling import quoted, shown
from pace.actions.waiting import in_thread
from pace.errors import ActionError, SettingsError
from pace.file_lock import only_here

_WAITS_FOR_OTHERS = 10.0
_LOCK = ".pace-notes.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note that was written, from its beginning if it `is_new`."""

    title: str
    path: Path = field(repr=False)
    is_new: bool = False


class NotesFolder:
    """Takes, adds to and searches notes. Raises ActionError and nothing else.

    `where` is asked each time, so that a change of the setting holds at once; it may raise
    SettingsError. Writing is done in
    one step that no cancelling divides: a note is written once or not at all.
    """

    def __init__(
        self, where: Callable[[], Path], *, waits_for_others: float = _WAITS_FOR_OTHERS
    ) -> None:
        self._where = where
        self._waits_for_others = waits_for_others

    async def take(self, title: str, text: str) -> Note:
        """Write a new note; if the title is taken, under the title with a number."""
        with self._in_sentences() as place:
            async with self._alone(place) as folder:
                notes = await in_thread(lambda: listed(folder), name="look for notes")
                return _begun(free_title(title, notes), text, folder)

    async def append(self, title: str, text: str) -> Note:
        """Add a text at the end of the one note of that title; if there is none, begin it."""
        with self._in_sentences() as place:
            async with self._alone(place) as folder:
                notes = await in_thread(lambda: listed(folder), name="look for notes")
                note = _the_one(title, notes)
                if note is None:
                    return _begun(title, text, folder)
                add_to(note, text, folder)
                return Note(title=note.title, path=note.path)

    async def search(self, query: str) -> Search:
        """The notes that hold the words, the best first; without words, the newest."""
        with self._in_sentences() as folder:
            if not folder.is_dir():
                return Search(total=0, best=())
            real = folder.resolve()
            return await in_thread(lambda: searched(real, query), name="search notes")

    @asynccontextmanager
    async def _alone(self, folder: Path) -> AsyncGenerator[Path, None]:
        """The folder, made if it has to be, while no other Pace writes into it."""
        real = _made(folder)
        lock = real / _LOCK
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(self._waits_for_others):
                    await stack.enter_async_context(only_here(lock))
            except TimeoutError as error:
                raise ActionError(
                    "Another Pace is writing notes and does not finish. Try again soon."
                ) from error
            yield real

    @contextmanager
    def _in_sentences(self) -> Generator[Path, None, None]:
        """The folder, as it is named now; a fault of it or of a file becomes a sentence."""
        try:
            folder = self._where()
        except SettingsError as error:
            raise ActionError(str(error)) from error
        try:
            yield folder
        except OSError as error:
            raise ActionError(
                f"The notes folder {shown(str(folder), 80)} cannot be used ({error.strerror}). "
                "Check it, or choose another: pace settings actions.notes_folder FOLDER"
            ) from error


def _made(folder: Path) -> Path:
    """The real folder, with the lock's file in it: its owner's alone, and no link elsewhere."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    real = folder.resolve(strict=True)
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(real / _LOCK, flags, 0o600))
    return real


def _begun(title: str, text: str, folder: Path) -> Note:
    path = free_path(folder, title)
    put_new(path, f"# {title}\n\n{text.strip()}\n".encode())
    return Note(title=title, path=path, is_new=True)


def _the_one(title: str, notes: list[NoteFile]) -> NoteFile | None:
    wanted = key_of(title)
    found = [note for note in notes if key_of(note.title) == wanted]
    found = found or [note for note in notes if key_of(note.path.stem) == wanted]
    if len(found) > 1:
        raise ActionError(
            f"{len(found)} notes are called {quoted(title)}. Give them titles of their own first."
        )
    return found[0] if found else None
