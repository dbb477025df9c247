"""Who may speak to a server of ours: checked before any work, for every door that listens.

Loopback is no boundary: a page from anywhere can make a browser send requests here. So the address
that was meant (Host), the page that asks (Origin), the kind of content and a secret are checked.
"""

import hmac
from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_PAGE = frozenset({"same-origin", "none"})
_HTTP_PORT = 80
SECRET_PARAMETER = "secret"  # noqa: S105  # the name of a parameter


def hosts_of(names: Collection[str], port: int) -> frozenset[str]:
    """The Host values that mean a server on this port: loopback's, and those of further names."""
    written = {_as_host(name.lower()) for name in {*_LOOPBACK_NAMES, *names}}
    # A browser leaves out the port that an address without one means.
    bare = written if port == _HTTP_PORT else set()
    return frozenset({*bare, *(f"{name}:{port}" for name in written)})


class Gatekeeper:
    """Lets a request through to `app` if it may pass, and refuses it before any work if not.

    It may if it was meant for this server, comes from a page of its own or from no page, and shows
    the secret. The secret is taken from the address that was opened, and is a cookie afterwards,
    which goes along with no other site's requests. `ticket` stands in for the secret once: for an
    address that others can read, as the arguments of a program can be. `takes_own_address` is for a
    server that listens everywhere: Host may be the address at which the connection arrived.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        secret: str,
        cookie: str,
        ticket: str | None = None,
        takes_own_address: bool = False,
    ) -> None:
        self.app = app
        self._hosts = frozenset(hosts)
        self._secret = secret
        self._cookie = cookie
        self._ticket = ticket
        self._takes_own_address = takes_own_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then hand over."""
        refusal = None if scope["type"] == "lifespan" else self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that may not pass; None for one that may."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_meant(scope, hosts[0].lower()):
            return _refused("This address is not Pace's. Open the one that Pace printed.")
        if not _is_own_page(headers, hosts[0].lower()):
            return _refused("Another site's page may not speak to Pace.")
        if not _is_json_or_reading(scope, headers):
            return _refused("Only JSON is taken here.", status=415)
        if self._has_cookie(headers):
            return None
        return self._let_in(scope)

    def _is_meant(self, scope: Scope, host: str) -> bool:
        """Whether this Host means this server, and not a name that was made to lead here."""
        if host in self._hosts:
            return True
        server = scope.get("server")
        if not self._takes_own_address or server is None:
            return False
        return host in hosts_of({str(server[0]).removeprefix("::ffff:")}, server[1])

    def _has_cookie(self, headers: Headers) -> bool:
        return any(
            hmac.compare_digest(value.encode(), self._secret.encode())
            for line in headers.getlist("cookie")
            for value in _values_of(line, self._cookie)
        )

    def _let_in(self, scope: Scope) -> Response:
        """Whoever brings the secret in the address gets the cookie, and the address without it."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == SECRET_PARAMETER]
        if scope["type"] != "http" or scope["method"] != "GET" or not self._is_secret(given):
            return _refused("Open the address that Pace printed when it started, with its secret.")
        rest = urlencode([(name, value) for name, value in query if name != SECRET_PARAMETER])
        # One slash: an address that begins with two would lead to another server.
        path = "/" + scope["path"].lstrip("/\\")
        answer = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
        answer.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict", path="/")
        answer.headers.update(_PRIVATE)
        return answer

    def _is_secret(self, given: list[str]) -> bool:
        if any(hmac.compare_digest(value.encode(), self._secret.encode()) for value in given):
            return True
        ticket = self._ticket
        if ticket is None or not any(
            hmac.compare_digest(value.encode(), ticket.encode()) for value in given
        ):
            return False
        self._ticket = None
        return True


_PRIVATE = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def _refused(sentence: str, *, status: int = 403) -> Response:
    return PlainTextResponse(f"{sentence}\n", status_code=status, headers=_PRIVATE)


def _as_host(name: str) -> str:
    return f"[{name}]" if ":" in name and "[" not in name else name


def _is_own_page(headers: Headers, host: str) -> bool:
    """Whether a page of this server asks, or no page: programs that are no browsers name none.

    A browser says of every request on which site it began, if it says nothing of the page.
    """
    origins = [origin.lower() for origin in headers.getlist("origin")]
    return all(origin == f"http://{host}" for origin in origins) and all(
        site in _OWN_PAGE for site in headers.getlist("sec-fetch-site")
    )


def _is_json_or_reading(scope: Scope, headers: Headers) -> bool:
    """What changes something has to be JSON, which no form and no simple request can send."""
    if scope["type"] != "http" or scope["method"] in _READING:
        return True
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _values_of(line: str, name: str) -> list[str]:
    """A cookie's values in a header that others on this machine write into, too, in any form."""
    pairs = (part.strip().partition("=") for part in line.split(";"))
    return [value for given, _, value in pairs if given == name]
