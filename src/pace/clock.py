"""The time of this machine: one reading that counts sleep, one for people."""

import sys
import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """The Clock of a running Pace."""

    def __init__(self) -> None:
        self._began_at = datetime.now(UTC)
        self._began_seconds = _seconds_since_boot()

    def now(self) -> datetime:
        """The time by a clock that counts sleep and that nobody can set."""
        return self._began_at + timedelta(seconds=_seconds_since_boot() - self._began_seconds)

    def local_time(self) -> datetime:
        """The wall clock, with the local offset."""
        return datetime.now().astimezone()


def _seconds_since_boot() -> float:
    # time.monotonic() stands still in sleep on Linux and on macOS. CLOCK_BOOTTIME does not, nor
    # does macOS's own CLOCK_MONOTONIC (clock_gettime(3)); on Windows time.monotonic() counts sleep.
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime(time.CLOCK_MONOTONIC)
    return time.monotonic()
