"""What tests of turns name: a thread, and a listener that does nothing."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from pace.memory.turn import ThreadId
from pace.ports import PlannerEvent
from pace.wiring import Parts

THREAD = ThreadId("one")

Companions = Callable[..., AbstractAsyncContextManager[Parts]]
"""Opens a companion over a planner; its background work runs until the block ends."""


async def unheard(event: PlannerEvent) -> None:
    """For turns whose events the test does not read."""
