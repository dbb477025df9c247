"""How long the events of a reply are waited for."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from httpx_sse import ServerSentEvent

from pace.planners.answers import until_over

SHORT = 0.01


async def forever(data: str) -> AsyncGenerator[ServerSentEvent, None]:
    while True:
        await asyncio.sleep(0)
        yield ServerSentEvent(data=data)


async def test_what_follows_a_complete_reply_prolongs_nothing() -> None:
    """The limit after the last word is one, however many events come within it."""
    async with aclosing(forever('{"choices":[]}')) as sent:
        over = until_over(sent, lambda: True, after=SHORT)
        assert all([event.data async for event in over])


async def test_signs_of_life_without_data_are_silence() -> None:
    """Events that say nothing are waited for no longer than nothing at all."""
    async with aclosing(forever("")) as sent:
        over = until_over(sent, lambda: False, silence=SHORT)
        assert not any([event.data async for event in over])
