"""Pace history: the durable journal of what was said, for people to read, search and delete.

It is never fed back as memory, and never holds a summary. One row a turn pair, one line a session.
"""

import sqlite3
from collections.abc import AsyncIterator, Callable
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TypeVar

from pace.errors import HistoryError, NotInHistoryError
from pace.journal import rows, sessions
from pace.journal.aside import aside_within, clear_aside
from pace.journal.deleting import delete, purge
from pace.journal.faults import FullDiskError
from pace.journal.file import PATIENCE
from pace.journal.finding import search
from pace.journal.names import is_of
from pace.journal.paging import page
from pace.journal.rows import ALWAYS, Entry, Found, JournalTurn, Page, PastConversation, Period
from pace.journal.shared import SharedJournal
from pace.journal.words import Query
from pace.memory.turn import SessionId, TurnId

Result = TypeVar("Result")
Text = TypeVar("Text", bound=str)
Read = TypeVar("Read", bound=Entry | PastConversation)

_PAGE = 500
_SHORTEST_ID = 4
_HIGHEST_NUMBER = 2**63 - 1


class PaceHistory:
    """The journal in one file, which several processes may use at once.

    Nothing is made on the disk before the first turn is written. `notices` are sentences for the
    person, about what had to be mended or could not be deleted. `patience` is how long another
    process that writes is waited for. Every method raises HistoryError if
    the file cannot be used, and nothing is then changed.
    """

    def __init__(self, path: Path, *, patience: timedelta = PATIENCE) -> None:
        self.path = path
        self._journal = SharedJournal(path, patience=patience)

    @property
    def notices(self) -> list[str]:
        """Sentences that nobody was told yet; whoever tells them takes them out."""
        return self._journal.notices

    def owns(self, path: Path) -> bool:
        """Whether a file is the journal's, or one of those beside it, also through links."""
        return is_of(path, self.path)

    async def aclose(self) -> None:
        """Finish what was begun, and let go of the file; harmless when repeated."""
        await self._journal.aclose()

    # --- writing

    async def append(self, turn: JournalTurn, *, replaces: TurnId | None = None) -> int:
        """Write a turn, and mark the one it replaces; gives its number.

        It is on the disk when this returns. Written again, a turn changes nothing.
        """
        return await self._journal.use(lambda db: rows.append(db, turn, replaces))

    async def take_back(self, turn_id: TurnId) -> None:
        """Mark a turn as taken back; its words stay."""
        await self._read(lambda db: rows.take_back(db, turn_id), None)

    async def end_session(self, session_id: SessionId, cause: str, ended_at: datetime) -> None:
        """Write the line of a session's end; none, if nothing of it was kept."""
        await self._read(lambda db: sessions.end_session(db, session_id, cause, ended_at), None)

    async def rename(self, session_id: SessionId, name: str) -> None:
        """Give a conversation a name; an empty one takes it away. Raises NotInHistoryError."""
        given = _writable(name).strip() or None
        was_there = await self._read(
            lambda db: sessions.rename(db, _writable(session_id), given), if_none=False
        )
        if not was_there:
            raise _no_conversation(session_id)

    # --- reading

    async def conversations(
        self, *, limit: int = 50, before_number: int | None = None, period: Period = ALWAYS
    ) -> list[PastConversation]:
        """Past conversations, the newest first; the next page begins before a number."""
        nothing: list[PastConversation] = []
        found = await self._read(
            lambda db: sessions.conversations(
                db, limit=limit, before_number=before_number, period=period
            ),
            nothing,
        )
        return self._noticed(found)

    async def count(self, *, session_id: SessionId | None = None, period: Period = ALWAYS) -> int:
        """How many turns there are, of one conversation or of all."""
        which = None if session_id is None else _writable(session_id)
        return await self._read(lambda db: rows.count(db, session_id=which, period=period), 0)

    async def conversation(self, session_id: SessionId) -> PastConversation:
        """One conversation. Raises NotInHistoryError."""
        which = _writable(session_id)
        found = await self._read(lambda db: sessions.conversation(db, which), None)
        if found is None:
            raise _no_conversation(session_id)
        return self._noticed([found])[0]

    async def conversation_of(self, entry: Entry) -> PastConversation:
        """An entry's conversation; what the entry tells of it, if damage parted the two."""
        try:
            return await self.conversation(entry.turn.session_id)
        except NotInHistoryError:
            return self._noticed([PastConversation.around(entry)])[0]

    async def session_id(self, beginning: str) -> SessionId:
        """The one conversation whose id begins like this. Raises NotInHistoryError."""
        if len(beginning) < _SHORTEST_ID:
            raise NotInHistoryError(
                f"{beginning!r} is too short for the id of a conversation. Give at least "
                f"{_SHORTEST_ID} characters of it; `pace history` lists them."
            )
        nothing: list[SessionId] = []
        found = await self._read(
            lambda db: sessions.matching_sessions(db, _writable(beginning)), nothing
        )
        if not found:
            raise _no_conversation(beginning)
        if len(found) > 1:
            raise NotInHistoryError(
                f"More than one conversation begins with {beginning!r}. Give more of its id."
            )
        return found[0]

    async def entry(self, number: int) -> Entry:
        """One turn by its number. Raises NotInHistoryError."""
        found = None
        if number <= _HIGHEST_NUMBER:
            found = await self._read(lambda db: rows.entry(db, number), None)
        if found is None:
            raise _no_turn(number)
        return self._noticed([found])[0]

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
        nothing: list[Found] = []
        found = await self._read(lambda db: search(db, query, limit=limit, period=period), nothing)
        self._noticed([each.entry for each in found])
        return found

    async def page(
        self, session_id: SessionId, *, first: int = 1, before: int = 0, limit: int
    ) -> Page:
        """At most `limit` turns of a conversation from number `first` on, and `before` ahead of it.

        One that is not there has none.
        """
        first, which = min(first, _HIGHEST_NUMBER), _writable(session_id)
        found = await self._read(
            lambda db: page(db, which, first=first, before=before, limit=limit),
            Page([], 0, 0),
        )
        self._noticed(found.entries)
        return found

    # --- deleting

    async def delete_turn(self, number: int) -> int:
        """Delete one turn; gives 1. Raises NotInHistoryError."""
        deleted = await self._delete("number = ?", min(number, _HIGHEST_NUMBER))
        if not deleted:
            raise _no_turn(number)
        return deleted

    async def delete_conversation(self, session_id: SessionId) -> int:
        """Delete all turns of a conversation; gives how many. Raises NotInHistoryError."""
        deleted = await self._delete("session_id = ?", _writable(session_id))
        if not deleted:
            raise _no_conversation(session_id)
        return deleted

    async def delete_period(self, period: Period) -> int:
        """Delete all turns of a period; gives how many."""
        return await self._delete(
            "said_seconds >= ? AND said_seconds < ?", *period.seconds, covers=period
        )

    async def let_go_of_old(self, days: int, *, now: datetime) -> int:
        """Delete what was said on days before so many days ago; gives how many turns that were.

        Whole days go at once, so that the file is purged once a day at most.
        """
        day = (now - timedelta(days=days)).date()
        period = Period(before=datetime.combine(day, time(), tzinfo=now.tzinfo))
        if not await self.count(period=period) and not aside_within(self.path, period):
            return 0
        return await self.delete_period(period)

    async def delete_all(self) -> int:
        """Delete everything; gives how many turns there were."""
        return await self._delete("TRUE", covers=ALWAYS)

    # --- inside

    async def _page(
        self, session_id: SessionId | None, period: Period, after: int, *, limit: int = _PAGE
    ) -> list[Entry]:
        which = None if session_id is None else _writable(session_id)
        nothing: list[Entry] = []
        found = await self._read(
            lambda db: rows.entries(db, session_id=which, period=period, after=after, limit=limit),
            nothing,
        )
        return self._noticed(found)

    def _noticed(self, found: list[Read]) -> list[Read]:
        if any(each.is_damaged for each in found):
            self._journal.tell_once(
                "Some of the history is damaged. What can be read of it is shown, and what cannot "
                "is called unknown or left out."
            )
        return found

    async def _delete(self, chosen: str, *parameters: object, covers: Period | None = None) -> int:
        """Delete what a condition chooses, and damaged files of a time that is deleted whole."""
        # Work is done again to a file that was mended meanwhile; what went before, went.
        counts: list[int] = []

        def work(db: sqlite3.Connection) -> bool:
            counts.append(delete(db, chosen, parameters))
            return purge(db)

        try:
            is_purged = await self._read(work, if_none=True)
        except FullDiskError as error:
            if covers != ALWAYS:
                raise FullDiskError(
                    "The disk is too full to delete anything from the history. Make room on it, or "
                    f"remove the whole history by hand: {self.path} and {self.path.name}-wal"
                ) from error
            counts.append(await self.count())
            await self._journal.begin_anew()
            is_purged = True
        deleted = sum(counts)
        if deleted or covers is not None:
            self._journal.notices.extend(clear_aside(self.path, covers))
        if not is_purged:
            are = "1 turn is" if deleted == 1 else f"{deleted:,} turns are"
            raise HistoryError(
                f"{are} deleted, but traces are still in the file, because another program reads "
                "it or the disk is full. They are removed when the history is opened next; to be "
                f"rid of everything at once, remove {self.path} and {self.path.name}-wal by hand."
            )
        return deleted

    async def _read(self, work: Callable[[sqlite3.Connection], Result], if_none: Result) -> Result:
        """Do something with what was written; with nothing written, nothing is made either."""
        if not self._journal.exists():
            return if_none
        return await self._journal.use(work)


def _writable(text: Text) -> Text:
    """A text that can be stored or asked for; halves of characters are signs in it."""
    return type(text)(text.encode("utf-8", "replace").decode())


def _no_turn(number: int) -> NotInHistoryError:
    return NotInHistoryError(f"The history holds no turn {number}. See: pace history")


def _no_conversation(session_id: str) -> NotInHistoryError:
    return NotInHistoryError(f"The history holds no conversation {session_id!r}. See: pace history")
