"""Server-sent events, as an answer that comes in parts is written (WHATWG HTML, section 9.2)."""

from starlette.types import Send

from pace.doors.gateway.faults import Fault
from pace.doors.gateway.told import RawHeaders

DONE = b"data: [DONE]\n\n"
_HEADERS: RawHeaders = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # a proxy that collects an answer would undo the streaming
]


def event(data: bytes, name: str = "") -> bytes:
    """One event; data of several lines stays several."""
    if b"\n" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\ndata: ")
    head = b"event: " + name.encode() + b"\n" if name else b""
    return head + b"data: " + data + b"\n\n"


class EventSender:
    """Sends an answer as events."""

    def __init__(self, send: Send) -> None:
        self.has_begun = False
        self._send = send

    async def begin(self, headers: RawHeaders) -> None:
        """Send the head; from now on a fault can only be told inside the answer."""
        self.has_begun = True
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": [*_HEADERS, *headers]}
        )

    async def send(self, data: bytes, *, is_last: bool = False) -> None:
        """Send events, written already."""
        await self._send({"type": "http.response.body", "body": data, "more_body": not is_last})

    async def fail(self, fault: Fault) -> None:
        """End with a fault. No other end follows, so that nobody takes the answer for whole."""
        await self.send(event(fault.as_json()), is_last=True)
