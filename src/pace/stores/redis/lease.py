"""Who may run a thread's turn, or its fold, among all processes that share the server.

A lease is a key with a random token that expires by itself, so that whoever dies loses it. Losing
one that is still wanted is no fault: what it guards is checked again when it is written.
"""

import asyncio
import logging
import random
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from pace.errors import StoreConflictError, StoreError, StoreUnreachableError
from pace.stores.redis.clock import RedisClock, milliseconds
from pace.stores.redis.link import Link
from pace.stores.redis.scripts import GIVE_UP, RENEW, TAKE

_log = logging.getLogger(__name__)

# Between two looks at a lease that another has: short at first, since most turns of others that
# matter are about to end. Each is shortened by chance, so that those who wait do not come at once.
_FIRST_LOOK, _LONGEST_LOOK = 0.005, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseTimes:
    """How long a lease lasts, how often it is renewed, and how long one waits for another's."""

    lasts: timedelta = timedelta(seconds=10)
    renewed_every: timedelta = timedelta(seconds=3)
    waits: timedelta = timedelta(seconds=60)


@dataclass(slots=True)
class Lease:
    """A lease that this process wants or has. `data` are the keys that live on with it."""

    key: str
    data: Sequence[str] = ()
    token: bytes = b""
    is_over: bool = False

    def __post_init__(self) -> None:
        self.token = self.token or secrets.token_bytes(16)

    @property
    def keys(self) -> list[str]:
        """All keys, as scripts take them."""
        return [self.key, *self.data]


class Leases:
    """Takes, renews and gives up leases. Raises StoreError."""

    def __init__(self, link: Link, clock: RedisClock, times: LeaseTimes) -> None:
        self.times = times
        self._link = link
        self._clock = clock
        self._take = link.redis.register_script(TAKE)
        self._renew = link.redis.register_script(RENEW)
        self._give_up = link.redis.register_script(GIVE_UP)

    async def take(self, lease: Lease) -> tuple[bool, bytes | None]:
        """Whether the lease is ours now, and the first of its data."""
        deadline = self._clock.now() + timedelta(seconds=self._link.seconds)
        args: list[bytes | int] = [
            lease.token,
            _milliseconds(self.times.lasts),
            milliseconds(deadline),
        ]
        try:
            taken, data, time = await self._link.ask(lambda _: self._take(lease.keys, args))
        except StoreUnreachableError:
            lease.is_over = True  # nobody would hear that it is given up, either
            raise
        now = (int(time[0]), int(time[1]))
        if self._clock.is_due or (not taken and not self._clock.agrees(*now)):
            self._clock.tell(*now)
        return bool(taken), data

    async def wait_taken(self, lease: Lease) -> bytes | None:
        """Wait for the lease; gives the first of its data. Raises StoreConflictError in the end."""
        look = _FIRST_LOOK
        try:
            async with asyncio.timeout(self.times.waits.total_seconds()):
                while True:
                    is_ours, data = await self.take(lease)
                    if is_ours:
                        return data
                    await asyncio.sleep(look * random.uniform(0.5, 1))  # noqa: S311  # no secret
                    look = min(2 * look, _LONGEST_LOOK)
        except TimeoutError:
            raise StoreConflictError(
                "Another turn of this thread has not ended yet. Try again when it has."
            ) from None

    @asynccontextmanager
    async def renewed(self, lease: Lease, *, keeps: timedelta) -> AsyncIterator[None]:
        """Renew the lease meanwhile; its data live for `keeps` from each time, at least."""
        renewing = asyncio.create_task(self._keep(lease, keeps), name="lease")
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.wait([renewing])

    async def _keep(self, lease: Lease, keeps: timedelta) -> None:
        args: list[bytes | int] = [
            lease.token,
            _milliseconds(self.times.lasts),
            _milliseconds(keeps),
        ]
        while True:
            await asyncio.sleep(self.times.renewed_every.total_seconds())
            try:
                is_ours = await self._link.ask(lambda _: self._renew(lease.keys, args))
            except StoreError as error:
                _log.warning("lease not renewed: %s", error.kind)
                continue
            if not is_ours:
                if not lease.is_over:
                    _log.warning("lease lost")
                return

    async def give_up(self, lease: Lease) -> None:
        """Let others have the lease now; if that cannot be said, they have it when it expires."""
        if lease.is_over:
            return
        lease.is_over = True
        try:
            await self._link.ask(lambda _: self._give_up([lease.key], [lease.token]))
        except StoreError as error:
            _log.warning("lease not given up: %s", error.kind)


def _milliseconds(length: timedelta) -> int:
    return round(length / timedelta(milliseconds=1))
