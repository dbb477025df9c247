"""Who may speak to the gateway, by every byte that anybody could send."""

from pathlib import Path

import httpx
import orjson
import pytest
from starlette.responses import PlainTextResponse

from doors.gateway.answering import answering
from doors.gateway.gateways import CHAT, MODEL, gateway, user
from doors.sockets import ask, upgrade
from pace.doors.gateway.admission import Admission, Doorstep
from pace.doors.gateway.keys import KeyFile, KeyRing

BODY = {"model": MODEL, "messages": [user("Hello")]}


async def test_loopback_needs_no_key(tmp_path: Path) -> None:
    """On this machine any api_key does, since clients have to be given one."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        for headers in ({}, {"Authorization": "Bearer none"}, {"Authorization": "Basic eDp5"}):
            answer = await served.client.post(CHAT, json=BODY, headers=headers)
            assert answer.status_code == 200


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_hosts_of_this_machine(tmp_path: Path, name: str) -> None:
    """Loopback's names with the bound port pass."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await ask(served.port, "/v1/models", [("Host", f"{name}:{served.port}")])
    assert answer.status == 200


async def test_hosts_of_others(tmp_path: Path) -> None:
    """A name that was made to lead here, another port, no Host and two are refused."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        own = ("Host", f"127.0.0.1:{served.port}")
        for headers in (
            [("Host", f"evil.example:{served.port}")],
            [("Host", "127.0.0.1:1")],
            [own, own],
        ):
            answer = await ask(served.port, "/v1/models", headers)
            assert answer.status in {400, 403}
            assert not server.server.requests_to("/v1/models")


async def test_pages_of_others(tmp_path: Path) -> None:
    """A page of another site may not ask, whether it names itself or the browser does."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            answer = await served.client.post(CHAT, json=BODY, headers=headers)
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
    assert server.sent == []


async def test_pages_that_may(tmp_path: Path) -> None:
    """A page of a site that is named may ask, and read what it is told."""
    origin = "https://chat.example"
    async with (
        answering() as server,
        gateway(server.url, tmp_path, origins=(origin,)) as served,
    ):
        asked = await served.client.options(
            CHAT,
            headers={
                "Origin": origin,
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization, content-type",
            },
        )
        answer = await served.client.post(CHAT, json=BODY, headers={"Origin": origin})
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-headers"] == "authorization, content-type"
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert "X-Pace-Thread" in answer.headers["access-control-expose-headers"]


async def test_key_that_is_none(tmp_path: Path) -> None:
    """Whoever shows a key of Pace's means it, so one that lets nobody in is refused here, too."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        headers = {"Authorization": "Bearer pace-revoked"}
        answer = await served.client.post(CHAT, json=BODY, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_api_key"
    assert "mistyped or revoked" in answer.json()["error"]["message"]


async def test_proxies_hand_on_what_others_ask(tmp_path: Path) -> None:
    """A request that came through a proxy on this machine is not of this machine."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        for header in (
            *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Server"),
            *("X-Forwarded-Port", "Forwarded", "Via", "X-Real-IP", "X-Client-IP"),
            *("CF-Connecting-IP", "True-Client-IP"),
        ):
            answer = await served.client.post(CHAT, json=BODY, headers={header: "127.0.0.1"})
            assert answer.status_code == 401


@pytest.mark.parametrize("name", ["Authorization", "X-Pace-Thread"])
async def test_headers_that_may_be_there_once(tmp_path: Path, name: str) -> None:
    """Two keys or two threads are nobody's: a proxy might have read the other one."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        host = ("Host", f"127.0.0.1:{served.port}")
        answer = await ask(served.port, "/v1/models", [host, (name, "a"), (name.lower(), "b")])
    assert answer.status == 400
    assert name in answer.body


async def test_websockets_are_not_taken(tmp_path: Path) -> None:
    """Nothing here speaks by websocket."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await upgrade(served.port, CHAT, [("Host", f"127.0.0.1:{served.port}")])
    assert answer.status in {400, 403, 404, 405}


@pytest.mark.parametrize("path", ["/v1/models", "/metrics", "/openapi.json", "/v1/threads/t"])
async def test_other_machines_need_a_key(tmp_path: Path, path: str) -> None:
    """Where other machines can ask, everything needs a key but whether the gateway is well."""
    file = KeyFile(tmp_path / "keys.json")
    _, key = file.add("laptop", made_on="today")
    doorstep = Doorstep.of(port=80, names={"gateway"}, is_loopback=False)
    app = Admission(PlainTextResponse("in"), doorstep=doorstep, keys=KeyRing(file))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as client:
        without = await client.get(path)
        wrong = await client.get(path, headers={"Authorization": "Bearer none"})
        right = await client.get(path, headers={"Authorization": f"Bearer {key}"})
        health = await client.get("/healthz")
    assert without.status_code == wrong.status_code == 401
    assert right.status_code == health.status_code == 200


async def test_limits_of_a_key(tmp_path: Path) -> None:
    """A key that asks too often is told so as OpenAI's clients know it."""
    async with answering() as server, gateway(server.url, tmp_path, per_minute=1) as served:
        _, key = served.keys.add("laptop", made_on="today")
    async with answering() as server, gateway(server.url, tmp_path, per_minute=1) as served:
        headers = {"Authorization": f"Bearer {key}"}
        first = await served.client.post(CHAT, json=BODY, headers=headers)
        second = await served.client.post(CHAT, json=BODY, headers=headers)
    assert first.status_code == 200
    assert second.status_code == 429
    assert second.json()["error"]["type"] == "rate_limit_error"
    assert int(second.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/models"),
        ("GET", "/v1/threads/t"),
        ("POST", "/v1/threads/t/reset"),
        ("POST", "/v1/embeddings"),
        ("POST", "/v1/responses"),
    ],
)
async def test_everything_is_asked_within_limits(tmp_path: Path, method: str, path: str) -> None:
    """What is no turn counts too, since it also has somebody work."""
    _, key = KeyFile(tmp_path / "keys.json").add("laptop", made_on="today")
    async with answering() as server, gateway(server.url, tmp_path, per_minute=1) as served:
        headers = {"Authorization": f"Bearer {key}"}
        await served.client.get("/v1/models", headers=headers)
        second = await served.client.request(method, path, headers=headers)
    assert second.status_code == 429


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b"[" * 50_000, {}, 400),
        (b'{"messages": NaN}', {}, 400),
        (b'"' + b"x" * 200_001 + b'"', {}, 413),
        (b"\xff", {}, 400),
        (b"{}", {"Content-Encoding": "gzip"}, 415),
        (orjson.dumps({"messages": [user("")] * 5001}), {}, 400),
        (orjson.dumps({"tools": [[]] * 50_001}), {}, 400),
    ],
)
async def test_bodies_that_cannot_be(
    tmp_path: Path, content: bytes, headers: dict[str, str], status: int
) -> None:
    """A body that is too large or is no object is refused before anything else is done."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, longest_body=200_000) as served,
    ):
        answer = await served.client.post(
            CHAT, content=content, headers={"Content-Type": "application/json", **headers}
        )
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    assert server.sent == []


async def test_bodies_without_a_length(tmp_path: Path) -> None:
    """A body that comes in pieces is cut off where it is too large."""

    async def pieces() -> object:
        for _ in range(200):
            yield b"x" * 1000

    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post(
            CHAT,
            content=pieces(),  # type: ignore[arg-type]
            headers={"Content-Type": "application/json"},
        )
    assert answer.status_code == 413
