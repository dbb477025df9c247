"""What becomes of the logs of the framework and its server: faults are told, words never.

A traceback and a message may quote what was said, and an address what was asked for. So of an error
its type is told, once for each place where it arose; warnings and all else go nowhere.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pace.doors.faults import fault_sentence, place_of


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
        self._told: set[tuple[object, ...]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a fault that was not told before."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        place = place_of(error.__traceback__)
        fault = type(error).__name__, *((place.filename, place.lineno) if place else ())
        if fault in self._told:
            return
        self._told.add(fault)
        self._tell(fault_sentence(error))
