"""Several upstreams as one: who is asked, who is left alone, and that nothing is asked twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerRefusedError, PlannerUnreachableError
from pace.planners.upstreams.pool import PoolUpstream
from pace.planners.upstreams.port import NothingSentError
from pace.planners.upstreams.server import ServerUpstream
from planners.raw_server import DONE, EVENT_STREAM, RawServer, delta, event, raw_server
from planners.upstreams.speaking import (
    BODY,
    CHAT,
    STREAMED,
    WHOLE,
    broken_stream,
    chunks_of,
    words_of,
)

NOWHERE = LoopbackUrl("http://127.0.0.1:9/v1")


@pytest.fixture
async def servers() -> AsyncIterator[list[RawServer]]:
    """Three servers that answer and have the same model."""
    async with AsyncExitStack() as opened:
        served = [await opened.enter_async_context(raw_server()) for _ in range(3)]
        for server in served:
            server.answer_json(CHAT, WHOLE)
            server.answer_json("/v1/models", {"data": [{"id": "tiny", "max_model_len": 4096}]})
        yield served


@asynccontextmanager
async def pool_of(
    *bases: LoopbackUrl | RawServer, look: bool = False
) -> AsyncIterator[PoolUpstream]:
    """A pool of servers at these addresses; it may look at them all the time."""
    urls = [LoopbackUrl(f"{b.url}/v1") if isinstance(b, RawServer) else b for b in bases]
    pool = PoolUpstream([ServerUpstream(url) for url in urls], check_seconds=0)
    work = asyncio.create_task(pool.run() if look else pool.look())
    if not look:
        await work
    try:
        yield pool
    finally:
        work.cancel()
        await asyncio.wait([work])
        await pool.aclose()


async def wait_well(pool: PoolUpstream, number: int) -> None:
    while len(pool.well) != number:  # noqa: ASYNC110  # the pool tells nobody
        await asyncio.sleep(0)


def asked(servers: list[RawServer]) -> list[int]:
    return [len(server.requests_to(CHAT)) for server in servers]


async def test_requests_go_round(servers: list[RawServer]) -> None:
    """Where nobody is busy each gets as many as the others."""
    async with pool_of(*servers) as pool:
        for _ in range(6):
            assert await pool.complete(BODY) == WHOLE
    assert asked(servers) == [2, 2, 2]


async def test_the_least_busy_is_asked(servers: list[RawServer]) -> None:
    """Open requests count, until they end: streams as long as they are read."""
    for server in servers:
        server.hold(CHAT, EVENT_STREAM, event(delta("Hel")))
    async with pool_of(*servers) as pool, AsyncExitStack() as opened:
        for _ in range(3):
            stream = await opened.enter_async_context(aclosing(pool.stream(STREAMED)))
            await anext(stream)
        assert asked(servers) == [1, 1, 1]
        await opened.aclose()
        busy = await opened.enter_async_context(aclosing(pool.stream(STREAMED, affinity="one")))
        await anext(busy)
        other = await opened.enter_async_context(aclosing(pool.stream(STREAMED, affinity="one")))
        await anext(other)
    assert sorted(asked(servers)) == [1, 2, 2]


async def test_one_conversation_stays_where_it_is(servers: list[RawServer]) -> None:
    """Requests of a thread go to one server, and threads spread over all."""
    async with pool_of(*servers) as pool:
        for thread in range(20):
            before = asked(servers)
            for _ in range(3):
                await pool.complete(BODY, affinity=f"thread {thread}")
            after = asked(servers)
            assert sorted(new - old for new, old in zip(after, before, strict=True)) == [0, 0, 3]
    assert all(asked(servers))


async def test_who_does_not_listen_is_passed_over_once(servers: list[RawServer]) -> None:
    """A request of which nothing left is asked of another, and the first is left alone."""
    async with pool_of(NOWHERE, servers[0]) as pool:
        for _ in range(4):
            assert await pool.complete(BODY) == WHOLE
        assert len(pool.well) == 1
    async with pool_of(NOWHERE, LoopbackUrl("http://127.0.0.1:11/v1")) as pool:
        with pytest.raises(NothingSentError):
            await pool.complete(BODY)
    async with pool_of(NOWHERE) as pool:
        with pytest.raises(NothingSentError):
            await chunks_of(pool)


async def test_a_stream_is_passed_over_too(servers: list[RawServer]) -> None:
    """The same holds for streams, before their first chunk."""
    servers[0].answer(CHAT, EVENT_STREAM, event(delta("Hello.", finish="stop")), DONE)
    pool = PoolUpstream(
        [ServerUpstream(NOWHERE), ServerUpstream(LoopbackUrl(f"{servers[0].url}/v1"))]
    )
    for _ in range(2):
        assert words_of(await chunks_of(pool)) == "Hello."
    assert len(pool.well) == 1
    await pool.aclose()


async def test_nothing_is_asked_twice(servers: list[RawServer]) -> None:
    """What a server has begun, or refused, is not asked of another."""
    for server in servers:
        server.answer(CHAT, EVENT_STREAM, event(delta("Hel")))
    async with pool_of(*servers) as pool:
        chunks, fault = await broken_stream(pool)
        assert words_of(chunks) == "Hel"
        assert isinstance(fault, PlannerUnreachableError)
        assert sum(asked(servers)) == 1
        for server in servers:
            server.answer(CHAT, b"")
        with pytest.raises(PlannerUnreachableError):
            await pool.complete(BODY)
        for server in servers:
            server.answer_json(CHAT, {}, status=400)
        with pytest.raises(PlannerRefusedError):
            await pool.complete(BODY)
    assert sum(asked(servers)) == 3


async def test_who_cannot_answer_anybody_is_left_alone(servers: list[RawServer]) -> None:
    """A 503 marks a server, a 500 does not: that may be one request's own fault."""
    servers[0].answer_json(CHAT, {}, status=503)
    servers[1].answer_json(CHAT, {}, status=500)
    async with pool_of(*servers[:2]) as pool:
        for _ in range(2):
            with pytest.raises(PlannerRefusedError):
                await pool.complete(BODY)
        assert pool.well == [f"the server at {servers[1].url}/v1"]


