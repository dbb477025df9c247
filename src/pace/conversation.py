"""Pace's memory for another program: bounded prompts and detached folds around a function."""

import asyncio
from types import TracebackType
from typing import Self

from pace.asked import Words
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.planners.function import Answer, FunctionPlanner
from pace.ports import PlannerEvent
from pace.wiring import assemble

_THREAD = ThreadId("conversation")


class Conversation:
    """One conversation with any async function that answers messages.

    Use it as an async context manager; it owns the folding meanwhile. `context_tokens` is the
    model's whole context and `reply_tokens` what is kept of it for the reply.

    ```python
    async def answer(messages):  # [{"role": "system" | "user" | "assistant", "content": "..."}]
        return await my_model(messages)

    async with Conversation(answer, system="Be brief.") as conversation:
        print(await conversation.say("Hello"))
    ```
    """

    def __init__(
        self,
        answer: Answer,
        *,
        system: str = "You are a helpful companion.",
        limits: ThreadLimits | None = None,
        context_tokens: int = 8192,
        reply_tokens: int = 1024,
    ) -> None:
        self._parts = assemble(
            FunctionPlanner(answer, context_tokens=context_tokens),
            system=lambda: system,
            reply_tokens=lambda: reply_tokens,
            limits=limits or ThreadLimits(),
        )
        self._work: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._work = asyncio.create_task(self._parts.companion.run(), name="conversation")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])

    async def say(self, text: str) -> str:
        """Say something and get the reply. Raises PaceError; memory is then as it was.

        Raises RuntimeError outside the `async with` block, and inside the answering function.
        """
        self._check_is_open()
        report = await self._parts.companion.take_turn(_THREAD, Words(text=text), _heard)
        return report.text

    async def memory(self) -> ThreadMemory:
        """The two tiers as they are."""
        return await self._parts.companion.memory(_THREAD)

    async def wait_folded(self) -> None:
        """Wait until every displaced pair is covered by the summary; as `say`, inside the block."""
        self._check_is_open()
        await self._parts.background.wait_done(_THREAD)

    def _check_is_open(self) -> None:
        if self._work is None or self._work.done():
            raise RuntimeError("use a Conversation inside `async with`")

    async def reset(self) -> None:
        """Forget everything said."""
        await self._parts.companion.reset(_THREAD)


async def _heard(event: PlannerEvent) -> None:
    """The reply is given whole; its events need no answer."""
