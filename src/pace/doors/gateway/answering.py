"""Takes a turn while its answer is sent, in whichever form the endpoint answers."""

from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pace.doors.gateway.client import Client, ClientGoneError
from pace.doors.gateway.events import EventSender
from pace.doors.gateway.faults import fault_of
from pace.doors.gateway.gateway import Gateway
from pace.doors.gateway.told import RawHeaders, headers_of
from pace.doors.gateway.turns import Sink, TurnRequest, Whole


class Form(Protocol):
    """How an endpoint answers."""

    def sink(self, sender: EventSender) -> Sink:
        """Where a streamed answer goes."""
        ...

    async def whole(self, whole: Whole) -> bytes:
        """An answer in one piece."""
        ...


class TurnAnswer(Response):
    """The answer to one request. What goes wrong before its first byte is raised."""

    def __init__(
        self, gateway: Gateway, request: TurnRequest, form: Form, *, is_streamed: bool
    ) -> None:
        super().__init__()
        self._gateway = gateway
        self._request = request
        self._form = form
        self._is_streamed = is_streamed

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a fault in the middle of a stream is told inside it."""
        gateway, request = self._gateway, self._request
        sender = EventSender(send)
        try:
            async with Client(receive) as client:
                if self._is_streamed:
                    await gateway.turns.stream(request, client, self._form.sink(sender))
                else:
                    whole = await gateway.turns.whole(request, client)
                    headers = headers_of(whole.turn.facts, is_kept=whole.is_kept)
                    await _send_json(await self._form.whole(whole), send, headers)
        except ClientGoneError:
            return  # nobody is there to be told
        except Exception as error:
            if not sender.has_begun:
                raise
            await sender.fail(fault_of(error))


async def _send_json(data: bytes, send: Send, headers: RawHeaders) -> None:
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(data))]
    await send({"type": "http.response.start", "status": 200, "headers": [*head, *headers]})
    await send({"type": "http.response.body", "body": data})
