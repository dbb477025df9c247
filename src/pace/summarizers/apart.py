"""Folds in a process of its own, so that nobody's turn waits for the time that a fold takes.

A fold in this process would hold the event loop, and every stream with it. What is folded goes
there and back through a pipe, and nowhere else.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process

from pace.errors import SummarizerError
from pace.memory.summary import Fold, SummaryUpdate

# Folds may wait; turns are what the processor is for.
_NICENESS = 10
# One that dies with a fold may have been ended for want of memory; with the next one it may not be.
_TRIES = 2


class ApartSummarizer:
    """Folds by a function that can be found by its name, in one child process of low priority.

    The child starts with the first fold, or with `warm`; one that died is replaced. It ends with
    `aclose`, and with this process, however that ends.
    """

    def __init__(self, fold: Callable[[Fold], SummaryUpdate], *, name: str) -> None:
        self._fold = fold
        self._name = name
        self._pool: ProcessPoolExecutor | None = None
        self._is_closed = False

    @property
    def name(self) -> str:
        """What folds; where it does so is no affair of those who read a summary."""
        return self._name

    def warm(self) -> None:
        """Have the child started; returns before it is."""
        if self._pool is None:
            self._pool = self._opened()

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Fold there; raises SummarizerError, in which there are no words of the conversation."""
        for _ in range(_TRIES):
            if self._is_closed:
                raise SummarizerError("The process that folds was ended. Start Pace again.")
            self.warm()
            pool = self._pool
            try:
                return await asyncio.wrap_future(self._sent(fold))
            except BrokenProcessPool:
                if self._pool is pool:  # and not yet replaced by another fold that was there
                    self._pool = None
            except Exception as error:  # noqa: BLE001  # whatever a fold may raise
                # From None: it may quote what it read.
                raise SummarizerError(f"A fold failed ({type(error).__name__}).") from None
        raise SummarizerError("The process that folds ended at its work. Is there enough memory?")

    async def aclose(self) -> None:
        """End the child once it has made the fold that it is at; those that wait are dropped."""
        self._is_closed = True
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    def _sent(self, fold: Fold) -> Future[SummaryUpdate]:
        if self._pool is None:
            raise BrokenProcessPool
        return self._pool.submit(self._fold, fold)

    def _opened(self) -> ProcessPoolExecutor:
        """A pool whose one process is being started; a copy of this one could hold its locks."""
        pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)
        with _deaf_to_interrupts():
            pool.submit(os.getpid)
        return pool


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started meanwhile never hears Ctrl-C, which a terminal tells to all its processes."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Make this process the child that it is to be."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  # not on Windows

        os.nice(_NICENESS)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # R10: no crash report holds words


def _end_with_parent() -> None:
    """End when the parent does; one that was killed cannot say so."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
