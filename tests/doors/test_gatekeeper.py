"""The gatekeeper before a server that counts what gets past it, over real sockets."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
import uvicorn
from starlette.types import Receive, Scope, Send

from doors.sockets import Answer, Headers, ask, upgrade
from pace.doors.gatekeeper import Gatekeeper, hosts_of

SECRET, TICKET = "right-secret", "right-ticket"
KINDS = ["http", "websocket"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(slots=True)
class Counting:
    """An application that lets everything in, and notes it."""

    came: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return
        self.came.append(scope["path"])
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@dataclass(frozen=True, slots=True)
class Gate:
    """A server with a gatekeeper, and what got past it."""

    port: int
    counting: Counting

    def fill(self, text: str) -> str:
        return text.replace("PORT", str(self.port)).replace("OTHER", str(self.port + 1))

    def headers(self, *more: tuple[str, str], cookie: str = f"pace={SECRET}") -> Headers:
        """What a browser that was let in sends, and more."""
        own = [("Host", "127.0.0.1:PORT"), *([("Cookie", cookie)] if cookie else []), *more]
        return [(name, self.fill(value)) for name, value in own]

    async def knock(self, kind: str, headers: Headers) -> Answer:
        filled = [(name, self.fill(value)) for name, value in headers]
        if kind == "websocket":
            return await upgrade(self.port, "/talk", filled)
        return await ask(self.port, "/page", filled)


@asynccontextmanager
async def opened_gate(*, takes_own_address: bool = False) -> AsyncIterator[Gate]:
    counting = Counting()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        gate = Gatekeeper(
            counting,
            hosts=hosts_of({"pace.example"}, port),
            secret=SECRET,
            cookie="pace",
            ticket=TICKET,
            takes_own_address=takes_own_address,
        )
        server = uvicorn.Server(uvicorn.Config(gate, log_config=None, lifespan="off"))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield Gate(port, counting)
        finally:
            server.should_exit = True
            await serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gate() -> AsyncIterator[Gate]:
    async with opened_gate() as opened:
        yield opened


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1:PORT", "localhost:PORT", "LocalHost:PORT", "[::1]:PORT"),
        "Pace.example:PORT",
    ],
)
async def test_a_host_that_means_this_server_passes(gate: Gate, kind: str, host: str) -> None:
    """Loopback's names and those that were given, with the port that is bound, in any case."""
    answer = await gate.knock(kind, [("Host", host), ("Cookie", f"pace={SECRET}")])
    assert answer.status == (101 if kind == "websocket" else 200)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["127.0.0.1:PORT", "127.0.0.1:PORT"],
        ["127.0.0.1:PORT", "evil.example:PORT"],
        ["evil.example"],
        ["evil.example:PORT"],
        ["127.0.0.1.evil.example:PORT"],
        ["localhost.evil.example:PORT"],
        ["evil.example:PORT, 127.0.0.1:PORT"],
        ["127.0.0.1:PORT@evil.example"],
        ["evil.example@127.0.0.1:PORT"],
        ["127.0.0.1"],
        ["127.0.0.1:"],
        ["127.0.0.1:OTHER"],
        ["localhost.:PORT"],
        ["127.0.0.2:PORT"],
        ["0.0.0.0:PORT"],
        ["2130706433:PORT"],
        ["::1:PORT"],
    ],
)
async def test_a_host_that_means_another_is_refused(
    gate: Gate, kind: str, hosts: list[str]
) -> None:
    """No Host, two, another's name or another port: 403, with the cookie, before any work."""
    before = len(gate.counting.came)
    headers = [("Cookie", f"pace={SECRET}"), *(("Host", host) for host in hosts)]
    assert (await gate.knock(kind, headers)).status == 403
    assert len(gate.counting.came) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://evil.example:PORT",
        "https://evil.example",
        "null",
        "",
        "http://127.0.0.1:OTHER",
        "http://127.0.0.1",
        "https://127.0.0.1:PORT",
        "http://localhost:PORT",
        "http://127.0.0.1:PORT.evil.example",
        "http://127.0.0.1:PORT@evil.example",
        "http://127.0.0.1:PORT/",
        "chrome-extension://abcdefgh",
        "file://",
    ],
)
async def test_a_page_of_another_is_refused(gate: Gate, kind: str, origin: str) -> None:
    """An Origin that is not this very page's is 403, with the cookie, before any work."""
    before = len(gate.counting.came)
    headers = gate.headers(("Origin", origin))
    assert (await gate.knock(kind, headers)).status == 403
    assert len(gate.counting.came) == before


