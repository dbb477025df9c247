"""A thread looked at and reset by whoever has its key."""

from pathlib import Path
from urllib.parse import quote

import pytest

from doors.gateway.answering import answering
from doors.gateway.gateways import gateway, user


async def test_look(tmp_path: Path) -> None:
    """A thread tells its session, its summary, what is pending, its window and its end."""
    async with answering() as server, gateway(server.url, tmp_path, window_size=1) as served:
        for number in range(3):
            await served.chat(user(f"My code {number} is KX-{number}."), thread="t")
        await served.parts.background.wait_done(
            (await served.parts.relay.look("", "t")).thread_id  # type: ignore[union-attr]
        )
        held = await served.look("t")
    assert held["id"] == "t"
    assert [pair["number"] for pair in held["window"]] == [3]
    assert held["summary"]["covers"] == 2
    assert "KX-0" in held["summary"]["text"]
    assert held["pending"] == []
    assert held["turns"] == 3


@pytest.mark.parametrize("method", ["delete", "post"])
async def test_reset(tmp_path: Path, method: str) -> None:
    """After a reset nothing that was said is reachable, and another session begins."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        await served.chat(user("I am Ada."), thread="t")
        before = await served.look("t")
        if method == "delete":
            reset = await served.client.delete("/v1/threads/t")
        else:
            reset = await served.client.post("/v1/threads/t/reset")
        after = await served.look("t")
        await served.chat(user("Who am I?"), thread="t")
    assert reset.json() == {"object": "thread.reset", "id": "t", "reset": True}
    assert after["window"] == []
    assert after["session"] != before["session"]
    assert server.prompts[1] == [user("Who am I?")]


async def test_unknown_thread(tmp_path: Path) -> None:
    """A thread of which nothing is held is not found; to have it forget is done already."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        looked = await served.client.get("/v1/threads/t")
        reset = await served.client.delete("/v1/threads/t")
    assert looked.status_code == 404
    assert looked.json()["error"]["code"] == "thread_not_found"
    assert reset.status_code == 200


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "a:b", "a*", "spaces/abc/threads/1", "ünï ✓", "a/reset"]
)
async def test_b132_any_name(tmp_path: Path, name: str) -> None:
    """B132: names with slashes, colons and other signs are threads of their own."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        headers = {"X-Pace-Thread": name.encode()}
        answer = await served.chat(user(f"I am {name}."), headers=headers)
        await served.chat(user("Who am I?"), thread="other")
        looked = await served.client.get(f"/v1/threads/{quote(name, safe='')}")
    assert answer.headers["X-Pace-Thread"] == name
    assert looked.json()["id"] == name
    assert [pair["user"] for pair in looked.json()["window"]] == [f"I am {name}."]
    assert server.prompts[1] == [user("Who am I?")]


async def test_threads_of_users(tmp_path: Path) -> None:
    """A user's thread is looked at by naming the user."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        await served.chat(user("Hello"), thread="t", user="ada")
        without = await served.client.get("/v1/threads/t")
        looked = await served.client.get("/v1/threads/t", params={"user": "ada"})
    assert without.status_code == 404
    assert looked.status_code == 200


async def test_drop_in_threads_have_names(tmp_path: Path) -> None:
    """A conversation whose client names none gets a name that can be looked at and reset."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.chat(user("Hello"))
        name = answer.headers["X-Pace-Thread"]
        looked = await served.client.get(f"/v1/threads/{name}")
    assert name.startswith("auto-")
    assert looked.status_code == 200
