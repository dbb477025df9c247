"""Waits for what blocks, in a thread that holds up neither the turn nor the end of Pace."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

_Result = TypeVar("_Result")


async def in_thread(call: Callable[[], _Result], *, name: str) -> _Result:
    """What the call gives. A cancelled wait lets go of it, and its result is nobody's.

    Not asyncio's own threads: the end of the event loop waits for all of those.
    """
    ended: Future[_Result] = Future()
    # From here on it cannot be cancelled, so that a result that nobody waits for is no error.
    ended.set_running_or_notify_cancel()

    def work() -> None:
        try:
            ended.set_result(call())
        except BaseException as error:  # noqa: BLE001  # handed on to whoever waits
            ended.set_exception(error)

    Thread(target=work, name=name, daemon=True).start()
    return await asyncio.wrap_future(ended)
