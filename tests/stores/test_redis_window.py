"""A conversation over the shared store, prompt by prompt the same as over the in-process one."""

import pytest

from pace.asked import Words
from pace.memory.prompt import Role
from pace.ports import ThreadMemoryStore
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.testing import ManualClock, ScriptedPlanner
from stores.conftest import OpenStore
from stores.servers import Server
from turns import THREAD, Companions, unheard

TURNS = 11


@pytest.fixture
def clock(real_clock: ManualClock) -> ManualClock:
    return real_clock


async def test_the_window_is_the_same_in_every_store(
    server: Server, open_store: OpenStore, companions: Companions
) -> None:
    """B27: system, eight verbatim messages and the words; no folded pair stands there verbatim."""
    stores: list[ThreadMemoryStore] = [InProcessThreadMemoryStore(), await open_store(server)]
    sent = []
    for store in stores:
        with ScriptedPlanner(*(f"Reply {number}." for number in range(TURNS))) as planner:
            async with companions(planner, store=store) as parts:
                for number in range(TURNS):
                    await parts.companion.take_turn(
                        THREAD, Words(text=f"Question {number}?"), unheard
                    )
                    await parts.background.wait_done(THREAD)
            sent.append([prompt.messages for prompt in planner.prompts])
    here, shared = sent
    assert shared == here
    last = shared[-1]
    assert [message.role for message in last] == [
        Role.SYSTEM,
        *([Role.USER, Role.ASSISTANT] * 4),
        Role.USER,
    ]
    assert [message.content for message in last[1::2]] == [
        f"Question {number}?" for number in range(6, TURNS)
    ]
