"""A loopback server in a provider's place."""

from collections.abc import AsyncIterator

import pytest_asyncio

from planners.raw_server import RawServer, raw_server


@pytest_asyncio.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server() as served:
        yield served
