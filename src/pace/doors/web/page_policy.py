"""What a page of the window may do in the browser: a policy that no text on the page can widen.

The framework's own scripts stand in the page and carry a number that is new for each answer;
whatever else comes to stand there, in a reply, a name or an error, has none and never runs. Why
styles may stand in the page, and why compiled templates may be evaluated: docs/adr/0011.
"""

import secrets

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; "
    "script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
}


# Where the framework speaks with its pages.
_TALK = "/_nicegui_ws/"


class PagePolicy:
    """Adds the policy to every answer of `app`, and this answer's number to its page's scripts.

    What is said comes over the websocket alone; the framework's other way, by many requests, is
    closed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand over, and see to the answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_talk = scope["path"].startswith(_TALK)
        app = PlainTextResponse("Not here.\n", status_code=404) if is_talk else self.app
        await app(scope, receive, _Answer(send).send)


class _Answer:
    """One answer on its way out; a page is held until it is whole."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._nonce = secrets.token_urlsafe(16)
        self._page_start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["content-security-policy"] = _POLICY.format(nonce=self._nonce)
            if headers.get("content-type", "").startswith("text/html"):
                self._page_start = message
                return
        elif self._page_start is not None:
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            await self._send_page(self._page_start)
            return
        await self._send(message)

    async def _send_page(self, start: Message) -> None:
        # What a person or a model wrote stands in the page with its signs written out (&lt;).
        page = self._body.replace(b"<script", b'<script nonce="%s"' % self._nonce.encode())
        MutableHeaders(scope=start)["content-length"] = str(len(page))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": page})
