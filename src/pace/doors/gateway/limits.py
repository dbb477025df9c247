"""How much one key may ask for: turns at once, and requests a minute. Each process counts its own.

Whoever needs no key, on this machine, has no such limits.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus

from pace.doors.gateway.faults import RefusedError


@dataclass(slots=True)
class _Use:
    """What a key has left: `tokens` of a bucket that fills by the second, and turns under way."""

    tokens: float
    filled_at: float
    under_way: int = 0


class KeyLimits:
    """Counts what each key asks for. `seconds` is a clock that only goes on."""

    def __init__(
        self,
        *,
        at_once: int,
        per_minute: int,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._per_minute = per_minute
        self._seconds = seconds
        self._uses: dict[str, _Use] = {}

    @contextmanager
    def turn(self, key_id: str) -> Iterator[None]:
        """Take one turn for a key. Raises RefusedError (429) if it has none left now."""
        if not key_id:
            yield
            return
        use = self._use(key_id)
        if use.under_way >= self._at_once:
            raise _refused(
                f"This key has {self._at_once} turns under way. Wait until one has ended.", 1
            )
        self.ask(key_id)
        use.under_way += 1
        try:
            yield
        finally:
            use.under_way -= 1

    def ask(self, key_id: str) -> None:
        """Count a request of a key's. Raises RefusedError (429) if it asked too often."""
        if not key_id:
            return
        use = self._use(key_id)
        if use.tokens < 1:
            raise _refused(
                f"This key may ask {self._per_minute} times a minute. Slow down.",
                (1 - use.tokens) * 60 / self._per_minute,
            )
        use.tokens -= 1

    def _use(self, key_id: str) -> _Use:
        now = self._seconds()
        use = self._uses.setdefault(key_id, _Use(self._per_minute, now))
        gained = (now - use.filled_at) * self._per_minute / 60
        use.tokens, use.filled_at = min(self._per_minute, use.tokens + gained), now
        return use


def _refused(sentence: str, seconds: float) -> RefusedError:
    return RefusedError(
        sentence,
        status=HTTPStatus.TOO_MANY_REQUESTS,
        code="rate_limit_exceeded",
        headers={"Retry-After": str(max(1, math.ceil(seconds)))},
    )
