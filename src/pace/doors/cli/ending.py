"""Ending from outside: a signal ends a command in order, once, and never with a traceback.

SIGINT, SIGTERM and SIGHUP are one wish. The first is obeyed; those that come while the command ends
change nothing, so that an engine is always ended and its folder removed.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import TypeVar

_Result = TypeVar("_Result")
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


def take_signals() -> None:
    """From now on, the first signal raises KeyboardInterrupt; so does this, if there was one."""
    if is_interrupted():
        raise KeyboardInterrupt
    _have(_interrupt)


def let_end() -> None:
    """From now on, signals change nothing: only the ending is left."""
    _have(signal.SIG_IGN)


def is_interrupted() -> bool:
    """Whether a signal was obeyed, whatever became of its KeyboardInterrupt.

    It may have been raised in the middle of an import, where a library makes another error of it.
    """
    return signal.getsignal(signal.SIGTERM) is _obeyed


def run_until_ended(work: Coroutine[None, None, _Result]) -> _Result:
    """Run work to its end; the first signal cancels it. Raises KeyboardInterrupt then."""
    if is_interrupted():
        work.close()
        raise KeyboardInterrupt
    try:
        return asyncio.run(_ended_by_signals(work))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _ended_by_signals(work: Coroutine[None, None, _Result]) -> _Result:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def end(_number: int, _frame: FrameType | None) -> None:
        let_end()
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    _have(end)
    try:
        return await work
    finally:
        let_end()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    _have(_obeyed)
    raise KeyboardInterrupt


def _obeyed(_number: int, _frame: FrameType | None) -> None:
    """The first one was enough."""


def _have(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for name in _NAMES:
        number = getattr(signal, name, None)
        # Who was started to outlive its terminal (nohup) goes on doing so.
        if number is None or (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            continue
        signal.signal(number, handler)
