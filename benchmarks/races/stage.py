"""Lets actors go on one at a time, from pause to pause, in an order that chance decides.

By hand, where nothing of an actor waits for anything else: about a microsecond a step. In tasks,
where a real server has to answer between two pauses.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from random import Random

from pace.memory.turn import SessionId, TurnId

Condition = Callable[[], bool]


class Actor:
    """Whoever does something in a conversation, and where it waits."""

    def __init__(self, act: Callable[["Actor"], Coroutine[object, object, None]]) -> None:
        self.is_over = False
        # What it has to know again when it asks again.
        self.name = ""
        self.target: TurnId | None = None
        self.session_id: SessionId | None = None
        self.until: Condition | None = None
        self._coroutine = act(self)
        self._task: asyncio.Task[None] | None = None
        self._paused: asyncio.Future[None] | None = None
        self._go: asyncio.Future[None] | None = None

    @property
    def may_go_on(self) -> bool:
        return self.until is None or self.until()

    async def pause(self, until: Condition | None = None) -> None:
        """Wait to be picked, and not before the condition holds."""
        self.until = until
        if self._task is None:
            await _Pause()
        else:
            await self._wait_picked()
        self.until = None

    async def _wait_picked(self) -> None:
        self._go = asyncio.get_running_loop().create_future()
        if self._paused is not None:
            self._paused.set_result(None)
        await self._go

    def step_by_hand(self) -> None:
        try:
            self._coroutine.send(None)
        except StopIteration:
            self.is_over = True

    async def step_in_task(self) -> None:
        self._paused = asyncio.get_running_loop().create_future()
        if self._task is None:
            self._task = asyncio.create_task(self._coroutine)
        elif self._go is not None:
            self._go.set_result(None)
        await asyncio.wait([self._task, self._paused], return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            self.is_over = True
            await self._task


class _Pause(Awaitable[None]):
    def __await__(self) -> Generator[None, None, None]:
        yield


async def play(actors: Sequence[Actor], chance: Random, *, by_hand: bool) -> None:
    """Go on with any of those who have begun, or let the next one begin, until all are over."""
    coming, running = list(reversed(actors)), list[Actor]()
    while coming or running:
        ready = [actor for actor in running if actor.may_go_on]
        picked = chance.randrange(len(ready) + bool(coming))
        if picked == len(ready):
            running.append(actor := coming.pop())
        else:
            actor = ready[picked]
        if by_hand:
            actor.step_by_hand()
        else:
            await actor.step_in_task()
        if actor.is_over:
            running.remove(actor)
