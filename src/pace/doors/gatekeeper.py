"""Who may speak to a server of ours: checked before any work, for every door that listens.

Loopback is no boundary: a page from anywhere can make a browser send requests here. So the address
that was meant (Host), the page that asks (Origin), the kind of content and a secret are checked.
"""

import hmac
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_PAGE = frozenset({"same-origin", "none"})
SECRET_PARAMETER = "secret"  # noqa: S105  # the name of a parameter


def hosts_of(names: Collection[str], port: int) -> frozenset[str]:
    """The Host values that mean a server on this port: loopback's, and those of further names."""
    bracketed = {f"[{name}]" if ":" in name and "[" not in name else name for name in names}
    return frozenset(f"{name.lower()}:{port}" for name in {*_LOOPBACK_NAMES, *bracketed})


class Gatekeeper:
    """Lets a request through to `app` if it may pass, and refuses it before any work if not.

    It may if it was meant for this server, comes from a page of its own or from no page, and shows
    the secret. The secret is taken once from the address that was opened, and is a cookie afterwards, which
    goes along with no other site's requests.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], secret: str, cookie: str) -> None:
        self.app = app
        self._hosts = frozenset(hosts)
        self._secret = secret
        self._cookie = cookie

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
        hosts = [host.lower() for host in headers.getlist("host")]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refused("This address is not Pace's. Open the one that Pace printed.")
        if not self._is_own_page(headers):
            return _refused("Another site's page may not speak to Pace.")
        if not _is_json_or_reading(scope, headers):
            return _refused("Only JSON is taken here.", status=415)
        if self._has_cookie(headers):
            return None
        return self._let_in(scope)

    def _is_own_page(self, headers: Headers) -> bool:
        """Whether a page of this server asks, or no page: programs that are no browsers name none.

        A browser says of every request on which site it began, if it says nothing of the page.
        """
        for origin in headers.getlist("origin"):
            scheme, _, host = origin.lower().partition("://")
            if scheme not in {"http", "https"} or host not in self._hosts:
                return False
        return all(site in _OWN_PAGE for site in headers.getlist("sec-fetch-site"))

    def _has_cookie(self, headers: Headers) -> bool:
        return any(
            hmac.compare_digest(value.encode(), self._secret.encode())
            for line in headers.getlist("cookie")
            for value in _cookies_of(line, self._cookie)
        )

    def _let_in(self, scope: Scope) -> Response:
        """Whoever brings the secret in the address gets the cookie, and the address without it."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == SECRET_PARAMETER]
        is_right = any(hmac.compare_digest(v.encode(), self._secret.encode()) for v in given)
        if scope["type"] != "http" or scope["method"] != "GET" or not is_right:
            return _refused("Open the address that Pace printed when it started, with its secret.")
        rest = urlencode([(name, value) for name, value in query if name != SECRET_PARAMETER])
        # One slash: an address that begins with two would lead to another server.
        path = "/" + scope["path"].lstrip("/\\")
        answer = RedirectResponse(path + (f"?{rest}" if rest else ""), status_code=303)
        answer.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict", path="/")
        answer.headers["cache-control"] = "no-store"
        return answer


def _refused(sentence: str, *, status: int = 403) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return PlainTextResponse(f"{sentence}\n", status_code=status, headers=headers)


def _is_json_or_reading(scope: Scope, headers: Headers) -> bool:
    """What changes something has to be JSON, which no form and no simple request can send."""
    if scope["type"] != "http" or scope["method"] in _READING:
        return True
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"


def _cookies_of(line: str, name: str) -> list[str]:
    try:
        cookies = SimpleCookie(line)
    except CookieError:
        return []
    return [cookies[name].value] if name in cookies else []
