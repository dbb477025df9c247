"""Threads in a shared Redis or Valkey: one value each, changed by compare-and-set in one step.

A relayed turn costs two requests: one takes its lease and gives the thread, one writes the thread,
its expiry, and gives the lease up.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Self

from pace.errors import SettingsError, StoreError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.stores.redis.clock import RedisClock, milliseconds
from pace.stores.redis.guard import OFF, check_server
from pace.stores.redis.keys import KeyNames, id_bytes, id_of
from pace.stores.redis.lease import Lease, Leases, LeaseTimes
from pace.stores.redis.link import CONNECT_SECONDS, REQUEST_SECONDS, Link
from pace.stores.redis.scripts import WRITE
from pace.stores.redis.value import decode, digest_of, encode

# Keys that the server looks at in one step of a listing: about 0.2 ms, in which others wait.
_SCANNED_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisOptions:
    """How the server is used.

    `prefix` is the installation's own. `connections` are as many as turns that wait for the server
    at one moment.
    """

    prefix: str = "pace"
    accepts_persistence: bool = False
    connections: int = 64
    connect_seconds: float = CONNECT_SECONDS
    request_seconds: float = REQUEST_SECONDS
    leases: LeaseTimes = field(default_factory=LeaseTimes)


@dataclass(slots=True)
class _HeldTurn:
    """A turn that this process holds, and the value that it began with."""

    lease: Lease
    memory: ThreadMemory | None = None
    digest: bytes = b""


class RedisThreadMemoryStore:
    """The ThreadMemoryStore for many processes. Raises StoreError and nothing else once it is open.

    Idle threads are gone by the server's clock, which is `clock`; limits have to be counted by it.
    """

    expires = True

    def __init__(self, link: Link, options: RedisOptions) -> None:
        """For `open`, which also checks the server."""
        self.clock = RedisClock()
        self._link = link
        self._options = options
        self._names = KeyNames(options.prefix)
        self._leases = Leases(link, self.clock, options.leases)
        self._write = link.redis.register_script(WRITE)
        self._held: dict[ThreadId, _HeldTurn] = {}

    @classmethod
    async def open(cls, url: str, options: RedisOptions | None = None) -> Self:
        """Connect. Raises SettingsError for a server that may not be used, StoreError for none."""
        options = options or RedisOptions()
        link = Link(
            url,
            connections=options.connections,
            connect_seconds=options.connect_seconds,
            request_seconds=options.request_seconds,
        )
        try:
            store = cls(link, options)
            await check_server(link, accepts_persistence=options.accepts_persistence)
            if not options.accepts_persistence:
                link.settings = dict(OFF)
            store.clock.tell(*await link.ask(lambda _: link.redis.time()))
        except BaseException:
            await link.aclose()
            raise
        return store

    @property
    def round_trips(self) -> int:
        """Requests to the server so far."""
        return self._link.requests

    # --- a turn

    @asynccontextmanager
    async def turn(self, thread_id: ThreadId) -> AsyncIterator[ThreadMemory | None]:
        """Hold the thread's turn among all processes; gives the value, which does not expire.

        Raises StoreConflictError if another process does not end its turn.
        """
        if self.clock.is_due:
            await self._check_again()
        keys = self._names.of(thread_id)
        held = _HeldTurn(Lease(keys.turn, keys.data))
        try:
            data = await self._leases.wait_taken(held.lease)
            held.memory, held.digest = self._read(thread_id, data)
            self._held[thread_id] = held
            idle_after = held.memory.limits.idle_after if held.memory else None
            keeps = idle_after or self._leases.times.lasts
            async with self._leases.renewed(held.lease, keeps=keeps):
                yield held.memory
        finally:
            if self._held.get(thread_id) is held:
                del self._held[thread_id]
            await self._leases.give_up(held.lease)

    async def _check_again(self) -> None:
        """Raise StoreError if the server would write to a disk by now; once a minute is enough."""
        try:
            await check_server(self._link, accepts_persistence=self._options.accepts_persistence)
        except SettingsError as error:
            raise StoreError(str(error)) from error

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        """The value that is held, or None."""
        data = await self._link.command("GET", self._names.of(thread_id).value)
        return self._read(thread_id, data)[0]

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,
    ) -> bool:
        """Replace the value if it equals the one expected, and let it expire when it is idle.

        If the server did not answer, it may or may not have been written: StoreError.
        """
        held = self._held.get(thread_id)
        if held is not None and held.memory is expected:
            before = held.digest
        else:
            before = b"" if expected is None else digest_of(expected)
        keys = self._names.of(thread_id)
        token = held.lease.token if held is not None and ends_turn else b""
        args = self._written(before, memory, token)
        written = await self._link.ask(
            lambda again: self._write([*keys.data, keys.turn], [*args, b"1" if again else b""])
        )
        if written and token and held is not None:
            held.lease.is_over = True
        return bool(written)

    def _written(
        self, before: bytes, memory: ThreadMemory | None, token: bytes
    ) -> list[bytes | int]:
        """What the script takes, but for whether it is sent again."""
        lasts = round(self._leases.times.lasts.total_seconds() * 1000)
        if memory is None:
            return [before, b"", b"", 0, token, b"", lasts]
        value = encode(memory)
        return [
            before,
            value.digest,
            value.data,
            milliseconds(memory.expires_at),
            token,
            id_bytes(memory.thread_id) if memory.is_pending else b"",
            lasts,
        ]

    # --- folds

    @asynccontextmanager
    async def fold(self, thread_id: ThreadId) -> AsyncIterator[bool]:
        """Whether this process may fold the thread now; false while another one does."""
        lease = Lease(self._names.of(thread_id).fold)
        try:
            is_ours, _ = await self._leases.take(lease)
            if not is_ours:
                lease.is_over = True
                yield False
                return
            async with self._leases.renewed(lease, keeps=self._leases.times.lasts):
                yield True
        finally:
            await self._leases.give_up(lease)

    async def unfolded(self) -> Sequence[ThreadId]:
        """The threads with something pending; values are not read for it."""
        ids = [
            id_of(id_) async for batch in self._scanned(self._names.every_pending) for id_ in batch
        ]
        return tuple(dict.fromkeys(ids))

    async def thread_ids(self) -> Sequence[ThreadId]:
        """The threads that are held now. Reads every value: about 0.1 ms each."""
        found: dict[ThreadId, None] = {}
        async for batch in self._scanned(self._names.every_value):
            for data in batch:
                memory, _ = self._decoded(data)
                found[memory.thread_id] = None
        return tuple(found)

    async def _scanned(self, pattern: str) -> AsyncIterator[list[bytes]]:
        """What stands under the keys of a pattern, some at a time; one may come twice."""
        cursor = 0
        while True:
            cursor, keys = await self._link.command(
                "SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED_AT_ONCE
            )
            if keys:
                yield await self._link.ask(partial(self._get_all, keys))
            if not cursor:
                return

    async def _get_all(self, keys: Sequence[bytes], _: object) -> list[bytes]:
        async with self._link.redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.get(key)
            return [value for value in await pipeline.execute() if value is not None]

    async def aclose(self) -> None:
        """Let go of connections; the threads stay."""
        await self._link.aclose()

    def _read(self, thread_id: ThreadId, data: bytes | None) -> tuple[ThreadMemory | None, bytes]:
        if data is None:
            return None, b""
        memory, digest = self._decoded(data)
        if memory.thread_id != thread_id:
            raise self._foreign()
        return memory, digest

    def _decoded(self, data: bytes) -> tuple[ThreadMemory, bytes]:
        try:
            return decode(data)
        except ValueError:
            raise self._foreign() from None

    def _foreign(self) -> StoreError:
        return StoreError(
            f"{self._link.place} holds something else where this thread should be. Let all who "
            "share it run one version of Pace, or give this one a prefix of its own."
        )
