"""The only read-change-write of a thread, and the order of its turns."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pace.errors import StoreConflictError
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId
from pace.ports import Clock, ThreadMemoryStore

Outcome = TypeVar("Outcome")

# Another writer has to come first this often in a row before we give up.
_TRIES = 100


class EndCause(StrEnum):
    """Why a session ended."""

    RESET = "reset"
    IDLE = "idle"
    OFF = "off"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded:
    """A session is over, and nothing said in it is held any more."""

    thread_id: ThreadId
    session_id: SessionId
    cause: EndCause


class Threads:
    """Changes threads in a store, one whole value at a time.

    Whoever asks to be told (`when_ended`) hears of every session that ends here, once, before the
    change that ended it returns. Raises StoreError when the store fails.
    """

    def __init__(self, store: ThreadMemoryStore, clock: Clock, limits: ThreadLimits) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits
        self._turns: dict[ThreadId, _TurnQueue] = {}
        self._listeners: list[Callable[[SessionEnded], Awaitable[None]]] = []

    def when_ended(self, listener: Callable[[SessionEnded], Awaitable[None]]) -> None:
        """Tell this listener of every session that ends."""
        self._listeners.append(listener)

    @property
    def limits(self) -> ThreadLimits:
        """The limits of threads that begin now."""
        return self._limits

    @asynccontextmanager
    async def in_order(self, thread_id: ThreadId) -> AsyncIterator[None]:
        """Hold the thread's turn; whoever asked first has it first (R12)."""
        queue = self._turns.setdefault(thread_id, _TurnQueue())
        queue.waiting += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._turns[thread_id]

    def is_taken(self, thread_id: ThreadId) -> bool:
        """Whether somebody has the thread's turn, so that whoever asks has to wait."""
        return thread_id in self._turns

    async def look(self, thread_id: ThreadId) -> ThreadMemory:
        """The thread as it is; one that nobody has named before begins."""
        return await self.change(thread_id, lambda memory: (memory, memory))

    async def change(
        self,
        thread_id: ThreadId,
        step: Callable[[ThreadMemory], tuple[ThreadMemory, Outcome]],
        *,
        ending: EndCause = EndCause.RESET,
    ) -> Outcome:
        """Apply a pure step to the held value, again if another writer came first.

        `ending` is the cause to report if the step ends the session.
        """
        for _ in range(_TRIES):
            held = await self._store.load(thread_id)
            before = held or self._begin(thread_id)
            after, outcome = step(before)
            if after is before and held is not None:
                return outcome
            if await self._store.compare_and_set(thread_id, held, after):
                if after.session_id != before.session_id and held is not None:
                    await self._tell(thread_id, before.session_id, ending)
                return outcome
        raise StoreConflictError("The memory store is too busy with this thread. Try again.")

    async def end(self, thread_id: ThreadId, session_id: SessionId, cause: EndCause) -> None:
        """End the session named, if it is the live one."""
        following = new_session_id()
        now = self._clock.now()
        await self.change(
            thread_id,
            lambda memory: (memory.end_session(session_id, following, now=now), None),
            ending=cause,
        )

    async def sweep(self) -> None:
        """End every session that has been idle for longer than its limit."""
        for thread_id in await self._store.thread_ids():
            await self._end_if_idle(thread_id)

    async def set_limits(self, limits: ThreadLimits) -> None:
        """Apply limits to every thread at once, and to those that begin later."""
        self._limits = limits
        for thread_id in await self._store.thread_ids():
            await self._apply_limits(thread_id, limits)

    async def _end_if_idle(self, thread_id: ThreadId) -> None:
        following = new_session_id()
        now = self._clock.now()
        await self.change(
            thread_id,
            lambda memory: (memory.end_if_idle(following, now=now), None),
            ending=EndCause.IDLE,
        )

    async def _apply_limits(self, thread_id: ThreadId, limits: ThreadLimits) -> None:
        following = new_session_id()
        now = self._clock.now()
        await self.change(
            thread_id,
            lambda memory: (memory.with_limits(limits, next_session_id=following, now=now), None),
            ending=EndCause.OFF,
        )

    def _begin(self, thread_id: ThreadId) -> ThreadMemory:
        return ThreadMemory(
            thread_id=thread_id,
            session_id=new_session_id(),
            last_active_at=self._clock.now(),
            limits=self._limits,
        )

    async def _tell(self, thread_id: ThreadId, session_id: SessionId, cause: EndCause) -> None:
        ended = SessionEnded(thread_id=thread_id, session_id=session_id, cause=cause)
        for listener in self._listeners:
            await listener(ended)


def new_session_id() -> SessionId:
    """A session id that was never used: random, since a counter could come again."""
    return SessionId(str(uuid.uuid4()))


class _TurnQueue:
    """Who has a thread's turn, and how many want it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0
