"""Whether the client is still there: whatever is done for one that left is broken off at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from starlette.types import Receive


class ClientGoneError(Exception):
    """The client closed its connection before its answer was whole."""


class Client:
    """Watches a connection for as long as the block runs; its request has been read before."""

    def __init__(self, receive: Receive) -> None:
        self.is_gone = False
        self._receive = receive
        self._watch: asyncio.Task[None] | None = None
        self._working: asyncio.Task[object] | None = None

    async def __aenter__(self) -> Self:
        self._watch = asyncio.create_task(self._wait_gone(), name="client")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.cancel()

    @asynccontextmanager
    async def staying(self) -> AsyncIterator[None]:
        """Break off the block when the client leaves. Raises ClientGoneError then.

        As with a timeout, only what is inside is cancelled; what comes after it may be awaited.
        """
        task = asyncio.current_task()
        if self.is_gone or task is None:
            raise ClientGoneError
        cancelling, self._working = task.cancelling(), task
        try:
            yield
        except asyncio.CancelledError:
            if self.is_gone and task.uncancel() <= cancelling:
                raise ClientGoneError from None
            raise
        finally:
            self._working = None

    async def _wait_gone(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.is_gone = True
        if self._working is not None:
            self._working.cancel()
