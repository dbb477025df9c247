"""The only read-change-write of a thread, and the order of its turns."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
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
# Threads that a sweep looks at before it lets others have the loop; they take about 1 ms.
_SWEPT_AT_ONCE = 1000


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
    change that ended it returns. With `drops_empty`, the sweep also lets go of the ids of threads
    that hold nothing any more, for those who serve any number of them. Raises StoreError when the
    store fails.
    """

    def __init__(
        self,
        store: ThreadMemoryStore,
        clock: Clock,
        limits: ThreadLimits,
        *,
        drops_empty: bool = False,
    ) -> None:
        self._store = store
        self._clock = clock
        self._limits = limits
        self._drops_empty = drops_empty
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
        with self._wanted(thread_id) as queue:
            async with queue.lock:
                yield

    @contextmanager
    def _wanted(self, thread_id: ThreadId) -> Iterator["_TurnQueue"]:
        queue = self._turns.setdefault(thread_id, _TurnQueue())
        queue.waiting += 1
        try:
            yield queue
        finally:
            queue.waiting -= 1
            if not queue.waiting:
                del self._turns[thread_id]

    @asynccontextmanager
    async def hold(self, thread_id: ThreadId, *, alone: bool = True) -> AsyncIterator["HeldTurn"]:
        """Hold the thread's turn, in this process and among all that share the store (R12).

        With `alone` false others may have it at the same time, and only the sweep is kept away. An
        idle thread is ended first.
        """
        if alone:
            async with self.in_order(thread_id), self._store.turn(thread_id) as held:
                yield await self._held(thread_id, held)
            return
        with self._wanted(thread_id):
            yield await self._held(thread_id, await self._store.load(thread_id))

    async def _held(self, thread_id: ThreadId, held: ThreadMemory | None) -> "HeldTurn":
        """The turn, after the idle gate, and with the limits that hold here."""
        now = self._clock.now()
        if held is not None and (held.is_idle(now=now) or held.limits != self._limits):
            await self._end_if_idle(thread_id)
            await self._apply_limits(thread_id, self._limits)
            held = await self._store.load(thread_id)
        return HeldTurn(self, thread_id, held, held or self._begin(thread_id))

    @asynccontextmanager
    async def folding(self, thread_id: ThreadId) -> AsyncIterator[bool]:
        """Whether the thread may be folded here now, and by no other process meanwhile."""
        async with self._store.fold(thread_id) as is_ours:
            yield is_ours

    async def unfolded(self) -> Sequence[ThreadId]:
        """The threads with something pending."""
        return await self._store.unfolded()

    def is_taken(self, thread_id: ThreadId) -> bool:
        """Whether somebody has the thread's turn, so that whoever asks has to wait."""
        return thread_id in self._turns

    async def peek(self, thread_id: ThreadId) -> ThreadMemory | None:
        """The thread as it is; None if it is idle or nothing is held of it, and none begins."""
        held = await self._store.load(thread_id)
        if held is None or held.is_idle(now=self._clock.now()):
            return None
        return held

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
        known = await self._store.load(thread_id)
        return await self._change(thread_id, step, known, ending=ending)

    async def _change(
        self,
        thread_id: ThreadId,
        step: Callable[[ThreadMemory], tuple[ThreadMemory, Outcome]],
        held: ThreadMemory | None,
        *,
        ending: EndCause = EndCause.RESET,
        fresh: ThreadMemory | None = None,
        ends_turn: bool = False,
    ) -> Outcome:
        """Change a value that was seen; `fresh` stands for it while there is none."""
        for _ in range(_TRIES):
            before = held or fresh or self._begin(thread_id)
            after, outcome = step(before)
            if after is before and held is not None:
                return outcome
            if await self._store.compare_and_set(thread_id, held, after, ends_turn=ends_turn):
                if after.session_id != before.session_id and held is not None:
                    await self._tell(thread_id, before.session_id, ending)
                return outcome
            held = await self._store.load(thread_id)
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
        if self._store.expires:
            return
        now = self._clock.now()
        for number, thread_id in enumerate(await self._store.thread_ids(), start=1):
            if number % _SWEPT_AT_ONCE == 0:
                await asyncio.sleep(0)  # turns go on meanwhile
            held = await self._store.load(thread_id)
            if held is None or thread_id in self._turns:
                continue
            if held.is_idle(now=now):
                await self._end_if_idle(thread_id)
            elif not self._drops_empty or not held.is_empty:
                continue
            if self._drops_empty and now > held.expires_at:
                await self._drop_if_empty(thread_id)

    async def _drop_if_empty(self, thread_id: ThreadId) -> None:
        held = await self._store.load(thread_id)
        if held is not None and held.is_empty and not held.open_turns:
            await self._store.compare_and_set(thread_id, held, None)

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


class HeldTurn:
    """A thread whose turn is held: `memory` is the value as it was when the turn began."""

    def __init__(
        self,
        threads: Threads,
        thread_id: ThreadId,
        stored: ThreadMemory | None,
        memory: ThreadMemory,
    ) -> None:
        self.memory = memory
        self._threads = threads
        self._thread_id = thread_id
        self._stored = stored

    async def finish(self, step: Callable[[ThreadMemory], tuple[ThreadMemory, Outcome]]) -> Outcome:
        """Apply the turn's last change; while nobody else writes, it costs one request.

        A thread that began with this turn begins with the session that the turn has seen. One that
        the store has lost meanwhile does not come back: it may have been reset before.
        """
        fresh = self.memory if self._stored is None else None
        return await self._threads._change(
            self._thread_id, step, self._stored, fresh=fresh, ends_turn=True
        )


def new_session_id() -> SessionId:
    """A session id that was never used: random, since a counter could come again."""
    return SessionId(str(uuid.uuid4()))


class _TurnQueue:
    """Who has a thread's turn, and how many want it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0
