"""Gives each request its place, before a byte of its body is read: its key's, and the process's."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send

from pace.doors.gateway.admission import KEY_ID
from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.gateway import PLACE, Gateway

_ASKED = "/v1/"
# To look at a thread or to reset one is no turn.
_THREADS = "/v1/threads/"


class Entrance:
    """Lets a request through to `app` with its place in its scope, or tells it to come later."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a place for as long as the request is under way."""
        if scope["type"] != "http" or not scope["path"].startswith(_ASKED):
            await self.app(scope, receive, send)
            return
        gateway = scope["app"].state.gateway
        with ExitStack() as stack:
            try:
                stack.enter_context(_place_in(gateway, scope))
            except RefusedError as error:
                await error.fault.response()(scope, receive, send)
                return
            await self.app(scope, receive, send)


@contextmanager
def _place_in(gateway: Gateway, scope: Scope) -> Iterator[None]:
    """Raises RefusedError, 429 or 503."""
    key_id = scope[KEY_ID]
    with ExitStack() as stack:
        if scope["method"] == "POST" and not scope["path"].startswith(_THREADS):
            stack.enter_context(gateway.limits.turn(key_id))
        else:
            gateway.limits.ask(key_id)
        scope[PLACE] = stack.enter_context(gateway.room.place())
        yield
