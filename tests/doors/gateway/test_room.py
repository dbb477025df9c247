"""How much the requests under way may take up together."""

import asyncio
from pathlib import Path

import pytest

from doors.gateway.answering import Held, answering
from doors.gateway.gateways import CHAT, MODEL, Served, gateway, user
from pace.doors.gateway.faults import RefusedError
from pace.doors.gateway.keys import KeyFile
from pace.doors.gateway.room import Room

STREAMED = {"model": MODEL, "stream": True, "messages": [user("Hello")]}


async def begun(served: Served, body: bytes = b"", key: str = "") -> bytes:
    """What is answered to a request of which no more than this comes; its first bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    try:
        head = (
            f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: 90000\r\n"
            f"Authorization: Bearer {key or 'none'}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        return await reader.readuntil(b"\r\n\r\n")
    finally:
        writer.close()


def test_requests_at_once() -> None:
    """A process that has as many requests as it may have takes no other until one ends."""
    room = Room(most_requests=1)
    with room.place():
        with pytest.raises(RefusedError) as refused, room.place():
            pass
        assert refused.value.fault.status == 503
        assert refused.value.fault.headers["Retry-After"] == "1"
    with room.place():
        pass


def test_bodies_at_once() -> None:
    """Bodies share their room, and what was held is free when a request ends."""
    room = Room(most_bytes=100)
    with room.place() as one, room.place() as other:
        one.hold(60)
        with pytest.raises(RefusedError):
            other.hold(60)
        one.let_go()
        other.hold(60)
    with room.place() as one:
        one.hold(100)


async def test_bodies_for_which_there_is_no_room(tmp_path: Path) -> None:
    """A body is refused as soon as it needs more room than there is."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, room=Room(most_bytes=50_000)) as served,
    ):
        answer = await begun(served, b"x" * 50_001)
        later = await served.chat(user("word " * 5000))
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1" in answer
    assert later.status_code == 200


async def test_a_body_that_does_not_come(tmp_path: Path) -> None:
    """Nobody waits for a body that nobody sends."""
    async with (
        answering() as server,
        gateway(server.url, tmp_path, room=Room(silence=0.05)) as served,
    ):
        answer = await begun(served, b"{")
    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_no_place_no_body(tmp_path: Path) -> None:
    """A key that has no turn left is told so before its body is there."""
    _, key = KeyFile(tmp_path / "keys.json").add("laptop", made_on="today")
    headers = {"Authorization": f"Bearer {key}"}
    held = Held("Once")
    async with answering(held) as server, gateway(server.url, tmp_path, at_once=1) as served:
        async with served.client.stream("POST", CHAT, json=STREAMED, headers=headers) as answer:
            assert answer.status_code == 200
            refused = await begun(served, key=key)
            looked = await served.client.get("/v1/models", headers=headers)
            held.gate.set()
            await answer.aread()
        again = await served.client.post(CHAT, json=STREAMED, headers=headers)
    assert refused.startswith(b"HTTP/1.1 429 ")
    assert looked.status_code == again.status_code == 200
