"""The wire below the application: no header fills memory, and no client that reads nothing stays.

uvicorn's protocol over httptools keeps a header for as long as it grows, and waits without end for
a client that does not read. Its other one, over h11, limits a header, but takes 98 µs for a request
of 2 KB where this one takes 24; so this is the first one, with what it lacks, for 3 µs more.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from pace.doors.gateway.faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class WireLimits:
    """What a connection may take: bytes of a request that are no body, in a row; and seconds.

    A head has to be whole `head_seconds` after its first byte, and the first one after the
    connection was made. Whoever takes in nothing for `unread_seconds` is taken for gone.
    """

    head_bytes: int = 64 * 1024
    head_seconds: float = 30.0
    unread_seconds: float = 60.0


class LimitedProtocol(HttpToolsProtocol):
    """One connection, within `limits`."""

    limits: ClassVar[WireLimits] = WireLimits()

    # How much has come since something of it could be handed on: a head, or a part of a body.
    _pent_up = 0
    _head_timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None
    _unread = 0

    # --- what comes in

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Take what came, as long as nothing is collected beyond the limit.

        That is a head, and also what stands between the parts of a body or after the last.
        """
        self._pent_up += len(data)
        super().data_received(data)
        if self._pent_up > self.limits.head_bytes and not self.transport.is_closing():
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                f"The request's head is larger than {self.limits.head_bytes // 1024} KiB. Send "
                "less in its headers.",
            )

    def on_message_begin(self) -> None:
        """Give a head its time."""
        super().on_message_begin()
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._pent_up = 0
        self._end_head_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of a body has come."""
        self._pent_up = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """What comes next is another head."""
        self._pent_up = 0
        super().on_message_complete()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.limits.head_seconds, self._end_waiting)

    def _end_waiting(self) -> None:
        self._head_timer = None
        if self.transport.is_closing():
            return
        if self._pent_up:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "No whole request came. Send it at once.")
        else:
            # Nothing was asked, so an answer would be taken for that to the next request.
            self.transport.close()

    def _end_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        cycle: RequestResponseCycle | None = self.cycle  # as uvicorn leaves it before the first
        if cycle is not None and not cycle.response_complete:
            # An answer to an earlier request is on its way; nothing can be told in its midst.
            self.transport.abort()
            return
        body = Fault(status=status, message=message).as_json()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    # --- what goes out

    def pause_writing(self) -> None:
        """The client takes in less than it is sent: watch whether it takes in anything."""
        super().pause_writing()
        self._watch_unread()

    def resume_writing(self) -> None:
        """It does."""
        self._end_unread_timer()
        super().resume_writing()

    def _watch_unread(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._unread_timer = self.loop.call_later(self.limits.unread_seconds, self._look_unread)

    def _look_unread(self) -> None:
        if self.transport.get_write_buffer_size() < self._unread:
            self._watch_unread()
        else:
            # Closing would wait until all is read.
            self.transport.abort()

    def _end_unread_timer(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._end_head_timer()
        self._end_unread_timer()
        super().connection_lost(exc)
