"""Folds in a process of its own, so that nobody's turn waits for the time that a fold takes.

A fold in this process would hold the event loop, and every stream with it; in a thread, for as long
as Python lets one thread keep others waiting. What is folded goes there and back through a pipe,
and nowhere else. (Measured: the usual fold, of one pair into a full summary, takes 1.6 ms here, and
0.2 ms to have it made; by `concurrent.futures`, whose two threads compete with the loop as well,
0.35 ms.)
"""

import asyncio
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Generic, TypeVar

from pace.errors import SummarizerError
from pace.memory.summary import Fold, SummaryUpdate
from pace.summarizers.child import LENGTH_BYTES, message

Answer = TypeVar("Answer")
TIME_LIMIT = timedelta(seconds=20)
"""Twice what the fold of the longest talk takes, so whoever is at work longer hangs."""
# One that dies with a fold may have been ended for want of memory; with the next one it may not be.
_TRIES = 2


class Apart(Generic[Answer]):
    """Calls a function of a module, in one child process of low priority, one call after the other.

    The child starts with the first call, or with `warm`; one that died is replaced, and so is one
    whose call was given up or took longer than `time_limit`. It ends with `aclose`, and with this
    process, however that ends. Arguments and answers are pickled.
    """

    def __init__(
        self, function: Callable[..., Answer], *, time_limit: timedelta = TIME_LIMIT
    ) -> None:
        self._function = f"{function.__module__}:{function.__qualname__}"
        self._time_limit = time_limit
        self._turn = asyncio.Lock()
        self._child: Process | None = None
        self._is_closed = False

    async def warm(self) -> None:
        """Start the child, and do not wait until it can be called. Raises SummarizerError."""
        async with self._turn:
            await self._running()

    async def call(self, *arguments: object) -> Answer:
        """Call it there; raises SummarizerError, in which there are no words of the arguments."""
        told = message(pickle.dumps(arguments))
        async with self._turn:
            for _ in range(_TRIES):
                content = await self._asked_in_time(told)
                if content is None:
                    continue
                answer: Answer
                answer, fault = pickle.loads(content)  # noqa: S301  # from our own child
                if fault:
                    raise SummarizerError(f"A fold failed ({fault}).")
                return answer
        raise SummarizerError("The process that folds ended at its work. Is there enough memory?")

    async def aclose(self) -> None:
        """End the child, once the call that it is at is answered; those that wait fail."""
        self._is_closed = True
        async with self._turn:
            child, self._child = self._child, None
            if child is not None:
                await _ended(child)

    async def _asked_in_time(self, told: bytes) -> bytes | None:
        """As `_asked`; raises SummarizerError once it took too long."""
        seconds = self._time_limit.total_seconds()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self._asked(told)
        raise SummarizerError(f"A fold was not made within {seconds:g} s and was given up.")

    async def _asked(self, told: bytes) -> bytes | None:
        """What the child answers, None if it ended."""
        child = await self._running()
        if child.stdin is None or child.stdout is None:
            raise AssertionError("its pipes are ours")
        is_answered = False
        try:
            await _tell(child.stdin, told)
            length = int.from_bytes(await child.stdout.readexactly(LENGTH_BYTES))
            content = await child.stdout.readexactly(length)
            is_answered = True
        except (ConnectionError, asyncio.IncompleteReadError):
            return None
        finally:
            if not is_answered:
                # Ended, or cancelled: its next answer would not be to the next question.
                self._child = None
                with suppress(ProcessLookupError):
                    child.kill()
                await asyncio.shield(_ended(child))
        return content

    async def _running(self) -> Process:
        if self._is_closed:
            raise SummarizerError("The process that folds was ended. Start Pace again.")
        if self._child is not None and self._child.returncode is not None:
            child, self._child = self._child, None
            await _ended(child)
        if self._child is None:
            command = (sys.executable, "-P", "-m", "pace.summarizers.child", self._function)
            try:
                self._child = await asyncio.create_subprocess_exec(
                    *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
                )
            except OSError as error:
                raise SummarizerError(
                    "The process that folds cannot be started. Is there enough memory?"
                ) from error
        return self._child


class ApartSummarizer:
    """Folds by a function of a module, in a process of its own until `aclose`."""

    def __init__(
        self,
        fold: Callable[[Fold], SummaryUpdate],
        *,
        name: str,
        time_limit: timedelta = TIME_LIMIT,
    ) -> None:
        self._apart = Apart(fold, time_limit=time_limit)
        self._name = name

    @property
    def name(self) -> str:
        """What folds; where it does so is no affair of those who read a summary."""
        return self._name

    async def warm(self) -> None:
        """Start the process, and do not wait until it can fold. Raises SummarizerError."""
        await self._apart.warm()

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Fold there; raises SummarizerError, in which there are no words of the conversation."""
        return await self._apart.call(fold)

    async def aclose(self) -> None:
        """End the process, once the fold that it is at is made; those that wait fail."""
        await self._apart.aclose()


async def _tell(pipe: asyncio.StreamWriter, told: bytes) -> None:
    """Raises ConnectionError if nobody reads it any more."""
    try:
        pipe.write(told)
        await pipe.drain()
    except RuntimeError as error:
        # uvloop's answer to a write after the reader's end was seen
        raise ConnectionError("The process that folds ended.") from error


async def _ended(child: Process) -> None:
    """Close a child's input, at whose end it ends, and wait for it; cancelled, have it end now."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        await child.wait()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            child.kill()
        raise
