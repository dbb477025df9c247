"""Decides whether and when a failed call is made again, for all that use one key together."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from pace.planners.direct.faults import Fault

MOST_CALLS = 4
"""How often one reply is asked for, the first time included."""

# Without a network nothing changes within seconds, and the person should hear of it.
_MOST_CALLS_UNANSWERED = 2
# Nobody waits longer for a reply to begin; who is asked to is told so.
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 1.0


class Limiter:
    """Calls by one key share it: what one was told to wait, all wait.

    `sleep` and `monotonic` are in seconds; `chance` gives numbers from 0 up to 1.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._sleep = sleep
        self._monotonic = monotonic
        self._chance = chance
        self._free_at = 0.0

    @property
    def pause(self) -> float:
        """Seconds until the next call may be made; 0 if it may be made now."""
        return max(0.0, self._free_at - self._monotonic())

    async def wait(self) -> None:
        """Wait until a call may be made; returns at once if it may be made now."""
        while (pause := self.pause) > 0:
            await self._sleep(pause)

    def may_repeat(self, fault: Fault, calls: int) -> bool:
        """Whether a reply that failed so after so many calls is asked for again, after a pause."""
        most = MOST_CALLS if fault.status is not None else _MOST_CALLS_UNANSWERED
        if not fault.is_passing or calls >= most:
            return False
        # At least what was asked for; never all at the same moment.
        wait = _FIRST_WAIT * 2 ** (calls - 1) * (1 + self._chance()) / 2
        if fault.retry_after is not None:
            if fault.retry_after > _LONGEST_WAIT:
                return False
            wait = fault.retry_after + self._chance()
        self._free_at = max(self._free_at, self._monotonic() + wait)
        return True
