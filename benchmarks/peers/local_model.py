"""The default model of Pace, as a summarizer for every peer and as the reader of their prompts."""

import asyncio
from contextlib import aclosing
from types import TracebackType
from typing import Self

from wire import Said

from pace.errors import EmptyReplyError, PlannerError
from pace.folders import Folders
from pace.memory.prompt import Message, Prompt, PromptParts, Role
from pace.memory.turn import SessionId, ThreadId
from pace.planners.catalogue import DEFAULT
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineSettings
from pace.planners.options import ReplyOptions
from pace.planners.reasoning import without_reasoning
from pace.ports import Reasoned, TextDelta

NAME = DEFAULT.title
_ROLES = {"system": Role.SYSTEM, "assistant": Role.ASSISTANT}
_NO_PARTS = PromptParts(system=0, summary=0, pending=0, window=0, facts=0, recalled=0, words=0)


class ModelFailedError(Exception):
    """The model did not answer, so that nothing can be said of who asked it."""


class LocalModel:
    """One engine, asked for one thing after the other; what it wrote before decides nothing."""

    def __init__(self) -> None:
        self.trouble = ""
        """What went wrong last; empty for nothing."""
        self._reply_tokens = 64
        self._asking = asyncio.Lock()
        settings = EngineSettings(
            path=Folders.of().models / DEFAULT.file, name=NAME, summarizes=True
        )
        self._planner = EmbeddedPlanner(settings, options=self._options)

    async def __aenter__(self) -> Self:
        await self._planner.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._planner.aclose()

    def _options(self) -> ReplyOptions:
        return ReplyOptions(temperature=0, reply_tokens=self._reply_tokens)

    async def answer(self, messages: tuple[Said, ...], *, reply_tokens: int) -> str:
        """What it writes, without its reasoning, if anything.

        Raises ModelFailedError, and keeps what it says as `trouble`.
        """
        prompt = Prompt(
            thread_id=ThreadId("peers"),
            session_id=SessionId("peers"),
            messages=tuple(Message(_ROLES.get(m.role, Role.USER), m.text) for m in messages),
            parts=_NO_PARTS,
        )
        text = ""
        async with self._asking:
            self._reply_tokens = reply_tokens
            try:
                async with aclosing(self._planner.stream(prompt)) as events:
                    async for event in events:
                        if isinstance(event, TextDelta):
                            text += event.text
                        elif isinstance(event, Reasoned):
                            text = event.kept
            except EmptyReplyError:
                return ""
            except PlannerError as error:
                self.trouble = f"{NAME} failed: {error}"
                raise ModelFailedError(self.trouble) from error
        return without_reasoning(text)
