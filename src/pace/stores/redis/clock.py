"""The server's time, so that all processes that share it agree when a thread is idle."""

from datetime import UTC, datetime, timedelta

from pace.clock import SystemClock

# Clocks of two machines drift by less than 0.1 ms a second; an idle limit is minutes.
_ASKED_EVERY = timedelta(minutes=1)
_NEARLY = timedelta(seconds=1)


class RedisClock:
    """The Clock of a shared store: the server's time as it was told, and what has passed since.

    What has passed is measured by a clock that counts sleep and that nobody can set.
    """

    def __init__(self) -> None:
        self._here = SystemClock()
        self._ahead = timedelta()
        self._told_at: datetime | None = None

    @property
    def is_due(self) -> bool:
        """Whether the server has not told its time for a while."""
        return self._told_at is None or self._here.now() - self._told_at > _ASKED_EVERY

    def tell(self, seconds: int, microseconds: int) -> None:
        """Take over what the server's TIME just gave."""
        here = self._here.now()
        self._ahead = _time(seconds, microseconds) - here
        self._told_at = here

    def agrees(self, seconds: int, microseconds: int) -> bool:
        """Whether what the server's TIME just gave is what this clock shows, or nearly."""
        return abs(_time(seconds, microseconds) - self.now()) < _NEARLY

    def now(self) -> datetime:
        """The server's time."""
        return self._here.now() + self._ahead

    def local_time(self) -> datetime:
        """This machine's wall clock, with the local offset."""
        return self._here.local_time()


def _time(seconds: int, microseconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)


def milliseconds(at: datetime) -> int:
    """A time as the server counts it."""
    return round(at.timestamp() * 1000)
