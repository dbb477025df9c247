"""Lets the model on this machine answer when the chosen planner cannot, and says so first.

Only for who switched `planner.fall_back` on; never to anything but a model on this machine.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from pace.errors import (
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerSignedOutError,
    PlannerUnavailableError,
    PlannerUnreachableError,
)
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.ports import (
    SUMMARIES,
    Finished,
    Loading,
    Notice,
    Planner,
    PlannerEvent,
    PlannerTraits,
    Reading,
)

CANNOT_ANSWER = (
    PlannerUnreachableError,
    PlannerUnavailableError,
    PlannerSignedOutError,
    PlannerQuotaError,
    PlannerRefusedError,
)
"""What another planner may help against."""


class FallBackPlanner:
    """The chosen planner, and behind it one `here`, on this machine.

    `here_tokens` is the context of the latter, which is started only when it is needed. Prompts are
    made to fit both. Summaries never fall back: the extractive summarizer is there for them.
    """

    def __init__(self, chosen: Planner, here: Planner, *, here_tokens: int) -> None:
        self._chosen = chosen
        self._here = here
        self._here_tokens = here_tokens
        self._known: PlannerTraits | None = None

    async def traits(self) -> PlannerTraits:
        """The chosen planner's, as last known; of the other's only its context, if it is smaller.

        Where the chosen one never told, it is taken for one that lets words leave this machine.
        """
        try:
            self._known = await self._chosen.traits()
        except CANNOT_ANSWER:
            if self._known is None:
                here = await self._here.traits()
                return replace(here, on_this_machine=False, prepares=False, summarizes=False)
        known = self._known
        return replace(known, context_tokens=min(known.context_tokens, self._here_tokens))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """The chosen planner's reply; if it fails before its first sign of one, the other's."""
        has_begun = False
        try:
            async with aclosing(self._chosen.stream(prompt)) as events:
                async for event in events:
                    has_begun = has_begun or not isinstance(event, Notice | Loading | Reading)
                    yield event
        except CANNOT_ANSWER as error:
            if has_begun or prompt.thread_id == SUMMARIES:
                raise
            failed = error
        else:
            return
        async with aclosing(self._answered_here(prompt, failed)) as events:
            async for event in events:
                yield event

    async def _answered_here(
        self, prompt: Prompt, failed: PlannerError
    ) -> AsyncGenerator[PlannerEvent, None]:
        try:
            here = await self._here.traits()
        except PlannerError:
            raise failed from None
        yield Notice(f"{_whole(failed)} This turn is answered by {here.model}, on this machine.")
        async with aclosing(self._here.stream(prompt)) as events:
            async for event in events:
                if isinstance(event, Finished):
                    yield replace(event, model=here.model, planner=here.name)
                else:
                    yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Counts that hold for both: the chosen one's, or the estimate where that is more."""
        estimates = [estimate_tokens(text) for text in texts]
        try:
            counts = await self._chosen.count_tokens(texts)
        except CANNOT_ANSWER:
            return estimates
        return [max(pair) for pair in zip(counts, estimates, strict=True)]

    async def prepare(self, prompt: Prompt) -> int:
        """As the chosen planner does."""
        return await self._chosen.prepare(prompt)

    async def forget(self, thread_id: ThreadId) -> None:
        """Both forget, whatever becomes of the other."""
        try:
            await self._here.forget(thread_id)
        finally:
            await self._chosen.forget(thread_id)

    async def aclose(self) -> None:
        """End both."""
        try:
            await self._chosen.aclose()
        finally:
            await self._here.aclose()


def _whole(error: PlannerError) -> str:
    """The sentence of an error, with its full stop; one that ends in a command has none."""
    text = str(error)
    return text if text.endswith((".", "!", "?")) else f"{text}."
