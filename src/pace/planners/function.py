"""A planner out of any async function that answers messages: the way in for other programs."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing

from pace.errors import PlannerError
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.ports import Finished, FinishReason, PlannerEvent, PlannerTraits, TextDelta

ChatMessages = list[dict[str, str]]
Answer = Callable[[ChatMessages], Awaitable[str] | AsyncIterator[str]]


class FunctionPlanner:
    """Asks a function for the reply: `async def` with a string, or an async generator of pieces.

    Messages are dicts with `role` and `content`. What the function raises becomes a PlannerError
    with that cause.
    """

    def __init__(self, answer: Answer, *, context_tokens: int) -> None:
        self._answer = answer
        self._traits = PlannerTraits(
            name="function",
            model="function",
            context_tokens=context_tokens,
            on_this_machine=True,
        )

    async def traits(self) -> PlannerTraits:
        """What was given."""
        return self._traits

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Call the function once."""
        messages = [
            {"role": message.role.value, "content": message.content} for message in prompt.messages
        ]
        try:
            async with aclosing(_pieces(self._answer(messages))) as pieces:
                async for piece in pieces:
                    if piece:
                        yield TextDelta(piece)
        except Exception as error:
            raise PlannerError(
                f"The answering function failed ({type(error).__name__}). It has to be an async "
                "function that gives a str, or an async generator of them."
            ) from error
        yield Finished(reason=FinishReason.STOP)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the estimate."""
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002  # nothing is read ahead
        """Nothing can be read ahead."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing is kept."""

    async def aclose(self) -> None:
        """Nothing was started."""


async def _pieces(answer: Awaitable[str] | AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """The reply in one piece or in many; a generator is closed when nobody listens any more."""
    if inspect.isawaitable(answer):
        yield _text(await answer)
        return
    try:
        async for piece in answer:
            yield _text(piece)
    finally:
        if isinstance(answer, AsyncGenerator):
            await answer.aclose()


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        raise TypeError(f"a reply is made of str, not of {type(piece).__name__}")
    return piece
