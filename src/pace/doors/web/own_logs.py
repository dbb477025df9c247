"""What becomes of the logs of the framework and its server: faults are told, words never.

A traceback and a message may quote what was said, and an address what was asked for. So of an error
its type is told, once for each place where it arose; warnings and all else go nowhere.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from pace.doors.faults import fault_sentence


@contextmanager
def faults_told(tell: Callable[[str], None]) -> Iterator[None]:
    """While it lasts, every error that is logged in this process is a sentence for `tell`."""
    handler = _Teller(tell)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Teller(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell
        self._told: set[tuple[str, str, int]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a fault that was not told before."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        fault = type(error).__name__, *_place_of(error.__traceback__)
        if fault in self._told:
            return
        self._told.add(fault)
        self._tell(fault_sentence(error))


def _place_of(traceback: TracebackType | None) -> tuple[str, int]:
    """Where it arose: the file and line of the innermost call."""
    place = ("", 0)
    while traceback is not None:
        place = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next
    return place
