"""The process that folds: takes what to fold from standard input, and gives updates on its output.

It ends when its input does, so also with whoever started it, however that ends. It writes nothing
else: what it is sent is a conversation.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import BinaryIO

LENGTH_BYTES = 8
# Folds may wait; turns are what the processor is for.
_NICENESS = 10


def main() -> None:
    """Call the function that is named, as module:function, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells Ctrl-C to all its processes
    _make_way()
    module, _, name = sys.argv[1].partition(":")
    function: Callable[..., object] = getattr(import_module(module), name)
    while (told := read_message(sys.stdin.buffer)) is not None:
        sys.stdout.buffer.write(message(_answer(function, told)))
        sys.stdout.buffer.flush()


def message(content: bytes) -> bytes:
    """As it goes through a pipe: its length ahead of it."""
    return len(content).to_bytes(LENGTH_BYTES) + content


def read_message(pipe: BinaryIO) -> bytes | None:
    """The next one; None at the end."""
    length = pipe.read(LENGTH_BYTES)
    return pipe.read(int.from_bytes(length)) if len(length) == LENGTH_BYTES else None


def _answer(function: Callable[..., object], told: bytes) -> bytes:
    """What it gives; or the name of the fault, without what it says, since that may quote words."""
    answer, fault = None, ""
    try:
        answer = function(*pickle.loads(told))  # noqa: S301  # from our own parent
    except Exception as error:  # noqa: BLE001  # whatever a fold may raise
        fault = type(error).__name__
    return pickle.dumps((answer, fault))


def _make_way() -> None:
    """Take what others leave of the processor, and leave no crash report (R10)."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  # not on Windows

    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
