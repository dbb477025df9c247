"""Pace history: the durable journal of what was said, for people to read, search and delete.

It is never fed back as memory, and never holds a summary. One row a turn pair, one line a session.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from pace.errors import HistoryError, NotInHistoryError
from pace.file_lock import only_here
from pace.journal import rows
from pace.journal.file import BrokenFileError, JournalFile
from pace.journal.mending import is_broken, mend
from pace.journal.rows import ALWAYS, Entry, Found, JournalTurn, PastConversation, Period
from pace.journal.words import Query
from pace.memory.turn import SessionId, TurnId

Result = TypeVar("Result")

_PAGE = 500
_SHORTEST_ID = 4


class PaceHistory:
    """The journal in one file, which several processes may use at once.

    Nothing is made on the disk before the first turn is written. `notices` are sentences for the
    person about what had to be mended. Every method raises HistoryError if the file cannot be
    used, and nothing is then changed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: list[str] = []
        self._file = JournalFile(path)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")

    async def aclose(self) -> None:
        """Finish what was begun, and let go of the file."""
        await self._in_thread(self._file.close)
        self._thread.shutdown(wait=False)

    # --- writing

    async def append(self, turn: JournalTurn, *, replaces: TurnId | None = None) -> int:
        """Write a turn, and mark the one it replaces; gives its number.

        It is on the disk when this returns. Written again, a turn changes nothing.
        """
        return await self._write(lambda db: rows.append(db, turn, replaces))

    async def take_back(self, turn_id: TurnId) -> None:
        """Mark a turn as taken back; its words stay."""
        await self._read(lambda db: rows.take_back(db, turn_id), None)

    async def end_session(self, session_id: SessionId, cause: str, ended_at: datetime) -> None:
        """Write the line of a session's end; none, if nothing of it was kept."""
        await self._read(lambda db: rows.end_session(db, session_id, cause, ended_at), None)

    async def rename(self, session_id: SessionId, name: str) -> None:
        """Give a conversation a name; an empty one takes it away. Raises NotInHistoryError."""
        given = name.strip() or None
        was_there = await self._read(lambda db: rows.rename(db, session_id, given), if_none=False)
        if not was_there:
            raise _no_conversation(session_id)

    # --- reading

    async def conversations(
        self, *, limit: int = 50, before_number: int | None = None, period: Period = ALWAYS
    ) -> list[PastConversation]:
        """Past conversations, the newest first; the next page begins before a number."""
        return await self._read(
            lambda db: rows.conversations(
                db, limit=limit, before_number=before_number, period=period
            ),
            [],
        )

    async def session_id(self, beginning: str) -> SessionId:
        """The one conversation whose id begins like this. Raises NotInHistoryError."""
        if len(beginning) < _SHORTEST_ID:
            raise NotInHistoryError(
                f"{beginning!r} is too short for the id of a conversation. Give at least "
                f"{_SHORTEST_ID} characters of it; `pace history` lists them."
            )
        nothing: list[SessionId] = []
        found = await self._read(lambda db: rows.matching_sessions(db, beginning), nothing)
        if not found:
            raise _no_conversation(beginning)
        if len(found) > 1:
            raise NotInHistoryError(
                f"More than one conversation begins with {beginning!r}. Give more of its id."
            )
        return found[0]

    async def entry(self, number: int) -> Entry:
        """One turn by its number. Raises NotInHistoryError."""
        found = await self._read(lambda db: rows.entry(db, number), None)
        if found is None:
            raise NotInHistoryError(f"The history holds no turn {number}. See: pace history")
        return found

    async def entries(
        self, *, session_id: SessionId | None = None, period: Period = ALWAYS
    ) -> AsyncIterator[Entry]:
        """Turns in the order in which they were said, of one conversation or of all."""
        after = 0
        while True:
            page = await self._page(session_id, period, after)
            for found in page:
                yield found
            if len(page) < _PAGE:
                return
            after = page[-1].number

    async def search(self, text: str, *, limit: int = 20, period: Period = ALWAYS) -> list[Found]:
        """The turns that hold every word of a text, the best first. Any text may be searched for.

        Nothing is found by a text without a word.
        """
        query = Query.of(text)
        if not query.phrases:
            return []
        return await self._read(lambda db: rows.search(db, query, limit=limit, period=period), [])

    # --- deleting

    async def delete_turn(self, number: int) -> int:
        """Delete one turn; gives 1. Raises NotInHistoryError."""
        deleted = await self._delete("number = ?", number)
        if not deleted:
            raise NotInHistoryError(f"The history holds no turn {number}. See: pace history")
        return deleted

    async def delete_conversation(self, session_id: SessionId) -> int:
        """Delete all turns of a conversation; gives how many. Raises NotInHistoryError."""
        deleted = await self._delete("session_id = ?", session_id)
        if not deleted:
            raise _no_conversation(session_id)
        return deleted

    async def delete_period(self, period: Period) -> int:
        """Delete all turns of a period; gives how many."""
        return await self._delete("said_seconds >= ? AND said_seconds < ?", *period.seconds)

    async def let_go_of_old(self, days: int, *, now: datetime) -> int:
        """Delete what is older than so many days; gives how many turns that were."""
        period = Period(before=now - timedelta(days=days))
        if not await self._page(None, period, 0, limit=1):
            return 0
        return await self.delete_period(period)

    async def delete_all(self) -> int:
        """Delete everything; gives how many turns there were."""
        return await self._delete("TRUE")

    # --- inside

    async def _page(
        self, session_id: SessionId | None, period: Period, after: int, *, limit: int = _PAGE
    ) -> list[Entry]:
        return await self._read(
            lambda db: rows.entries(
                db, session_id=session_id, period=period, after=after, limit=limit
            ),
            [],
        )

    async def _delete(self, chosen: str, *parameters: object) -> int:
        def work(db: sqlite3.Connection) -> tuple[int, bool]:
            deleted = rows.delete(db, chosen, parameters)
            return deleted, rows.purge(db)

        deleted, is_purged = await self._read(work, (0, True))
        if not is_purged:
            raise HistoryError(
                f"{deleted:,} turns are deleted, but another program reads the history, so that "
                "traces may stand in its file. Close that program and delete again."
            )
        return deleted

    async def _read(self, work: Callable[[sqlite3.Connection], Result], if_none: Result) -> Result:
        """Do something with what was written; with nothing written, nothing is made either."""
        if not self._file.exists():
            return if_none
        return await self._write(work)

    async def _write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            return await self._in_thread(lambda: self._file.use(work))
        except BrokenFileError:
            await self._mend()
        return await self._in_thread(lambda: self._file.use(work))

    async def _mend(self) -> None:
        """Mend the file, unless another process did so while it was waited for."""
        async with only_here(self.path.with_name(f"{self.path.name}.lock")):
            if not await self._in_thread(lambda: is_broken(self._file)):
                return
            mended = await self._in_thread(lambda: mend(self.path))
        self.notices.append(
            f"The history was damaged; {mended.turns:,} turns could be read and are kept. The "
            f"damaged file is {mended.aside}."
        )

    async def _in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _no_conversation(session_id: str) -> NotInHistoryError:
    return NotInHistoryError(f"The history holds no conversation {session_id!r}. See: pace history")