async def test_who_is_well_again_is_asked_again(servers: list[RawServer]) -> None:
    """Health is looked at all the time, without a request."""
    async with pool_of(*servers, look=True) as pool:
        servers[0].answer_json("/health", {}, status=503)
        await wait_well(pool, 2)
        servers[0].answer_json("/health", {})
        await wait_well(pool, 3)


async def test_if_nobody_is_well_somebody_is_asked(servers: list[RawServer]) -> None:
    """A pool that believes all to be down does not refuse for that: one may be back."""
    servers[0].answer_json("/health", {}, status=503)
    async with pool_of(servers[0], look=True) as pool:
        await wait_well(pool, 0)
        assert await pool.complete(BODY) == WHOLE


async def test_a_model_is_asked_of_who_has_it(servers: list[RawServer]) -> None:
    """Of several servers those that list the model are asked, also if they are not well."""
    servers[2].answer_json("/v1/models", {"data": [{"id": "big", "max_model_len": 8192}]})
    async with pool_of(*servers) as pool:
        for _ in range(3):
            await pool.complete({**BODY, "model": "big"})
        assert asked(servers) == [0, 0, 3]
        servers[2].answer_json(CHAT, {}, status=503)
        for _ in range(2):
            with pytest.raises(PlannerRefusedError):
                await pool.complete({**BODY, "model": "big"})
        assert asked(servers) == [0, 0, 5]
        await pool.complete({**BODY, "model": "nobody's"})
        assert sum(asked(servers)) == 6


async def test_the_models_are_those_of_all(servers: list[RawServer]) -> None:
    """Each is listed once; a context is the smallest of those that may answer."""
    servers[1].answer_json("/v1/models", {"data": [{"id": "tiny", "max_model_len": 2048}]})
    servers[2].answer_json("/v1/models", {"data": [{"id": "big", "max_model_len": 8192}]})
    async with pool_of(*servers) as pool:
        assert [entry["id"] for entry in await pool.models()] == ["tiny", "big"]
        assert await pool.context_tokens("tiny") == 2048
        assert await pool.context_tokens("big") == 8192
        assert await pool.is_ready()


async def test_models_that_nobody_says_are_a_fault() -> None:
    """An empty list would say that there is none."""
    async with pool_of(NOWHERE) as pool:
        with pytest.raises(PlannerUnreachableError):
            await pool.models()
        assert not await pool.is_ready()


async def test_vectors_come_from_one_of_them(servers: list[RawServer]) -> None:
    """Embeddings are asked like anything else."""
    servers[0].answer_json("/v1/embeddings", {"object": "list", "data": []})
    pool = PoolUpstream(
        [ServerUpstream(NOWHERE), ServerUpstream(LoopbackUrl(f"{servers[0].url}/v1"))]
    )
    for _ in range(2):
        assert (await pool.embed({"input": "hi"}))["object"] == "list"
    await pool.aclose()


def test_a_pool_needs_somebody() -> None:
    """An empty one is a mistake of whoever makes it."""
    with pytest.raises(ValueError, match="upstream"):
        PoolUpstream([])
