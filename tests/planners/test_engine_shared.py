"""One engine for chat, fold, second session and prepare: one decode at a time, nothing mixed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import pairwise
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


async def test_all_who_ask_share_one_engine(engine: EmbeddedPlanner) -> None:
    """B83: in 50 rounds of all at once, one decodes at a time, and each replies as if alone.

    There are fewer slots than threads, so each round also takes every slot from its owner.
    """
    speaking: Counter[str] = Counter()
    order: list[str] = []
    most_at_once = 0

    async def reply(who: str) -> str:
        nonlocal most_at_once
        text = ""
        async with aclosing(engine.stream(ASKED[who])) as events:
            async for event in events:
                order.append(who)
                speaking[who] = 0 if isinstance(event, Finished) else 1
                most_at_once = max(most_at_once, speaking.total())
                if isinstance(event, TextDelta):
                    text += event.text
        return text

    async def prepare() -> int:
        return await engine.prepare(ASKED["chat"])

    for who in ASKED:
        await reply(who)
    await prepare()  # so that from now on every turn finds the same in the cache
    alone = [await reply(who) for who in ASKED]
    await prepare()
    for _ in range(ROUNDS):
        order.clear()
        *together, held = await asyncio.gather(*map(reply, ASKED), prepare())
        assert together == alone
        assert held > 0
        assert sum(a != b for a, b in pairwise(order)) == len(ASKED) - 1
    assert most_at_once == 1
