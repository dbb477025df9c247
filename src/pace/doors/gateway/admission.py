"""Who may speak to the gateway: asked before any work, of every request.

On loopback no key is needed, but the connection, the address that was meant (Host) and the page
that asks (Origin) all have to be of this machine: a page from anywhere can make a browser send
requests there. Anything else needs a key.
"""

import ipaddress
import math
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pace.doors.gatekeeper import hosts_of
from pace.doors.gateway.faults import Fault
from pace.doors.gateway.keys import KEY_BEGINS, KeyRing
from pace.doors.gateway.told import TOLD

KEY_ID = "pace.key_id"
"""Where a request's scope holds the id of its key; empty for whoever needs none."""
# What is asked by whoever looks after processes, and says nothing of anybody.
_OPEN_PATHS = frozenset({"/healthz", "/readyz"})
# A proxy hands on what others ask, however near it is itself.
_PROXY_HEADERS = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-forwarded-port",
    "x-real-ip",
    "x-client-ip",
    "cf-connecting-ip",
    "true-client-ip",
)
# Whoever stands between might read the one, and the gateway the other.
_ONCE = ("Authorization", "X-Pace-Thread")
# Whoever tries many keys does not fill the log.
_QUIET_SECONDS = 1.0
_NO_PAGE = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorstep:
    """Where a gateway stands. `takes_own_address` is for one that listens everywhere.

    It is meant by one of its `hosts`, and as this machine itself by one of its `local_hosts`.
    """

    hosts: frozenset[str]
    local_hosts: frozenset[str]
    is_loopback: bool
    takes_own_address: bool = False
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        *,
        port: int,
        names: Collection[str],
        is_loopback: bool,
        takes_own_address: bool = False,
        origins: Collection[str] = (),
    ) -> "Doorstep":
        """The doorstep of a server on this port that may be called by these names."""
        return cls(
            # Behind a proxy, or a port that leads here, a name comes with another port or none.
            hosts=hosts_of(names, port) | {name.lower() for name in names},
            local_hosts=hosts_of((), port),
            is_loopback=is_loopback,
            takes_own_address=takes_own_address,
            origins=frozenset(origin.lower().rstrip("/") for origin in origins),
        )


class Admission:
    """Lets a request through to `app`, with its key's id in its scope, or refuses it."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        doorstep: Doorstep,
        keys: KeyRing,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`tell` gets a sentence when a key is refused, at most once a second."""
        self.app = app
        self._tell = tell
        self._told_at = -math.inf
        self._doorstep = doorstep
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then hand over."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "").lower()
        if origin in self._doorstep.origins:
            send = _allowing(origin, send)
        answer = self._answer(scope, headers, origin)
        if answer is None:
            await self.app(scope, receive, send)
        else:
            await answer(scope, receive, send)

    def _answer(self, scope: Scope, headers: Headers, origin: str) -> Response | None:
        """The answer to a request that goes no further; None for one that may."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_meant(scope, hosts[0].lower()):
            return _refused(
                "This address is not the gateway's. Start it with --allow-host NAME if it is meant "
                "by that name."
            )
        if not self._may_ask(headers, origin, hosts[0].lower()):
            return _refused(
                "Another site's page may not speak to the gateway. Start it with --allow-origin "
                "if it may."
            )
        if origin in self._doorstep.origins and scope["method"] == "OPTIONS":
            return _preflight(headers)
        for name in _ONCE:
            if len(headers.getlist(name)) > 1:
                return _refused(
                    f"The request has two headers {name}. Send one.", status=HTTPStatus.BAD_REQUEST
                )
        if scope["path"] in _OPEN_PATHS:
            scope[KEY_ID] = ""
            return None
        return self._identify(scope, headers)

    def _identify(self, scope: Scope, headers: Headers) -> Response | None:
        kind, _, key = headers.get("authorization", "").partition(" ")
        key = key.strip()
        is_bearer = kind.lower() == "bearer"
        if is_bearer and (key_id := self._keys.id_of(key)) is not None:
            scope[KEY_ID] = key_id
            return None
        # Clients have to be given some key: on this machine, one that is none of ours does nothing.
        if not (is_bearer and key.startswith(KEY_BEGINS)) and self._is_local(scope, headers):
            scope[KEY_ID] = ""
            return None
        if time.monotonic() - self._told_at >= _QUIET_SECONDS:
            self._told_at = time.monotonic()
            self._tell("A request without a key that is known was refused (401).")
        if is_bearer and key.startswith(KEY_BEGINS):
            return _unidentified(
                "This key is not known here: mistyped or revoked. `pace keys list` shows those "
                "that are, where the gateway runs."
            )
        return _unidentified(
            "This needs a key of the gateway's, as  Authorization: Bearer pace-…  Make one where "
            "it runs: pace keys new NAME"
        )

    def _is_local(self, scope: Scope, headers: Headers) -> bool:
        """Whether somebody on this machine asks, who means this machine."""
        peer = scope.get("client")
        if not self._doorstep.is_loopback or peer is None or not _is_loopback(peer[0]):
            return False
        if any(name in headers for name in _PROXY_HEADERS):
            return False
        return headers["host"].lower() in self._doorstep.local_hosts

    def _is_meant(self, scope: Scope, host: str) -> bool:
        if host in self._doorstep.hosts:
            return True
        server = scope.get("server")
        if not self._doorstep.takes_own_address or server is None:
            return False
        return host in hosts_of({str(server[0]).removeprefix("::ffff:")}, server[1])

    def _may_ask(self, headers: Headers, origin: str, host: str) -> bool:
        """Whether no page asks, or one that may; browsers tell of every request where it began."""
        origins = headers.getlist("origin")
        if len(origins) > 1:
            return False
        if origins:
            return origin in {f"http://{host}", f"https://{host}"} | self._doorstep.origins
        return all(site in _NO_PAGE for site in headers.getlist("sec-fetch-site"))


def _is_loopback(peer: str) -> bool:
    if peer in {"127.0.0.1", "::1"}:
        return True
    try:
        address = ipaddress.ip_address(peer.removeprefix("::ffff:"))
    except ValueError:
        return False
    return address.is_loopback


def _refused(
    sentence: str,
    *,
    status: int = HTTPStatus.FORBIDDEN,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    return Fault(status=status, message=sentence, code=code, headers=headers or {}).response()


def _unidentified(sentence: str) -> Response:
    return _refused(
        sentence,
        status=HTTPStatus.UNAUTHORIZED,
        code="invalid_api_key",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _preflight(headers: Headers) -> Response:
    return Response(
        status_code=HTTPStatus.NO_CONTENT,
        headers={
            "Access-Control-Allow-Methods": "GET, POST, DELETE",
            "Access-Control-Allow-Headers": headers.get("access-control-request-headers", ""),
            "Access-Control-Max-Age": "600",
        },
    )


def _allowing(origin: str, send: Send) -> Send:
    """Answers that a page of this origin may read."""

    async def send_allowing(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", [])))
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = ", ".join(TOLD)
            headers.add_vary_header("Origin")
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_allowing
