"""Room for requests: how many one process takes at once, and how much of their bodies it holds.

Whatever keys may ask for together, a process goes on answering those that it has let in.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from pace.doors.gateway.faults import RefusedError

# Streams that wait for their planner need little; no server behind answers as many at once.
MOST_REQUESTS = 1000
# Some sixty of the longest bodies, or thousands of ordinary ones.
MOST_BYTES = 256 * 1024 * 1024
# A body may be slow, but somebody has to be sending it (seconds).
_SILENCE = 30.0
_RETRY_SECONDS = "1"


class Place:
    """A request's place. The next part of its body is waited for `silence` seconds."""

    def __init__(self, room: "Room") -> None:
        self.silence = room.silence
        self.held = 0
        self._room = room

    def hold(self, size: int) -> None:
        """Hold so many bytes of a body. Raises RefusedError (503) if they have no room now."""
        self._room.hold(size)
        self.held += size

    def let_go(self) -> None:
        """Hold nothing any more."""
        self._room.let_go(self.held)
        self.held = 0


class Room:
    """Counts what the requests under way take up."""

    def __init__(
        self,
        *,
        most_requests: int = MOST_REQUESTS,
        most_bytes: int = MOST_BYTES,
        silence: float = _SILENCE,
    ) -> None:
        self.silence = silence
        self._most_requests = most_requests
        self._most_bytes = most_bytes
        self._requests = 0
        self._bytes = 0

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A place for one request, until the block ends. Raises RefusedError (503) if none is."""
        if self._requests >= self._most_requests:
            raise _full()
        place = Place(self)
        self._requests += 1
        try:
            yield place
        finally:
            self._requests -= 1
            place.let_go()

    def hold(self, size: int) -> None:
        """For places alone."""
        if self._bytes + size > self._most_bytes:
            raise _full()
        self._bytes += size

    def let_go(self, size: int) -> None:
        """For places alone."""
        self._bytes -= size


def _full() -> RefusedError:
    return RefusedError(
        "The gateway has as much under way as it can hold. Ask again in a moment.",
        status=HTTPStatus.SERVICE_UNAVAILABLE,
        code="busy",
        headers={"Retry-After": _RETRY_SECONDS},
    )
