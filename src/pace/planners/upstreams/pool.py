"""Several upstreams as one: the least busy that is well and has the model answers.

A request is asked of a second one only if nothing of it left for the first; an answer that broke
off is not repeated, since nobody knows what was done.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from hashlib import blake2b
from http import HTTPStatus

from pace.errors import PlannerError, PlannerRefusedError
from pace.planners.upstreams.port import Answer, Body, Chunk, NothingSentError, Upstream

CHECK_SECONDS = 5.0
# Whoever fails is left alone for 1, 2, 4 ... seconds, at most this long.
_LONGEST_REST = 60.0
# How a server says that it cannot answer anybody now. (500 may be one request's own fault.)
_UNWELL = frozenset(
    {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)


class PoolUpstream:
    """Upstreams that can stand in for one another; there has to be one.

    `run` looks every few seconds who is well and has which models; without it that is known only
    by how requests fare. Where several are equally busy, those of one conversation go to the same.
    """

    def __init__(
        self, upstreams: Sequence[Upstream], *, check_seconds: float = CHECK_SECONDS
    ) -> None:
        if not upstreams:
            raise ValueError("a pool needs an upstream")
        self._members = [_Member(upstream) for upstream in upstreams]
        self._check_seconds = check_seconds
        self._next = 0

    @property
    def name(self) -> str:
        """All of them."""
        return ", ".join(member.upstream.name for member in self._members)

    @property
    def well(self) -> Sequence[str]:
        """The names of those that are asked now."""
        return [member.upstream.name for member in self._members if member.is_well]

    # --- turns

    def answerable(self, body: Body) -> Body:
        """All of it."""
        return body

    async def complete(self, body: Body, *, affinity: str = "") -> Answer:
        """The answer of one of them."""
        return await self._answer(
            body, affinity, lambda upstream: upstream.complete(body, affinity=affinity)
        )

    async def stream(self, body: Body, *, affinity: str = "") -> AsyncGenerator[Chunk, None]:
        """The chunks of one of them."""
        member = self._chosen(body, affinity)
        try:
            with member.asked():
                async with aclosing(member.upstream.stream(body, affinity=affinity)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
        except NothingSentError:
            other = self._other_than(member, body, affinity)
            if other is None:
                raise
        with other.asked():
            async with aclosing(other.upstream.stream(body, affinity=affinity)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def embed(self, body: Body) -> Answer:
        """The vectors of one of them."""
        return await self._answer(body, "", lambda upstream: upstream.embed(body))

    async def _answer(
        self, body: Body, affinity: str, ask: Callable[[Upstream], Awaitable[Answer]]
    ) -> Answer:
        member = self._chosen(body, affinity)
        try:
            with member.asked():
                return await ask(member.upstream)
        except NothingSentError:
            other = self._other_than(member, body, affinity)
            if other is None:
                raise
        with other.asked():
            return await ask(other.upstream)

    # --- facts

    async def models(self) -> Sequence[Mapping[str, object]]:
        """The models of all who are well, each once; raises PlannerError if nobody says any."""
        asked = [member for member in self._members if member.is_well] or self._members
        answers = await asyncio.gather(*(member.listed() for member in asked))
        entries = {
            str(entry.get("id")): entry
            for answer in reversed(answers)
            if not isinstance(answer, PlannerError)
            for entry in reversed(answer)
        }
        faults = [answer for answer in answers if isinstance(answer, PlannerError)]
        if faults and len(faults) == len(answers):
            raise faults[0]
        return list(reversed(entries.values()))

    async def context_tokens(self, model: str) -> int | None:
        """The smallest among those that may be asked for the model."""
        said = [await member.upstream.context_tokens(model) for member in self._asked_of(model)]
        return min((context for context in said if context is not None), default=None)

    async def is_ready(self) -> bool:
        """Whether one of them is."""
        return any(await asyncio.gather(*(member.upstream.is_ready() for member in self._members)))

    async def run(self) -> None:
        """Look who is well, at once and then every few seconds."""
        for member in self._members:
            member.is_looked_after = True
        async with asyncio.TaskGroup() as group:
            for member in self._members:
                group.create_task(member.upstream.run(), name="upstream")
            while True:
                await self.look()
                await asyncio.sleep(self._check_seconds)

    async def look(self) -> None:
        """See now who is well, and who has what."""
        await asyncio.gather(*(member.look() for member in self._members))

    async def aclose(self) -> None:
        """Close all."""
        for member in self._members:
            await member.upstream.aclose()

    # --- the choice

    def _chosen(self, body: Body, affinity: str, but: "_Member | None" = None) -> "_Member":
        members = self._asked_of(body.get("model"), but)
        least = min(member.open for member in members)
        free = [member for member in members if member.open == least]
        if affinity:
            return max(free, key=lambda member: _draw(affinity, member.upstream.name))
        self._next += 1
        return free[self._next % len(free)]

    def _other_than(self, member: "_Member", body: Body, affinity: str) -> "_Member | None":
        if len(self._members) == 1:
            return None
        return self._chosen(body, affinity, but=member)

    def _asked_of(self, model: object, but: "_Member | None" = None) -> list["_Member"]:
        """Those that are well and have it; if none of them is well, who may be so again first.

        A name that nobody lists may be asked of anybody.
        """
        members = [member for member in self._members if member is not but]
        having = [member for member in members if member.may_have(model)] or members
        well = [member for member in having if member.is_well]
        return well or [min(having, key=lambda member: member.rests_until)]


class _Member:
    """One upstream, how busy it is, and what is known of its health.

    One that failed is well again when its rest is over; if it is looked after, when it was seen
    to be well since.
    """

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.open = 0
        self.rests_until = 0.0
        self.is_looked_after = False
        self._failures = 0
        self._models: frozenset[str] | None = None

    @property
    def is_well(self) -> bool:
        return not self._failures or (self._has_rested and not self.is_looked_after)

    def may_have(self, model: object) -> bool:
        return self._models is None or model in self._models

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Count a request for as long as it is open, and take notice of how it ends."""
        self.open += 1
        try:
            yield
        except NothingSentError:
            self._failed()
            raise
        except PlannerRefusedError as error:
            if error.status in _UNWELL:
                self._failed()
            raise
        else:
            if self._has_rested:
                self._failures = 0
        finally:
            self.open -= 1

    async def look(self) -> None:
        """See whether it is well, and what it has."""
        if not await self.upstream.is_ready():
            self._failures = max(1, self._failures)
            return
        await self.listed()
        if self._has_rested:
            self._failures = 0

    async def listed(self) -> Sequence[Mapping[str, object]] | PlannerError:
        """Its models, which are remembered; or why it does not say them."""
        try:
            entries = await self.upstream.models()
        except PlannerError as error:
            return error
        # A server that lists none may still answer.
        self._models = frozenset(str(entry.get("id")) for entry in entries) or None
        return entries

    @property
    def _has_rested(self) -> bool:
        return asyncio.get_running_loop().time() >= self.rests_until

    def _failed(self) -> None:
        self._failures += 1
        rest = min(2.0 ** min(self._failures - 1, 10), _LONGEST_REST)
        self.rests_until = asyncio.get_running_loop().time() + rest


def _draw(affinity: str, name: str) -> bytes:
    """A number for a conversation and a server, always the same; the highest wins."""
    return blake2b(name.encode(), key=blake2b(affinity.encode()).digest()).digest()
