"""A summarizer of the person's own, named as module:maker: whatever it does, it is told as its own.

What it prints goes to standard error, so that figures stay alone on standard output; and once it
runs, a second signal ends the program where it stands, since it may never let go.
"""

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from types import FrameType

from pace.doors.safe_text import safe_line
from pace.errors import SettingsError, SummarizerError
from pace.memory.summary import Fold, SummaryUpdate
from pace.ports import ThreadSummarizer

_INTERRUPTED = 130
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_SHOW_CURSOR = "\x1b[?25h"
_TEXTS, _NUMBERS = ("session_id", "text", "made_by", "prefix"), ("version", "covers")


def is_own(name: str) -> bool:
    """Whether a name is that of a module and what makes a summarizer in it."""
    module, colon, maker = name.partition(":")
    return bool(module and colon and maker)


def maker_of(name: str) -> Callable[[], ThreadSummarizer]:
    """What makes the summarizer of that name. Raises SettingsError; so does the maker."""
    module, _, maker = name.partition(":")
    sys.path.insert(0, "")
    with _made(name):
        found = getattr(import_module(module), maker)

    def make() -> ThreadSummarizer:
        with _made(name):
            made = found()
            can_summarize = callable(getattr(made, "summarize", None))
        if not can_summarize:
            raise SettingsError(f"{safe_line(name)} makes no summarizer: it cannot summarize.")
        return _Own(made, name)

    return make


@contextmanager
def _made(name: str) -> Iterator[None]:
    try:
        yield
    except BaseException as error:  # somebody else's code may raise anything
        raise SettingsError(
            f"{safe_line(name)} cannot be made ({type(error).__name__}). "
            "Name a module that Python finds here and something in it to call without arguments."
        ) from error


class _Own:
    """What it raises besides SummarizerError, or gives instead of an update, is its fault."""

    def __init__(self, inner: ThreadSummarizer, name: str) -> None:
        self._inner = inner
        self.name = name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Raises SettingsError for a fault of its own."""
        try:
            update: object = await self._inner.summarize(fold)
        except SummarizerError:
            await _obey()
            raise
        except BaseException as error:
            await _obey()
            raise SettingsError(
                f"{safe_line(self.name)} failed at a fold ({_place(error)}). Mend it, or "
                "have it raise pace.errors.SummarizerError for folds that it cannot make."
            ) from error
        await _obey()
        if not isinstance(update, SummaryUpdate) or not _is_whole(update):
            raise SettingsError(
                f"{safe_line(self.name)} gave something else than a SummaryUpdate at a fold. "
                "Have it give a pace.memory.summary.SummaryUpdate with all its fields."
            )
        return update


def _place(error: BaseException) -> str:
    """What was raised and where, without its message, which may hold words of a talk."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f", {Path(frames[-1].filename).name} line {frames[-1].lineno}" if frames else ""
    return safe_line(f"{type(error).__name__}{where}")


async def _obey() -> None:
    """End if that was asked for, even if the summarizer took no notice of it, or never waited."""
    await asyncio.sleep(0)
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _is_whole(update: SummaryUpdate) -> bool:
    texts = (getattr(update, name) for name in _TEXTS)
    numbers = (getattr(update, name) for name in _NUMBERS)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int) for number in numbers)
        and isinstance(update.clauses, tuple)
    )


# --- while it runs


@contextmanager
def kept_apart() -> Iterator[None]:
    """Keep what others print off standard output, and let a second signal end the program."""
    sys.stdout.flush()
    out = sys.stdout.fileno()
    held = os.dup(out)
    # Not sys.stdout alone: what it starts, and what is written in C, knows the descriptor.
    beside = _stderr()
    os.dup2(beside, out)
    _end_at_the_second()
    try:
        # A file of its own, which it may close.
        with (
            os.fdopen(beside, "w", encoding="utf-8", errors="replace") as apart,
            redirect_stdout(apart),
        ):
            yield
    finally:
        os.dup2(held, out)
        os.close(held)


def _stderr() -> int:
    """Where standard error goes; nowhere, if it was closed."""
    try:
        return os.dup(sys.stderr.fileno())
    except (OSError, AttributeError):
        return os.open(os.devnull, os.O_WRONLY)


def _end_at_the_second() -> None:
    """The first signal does what it did; from then on, the next one ends the program."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    firsts = {number: first for number in numbers if callable(first := signal.getsignal(number))}

    def taken(number: int, frame: FrameType | None) -> None:
        firsts[number](number, frame)
        for each in firsts:
            signal.signal(each, _leave)

    for number in firsts:
        signal.signal(number, taken)


def _leave(_number: int, _frame: FrameType | None) -> None:
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
    os._exit(_INTERRUPTED)
