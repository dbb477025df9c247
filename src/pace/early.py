"""Writes a reply before its turn begins, to words that probably are the turn's.

A turn with the very same prompt takes over what is written by then, and what comes; any other
throws it away. Of somebody who speaks, that hides the pause in which they may still go on.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from pace.errors import PlannerError
from pace.memory.prompt import Prompt
from pace.memory.turn import ThreadId
from pace.ports import Planner, PlannerEvent, PlannerTraits


class _Begun:
    """A reply that is being written, and its events until now."""

    def __init__(self, prompt: Prompt, planner: Planner) -> None:
        self.prompt = prompt
        self.is_broken = False
        self._events: asyncio.Queue[PlannerEvent | Exception | None] = asyncio.Queue()
        self.task = asyncio.create_task(self._write(planner), name="write ahead")

    async def _write(self, planner: Planner) -> None:
        try:
            async with aclosing(planner.stream(self.prompt)) as events:
                async for event in events:
                    self._events.put_nowait(event)
        except Exception as error:  # noqa: BLE001  # whoever takes the reply over is told
            self.is_broken = True
            self._events.put_nowait(error)
        except asyncio.CancelledError:
            self.is_broken = True
            self._events.put_nowait(PlannerError("The reply was given up while it was written."))
            raise
        finally:
            self._events.put_nowait(None)

    async def events(self) -> AsyncGenerator[PlannerEvent, None]:
        """All of them, from the first one; closing gives the reply up."""
        try:
            while (event := await self._events.get()) is not None:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            await self.give_up()

    async def give_up(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])


class EarlyPlanner:
    """Another planner, with at most one reply of each thread begun ahead of its turn."""

    def __init__(self, inner: Planner) -> None:
        self._inner = inner
        self._begun: dict[ThreadId, _Begun] = {}

    async def write_ahead(self, prompt: Prompt) -> None:
        """Write the reply to a prompt until it is written or given up; cancelled, it is given up.

        A failure is told by the turn, which asks anew.
        """
        await self.give_up(prompt.thread_id)
        begun = self._begun[prompt.thread_id] = _Begun(prompt, self._inner)
        try:
            await asyncio.wait([begun.task])
        except asyncio.CancelledError:
            await begun.give_up()
            raise

    async def give_up(self, thread_id: ThreadId) -> None:
        """Throw away what was begun, if anything was and no turn took it over."""
        if (begun := self._begun.pop(thread_id, None)) is not None:
            await begun.give_up()

    async def traits(self) -> PlannerTraits:
        """The inner planner's."""
        return await self._inner.traits()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """The reply that was begun ahead, if it is to this very prompt; else a new one."""
        begun = self._begun.pop(prompt.thread_id, None)
        if begun is not None and (begun.prompt != prompt or begun.is_broken):
            await begun.give_up()
            begun = None
        reply = self._inner.stream(prompt) if begun is None else begun.events()
        async with aclosing(reply) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The inner planner's."""
        return await self._inner.count_tokens(texts)

    async def prepare(self, prompt: Prompt) -> int:
        """The inner planner's."""
        return await self._inner.prepare(prompt)

    async def forget(self, thread_id: ThreadId) -> None:
        """Give up what was begun, too."""
        await self.give_up(thread_id)
        await self._inner.forget(thread_id)

    async def aclose(self) -> None:
        """Give up whatever was begun, and close the inner one."""
        for thread_id in tuple(self._begun):
            await self.give_up(thread_id)
        await self._inner.aclose()
