"""The journal's file in a thread of its own, shared with other processes: opened, mended, replaced.

Opening and mending take turns between processes, by a lock beside the file. What was done to a file
that was replaced meanwhile is done again to the new one, so work must be harmless when repeated.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from pace.errors import HistoryError
from pace.file_lock import only_here
from pace.journal.anew import begin_anew
from pace.journal.deleting import finish_deleting
from pace.journal.faults import BrokenFileError, ReadOnlyError, SuspectFileError, unusable
from pace.journal.file import PATIENCE, JournalFile
from pace.journal.mending import is_broken, mend
from pace.journal.names import beside

Result = TypeVar("Result")

# How long another process that opens or mends the file is waited for, in seconds.
_LOCK_LIMIT = 30.0
_MOST_TRIES = 4


class SharedJournal:
    """One process's hold on the journal. `notices` are sentences about what had to be mended."""

    def __init__(self, path: Path, *, patience: timedelta = PATIENCE) -> None:
        self.path = path
        self.notices: list[str] = []
        self._file = JournalFile(path, patience=patience)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        self._opening = asyncio.Lock()
        self._is_closed = False
        self._told: set[str] = set()

    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self._file.exists()

    async def use(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the file, which is made if there is none. Raises HistoryError."""
        was_whole = False
        for _ in range(_MOST_TRIES):
            try:
                await self._open()
                result = await self._in_thread(lambda: self._file.use(work))
            except BrokenFileError as error:
                # Found whole, it may have been mended by another process meanwhile; found whole
                # again, the fault is not its, unless SQLite says so itself.
                otherwise = error.otherwise if isinstance(error, SuspectFileError) else None
                if not await self._mend(anyway=was_whole and otherwise is None):
                    if was_whole and otherwise is not None:
                        raise otherwise from error
                    was_whole = True
                continue
            if self._file.is_open():
                return result
        raise HistoryError(
            f"The history at {self.path} cannot be used: it is damaged again and again. Check its "
            "disk."
        )

    async def aclose(self) -> None:
        """Finish what was begun, and let go of the file; harmless when repeated."""
        if self._is_closed:
            return
        self._is_closed = True
        await self._in_thread(self._file.close)
        self._thread.shutdown(wait=False)

    async def _open(self) -> None:
        async with self._opening:
            if self._file.is_open():
                return
            try:
                async with self._only_here():
                    await self._open_here()
            except ReadOnlyError:
                if not await self._in_thread(self._file.open_to_read):
                    raise
            if self._file.skips_log:
                self.tell_once(
                    f"The history at {self.path} can only be read here, and its newest turns are "
                    "not shown. Open it once where it can be written."
                )
            if not self._file.is_read_only:
                await self._in_thread(lambda: self._file.use(finish_deleting))

    async def begin_anew(self) -> None:
        """Remove everything, as it is, and begin a file that goes on with the numbers."""
        async with self._opening, self._only_here():
            try:
                await self._whole(lambda: begin_anew(self._file))
            except OSError as error:
                raise unusable(self.path, error) from error

    async def _open_here(self) -> None:
        try:
            await self._whole(self._file.open)
        except BrokenFileError:
            await self._mend_it()
            await self._whole(self._file.open)

    async def _mend(self, *, anyway: bool) -> bool:
        """Mend the file, unless it is whole or another process did so while it was waited for."""
        async with self._opening, self._only_here():
            is_needed = anyway or await self._whole(lambda: is_broken(self._file))
            if is_needed:
                await self._mend_it()
            return is_needed

    def tell_once(self, sentence: str) -> None:
        """Say something to the person, unless it was said."""
        if sentence not in self._told:
            self._told.add(sentence)
            self.notices.append(sentence)

    async def _mend_it(self) -> None:
        mended = await self._whole(lambda: mend(self.path))
        self.notices.append(
            f"The history was damaged; {mended.turns:,} turns could be read and are kept. The "
            f"damaged file is {mended.aside}."
        )

    @asynccontextmanager
    async def _only_here(self) -> AsyncGenerator[None, None]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            async with asyncio.timeout(_LOCK_LIMIT) as limit, only_here(beside(self.path, ".lock")):
                limit.reschedule(None)
                yield
        except TimeoutError as error:
            raise HistoryError(
                f"The history at {self.path} cannot be used: another program holds it."
            ) from error
        except OSError as error:
            raise unusable(self.path, error) from error

    async def _whole(self, work: Callable[[], Result]) -> Result:
        """Work that has to be over before the lock is let go, also if nobody waits for it now."""
        doing = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            await asyncio.wait([doing])
            raise

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