async def test_an_origin_beside_the_own_is_refused(gate: Gate) -> None:
    """Each Origin has to be the own page's."""
    own, other = ("Origin", "http://127.0.0.1:PORT"), ("Origin", "http://evil.example")
    for pair in ((own, other), (other, own)):
        assert (await gate.knock("http", gate.headers(*pair))).status == 403


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "same-origin, cross-site", "x"])
async def test_a_request_that_began_elsewhere_is_refused(gate: Gate, kind: str, site: str) -> None:
    """What a browser says began on another site, or on a neighbour's, is 403."""
    assert (await gate.knock(kind, gate.headers(("Sec-Fetch-Site", site)))).status == 403


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "more",
    [
        [],
        [("Origin", "http://127.0.0.1:PORT")],
        [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://127.0.0.1:PORT")],
        [("Sec-Fetch-Site", "none")],
    ],
)
async def test_the_own_page_passes_and_so_does_what_is_no_page(
    gate: Gate, kind: str, more: Headers
) -> None:
    """With the cookie, the own origin passes, and a program that names none."""
    answer = await gate.knock(kind, gate.headers(*more))
    assert answer.status == (101 if kind == "websocket" else 200)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "pace=",
        "pace=wrong",
        f"pace={SECRET}x",
        f"pace={SECRET[:-1]}",
        f"pace-1={SECRET}",
        f"xpace={SECRET}",
        f"x=pace={SECRET}",
        f"pace={TICKET}",
        f'pace="{SECRET}"',
        "pace=\xe9",
    ],
)
async def test_without_the_secret_nothing_works(gate: Gate, kind: str, cookie: str) -> None:
    """No cookie, an empty, a wrong, an old one or another's is 403, before any work."""
    before = len(gate.counting.came)
    assert (await gate.knock(kind, gate.headers(cookie=cookie))).status == 403
    assert len(gate.counting.came) == before


@pytest.mark.parametrize(
    "cookie",
    [
        f"a=1; pace={SECRET}",
        f"pace={SECRET};b=2",
        f"pace=wrong; pace={SECRET}",
        f'bad={{"a": [1, 2]}}; pace={SECRET}',
        f"no value; =; pace={SECRET}",
    ],
)
async def test_cookies_of_neighbours_lock_nobody_out(gate: Gate, cookie: str) -> None:
    """Whatever other servers of this machine put into the header, ours is found in it."""
    assert (await gate.knock("http", gate.headers(cookie=cookie))).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "content_type",
    [
        *("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"),
        *("", "application/json-patch+json", "text/plain; application/json", "application/jsonx"),
    ],
)
async def test_what_a_form_could_send_is_refused(
    gate: Gate, method: str, content_type: str
) -> None:
    """A change that is not JSON by its content type is 415, whoever sends it, before any work."""
    before = len(gate.counting.came)
    headers = gate.headers(("Content-Type", content_type))
    answer = await ask(gate.port, "/", headers, method=method, body='{"text": "hi"}')
    assert answer.status == 415
    assert len(gate.counting.came) == before


@pytest.mark.parametrize("content_type", ["application/json", "Application/JSON; charset=utf-8"])
async def test_json_of_the_own_page_passes(gate: Gate, content_type: str) -> None:
    """The same as application/json gets through."""
    headers = gate.headers(("Content-Type", content_type), ("Origin", "http://127.0.0.1:PORT"))
    assert (await ask(gate.port, "/", headers, method="POST", body="{}")).status == 200


