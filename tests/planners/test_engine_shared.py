"""One engine for a chat, a fold and a second session: one decode at a time, and nothing mixed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from pace.planners.catalogue import TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.options import ReplyOptions
from pace.ports import SUMMARIES, Finished, TextDelta
from planners.prompts import prompt_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROUNDS = 50
ASKED = {
    "chat": prompt_of("Name a colour.", thread="chat", system="Be brief."),
    "fold": prompt_of("Sum up: tea at four.", thread=SUMMARIES, system="Be brief."),
    "other": prompt_of("Name a fruit.", thread="other", system="Be brief."),
}


@pytest_asyncio.fixture(loop_scope="session")
async def engine(tiny: Path) -> AsyncIterator[EmbeddedPlanner]:
    options = ReplyOptions(temperature=0, reply_tokens=2)
    planner = EmbeddedPlanner.of(TINY, tiny, options=lambda: options)
    yield planner
    await planner.aclose()


async def test_chat_fold_and_a_second_session_share_one_engine(engine: EmbeddedPlanner) -> None:
    """B83: in 50 rounds of three at once, one decodes at a time, and each replies as if alone."""
    speaking: Counter[str] = Counter()
    most_at_once = 0

    async def reply(who: str) -> str:
        nonlocal most_at_once
        text = ""
        async with aclosing(engine.stream(ASKED[who])) as events:
            async for event in events:
                speaking[who] = 0 if isinstance(event, Finished) else 1
                most_at_once = max(most_at_once, speaking.total())
                if isinstance(event, TextDelta):
                    text += event.text
        return text

    alone = [await reply(who) for who in ASKED]
    for _ in range(ROUNDS):
        assert await asyncio.gather(*map(reply, ASKED)) == alone
    assert most_at_once == 1
