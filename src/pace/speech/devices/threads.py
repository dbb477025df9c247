"""Runs what blocks apart from the event loop, and leaves nothing open if nobody waits any more."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


async def in_thread(make: Callable[[], Made], let_go: Callable[[Made], None] | None = None) -> Made:
    """What `make` returns; it runs to its end even if the caller is cancelled.

    `let_go` then gets what nobody waits for any more.
    """
    making = asyncio.ensure_future(asyncio.to_thread(make))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait([making])
        if let_go is not None and not making.cancelled() and making.exception() is None:
            await asyncio.to_thread(let_go, making.result())
        raise