async def test_another_site_s_json_is_refused(gate: Gate) -> None:
    """JSON from elsewhere is 403, and so is what a browser asks beforehand."""
    evil = [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")]
    headers = gate.headers(("Content-Type", "application/json"), *evil)
    assert (await ask(gate.port, "/", headers, method="POST", body="{}")).status == 403
    asking = gate.headers(("Access-Control-Request-Method", "POST"), *evil)
    answer = await ask(gate.port, "/", asking, method="OPTIONS")
    assert answer.status == 403
    assert answer.header("access-control-allow-origin") == ""


async def test_the_secret_in_the_address_becomes_a_cookie(gate: Gate) -> None:
    """The answer leads to the same address without it; its cookie is for this site alone."""
    headers = gate.headers(cookie="")
    answer = await ask(gate.port, f"/settings?a=b%20c&secret={SECRET}&d=", headers)
    assert (answer.status, answer.header("location")) == (303, "/settings?a=b+c&d=")
    assert answer.header("cache-control") == "no-store"
    assert answer.header("referrer-policy") == "no-referrer"
    parts = {part.strip().lower() for part in answer.header("set-cookie").split(";")}
    assert parts == {f"pace={SECRET}", "httponly", "samesite=strict", "path=/"}


@pytest.mark.parametrize("target", ["//evil.example", "/%5Cevil.example", "///evil.example/x"])
async def test_letting_in_leads_to_no_other_server(gate: Gate, target: str) -> None:
    """An address that could be read as another server's stays on this one."""
    answer = await ask(gate.port, f"{target}?secret={SECRET}", gate.headers(cookie=""))
    assert answer.status == 303
    assert answer.header("location").startswith("/evil.example")


@pytest.mark.parametrize("query", ["secret=", "secret=wrong", "Secret=right-secret", "x=1", ""])
async def test_a_wrong_secret_lets_nobody_in(gate: Gate, query: str) -> None:
    """Its sentence says what to do; it sets no cookie."""
    answer = await ask(gate.port, f"/?{query}", gate.headers(cookie=""))
    assert answer.status == 403
    assert answer.header("set-cookie") == ""
    assert answer.body == "Open the address that Pace printed when it started, with its secret.\n"


async def test_the_secret_lets_in_by_a_page_s_own_address_alone(gate: Gate) -> None:
    """Not by a websocket, not by a change, and not for another site's link."""
    target, headers = f"/?secret={SECRET}", gate.headers(cookie="")
    assert (await upgrade(gate.port, target, headers)).status == 403
    posted = [*headers, ("Content-Type", "application/json")]
    assert (await ask(gate.port, target, posted, method="POST", body="{}")).status == 403
    linked = [*headers, ("Sec-Fetch-Site", "cross-site")]
    assert (await ask(gate.port, target, linked)).status == 403


async def test_a_ticket_lets_in_once() -> None:
    """Who opens the same address afterwards is refused; the secret still lets in."""
    async with opened_gate() as gate:
        headers = gate.headers(cookie="")
        first = await ask(gate.port, f"/?secret={TICKET}", headers)
        assert (first.status, TICKET in first.header("set-cookie")) == (303, False)
        assert f"pace={SECRET}" in first.header("set-cookie")
        assert (await ask(gate.port, f"/?secret={TICKET}", headers)).status == 403
        assert (await ask(gate.port, f"/?secret={SECRET}", headers)).status == 303


async def test_listening_everywhere_takes_the_address_it_was_reached_at() -> None:
    """Host may then be the very address of the connection, with its port, and no other."""
    async with opened_gate(takes_own_address=True) as gate:
        for host, status in [("127.0.0.1:PORT", 200), ("10.0.0.9:PORT", 403), ("evil:PORT", 403)]:
            headers = [("Host", gate.fill(host)), ("Cookie", f"pace={SECRET}")]
            assert (await ask(gate.port, "/", headers)).status == status


@pytest.mark.parametrize(
    ("names", "port", "more"),
    [
        (set(), 7223, set()),
        ({"Here"}, 7223, {"here:7223"}),
        ({"fe80::1"}, 7223, {"[fe80::1]:7223"}),
        (set(), 80, {"localhost", "127.0.0.1", "[::1]"}),
    ],
)
async def test_hosts_are_names_with_the_port(names: set[str], port: int, more: set[str]) -> None:
    """Names in lower case, addresses of IPv6 in brackets, and no port where it goes without."""
    loopback = {f"{name}:{port}" for name in ("localhost", "127.0.0.1", "[::1]")}
    assert hosts_of(names, port) == loopback | more
