"""Writes a companion's turns into the journal; a fault of the journal never reaches a conversation.

What could not be written is kept in memory, in order, and tried again before the next line. The
line of a session's end is written after the last turn that began in it.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import datetime

from pace.errors import HistoryError
from pace.history import PaceHistory
from pace.journal.rows import JournalTurn
from pace.memory.turn import SessionId, TurnId
from pace.ports import Clock
from pace.threads import SessionEnded

Line = Callable[[], Awaitable[object]]

# Beyond this many the oldest are let go, so that a disk that stays full does not fill the memory.
_MOST_WAITING = 1000


class Journaling:
    """Keeps turns while `keeps` says so. `tell` hears one sentence when the journal first fails."""

    def __init__(
        self,
        history: PaceHistory,
        *,
        clock: Clock,
        keeps: Callable[[], bool],
        tell: Callable[[str], None],
    ) -> None:
        self._history = history
        self._clock = clock
        self._keeps = keeps
        self._tell = tell
        self._waiting: deque[Line] = deque(maxlen=_MOST_WAITING)
        self._writing = asyncio.Lock()
        self._open: dict[SessionId, set[TurnId]] = {}
        self._ended: dict[SessionId, Line] = {}
        self._has_told = False

    def begin(self, session_id: SessionId, turn_id: TurnId) -> None:
        """A turn was accepted in this session; its end's line waits for `close`."""
        self._open.setdefault(session_id, set()).add(turn_id)

    async def record(self, turn: JournalTurn, *, replaces: TurnId | None = None) -> None:
        """Write a turn that is over."""
        if self._keeps():
            await self._write(lambda: self._history.append(turn, replaces=replaces))

    async def close(self, session_id: SessionId, turn_id: TurnId) -> None:
        """A turn that had begun is over, whatever came of it."""
        still_open = self._open.get(session_id, set())
        still_open.discard(turn_id)
        if still_open:
            return
        self._open.pop(session_id, None)
        if (line := self._ended.pop(session_id, None)) is not None:
            await self._write(line)

    async def took_back(self, turn_id: TurnId) -> None:
        """Mark a turn as taken back."""
        if self._keeps():
            await self._write(lambda: self._history.take_back(turn_id))

    async def session_ended(self, ended: SessionEnded) -> None:
        """Write the line of a session's end, once no turn of it is open any more."""
        if not self._keeps():
            return
        line = self._line_of(ended, self._clock.local_time())
        if self._open.get(ended.session_id):
            self._ended[ended.session_id] = line
        else:
            await self._write(line)

    async def flush(self) -> None:
        """Try once more to write what is waiting."""
        async with self._writing:
            try:
                await self._write_waiting()
            except HistoryError as error:
                self._tell_once(str(error))
        while self._history.notices:
            self._tell(self._history.notices.pop(0))

    # --- inside

    def _line_of(self, ended: SessionEnded, at: datetime) -> Line:
        return lambda: self._history.end_session(ended.session_id, ended.cause, at)

    async def _write_waiting(self) -> None:
        while self._waiting:
            line = self._waiting[0]
            try:
                await line()
            except HistoryError:
                raise
            except Exception as error:  # noqa: BLE001  # no fault of the journal reaches a turn
                # It would fail again, and hold up all that come after it.
                self._tell_once(f"The history failed ({type(error).__name__}); a line is lost.")
            # Not popped before: whoever is cancelled here leaves it to be written again, once.
            if self._waiting and self._waiting[0] is line:
                self._waiting.popleft()

    async def _write(self, line: Line) -> None:
        self._waiting.append(line)
        await self.flush()

    def _tell_once(self, sentence: str) -> None:
        if not self._has_told:
            self._has_told = True
            self._tell(f"{sentence} The conversation goes on; its turns are kept once that works.")
