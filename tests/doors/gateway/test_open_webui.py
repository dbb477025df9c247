"""What Open WebUI 0.12 sends through a gateway, its fields and headers as it sends them."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from doors.gateway.answering import Calls, answering
from doors.gateway.gateways import CHAT, MODEL, Served, assistant, gateway, user

CHAT_ID = "002863c6-2687-4dfe-932c-e6b89d57886a"
FORWARDED = {
    "X-OpenWebUI-Auth-Type": "jwt",
    "X-OpenWebUI-User-Name": "User",
    "X-OpenWebUI-User-Id": "6cb5f61f-fbfd-4d64-8e70-6c10b8629225",
    "X-OpenWebUI-User-Email": "admin@localhost",
    "X-OpenWebUI-User-Role": "admin",
    "X-OpenWebUI-Chat-Id": CHAT_ID,
}
CLOCK = {
    "type": "function",
    "function": {
        "name": "get_current_timestamp",
        "description": "Tell the time.",
        "parameters": {"properties": {}, "type": "object"},
    },
}
FOLLOW_UPS = "### Task:\nPredict 3-5 messages\n### Chat History:\n<chat_history>\n</chat_history>"


async def turn(
    served: Served, *messages: dict[str, Any], headers: dict[str, str]
) -> httpx.Response:
    body = {"stream": True, "model": MODEL, "messages": messages, "tools": [CLOCK]}
    return await served.client.post(CHAT, json=body, headers=headers)


async def beside(served: Served, headers: dict[str, str]) -> httpx.Response:
    """A call for follow-up questions, which it makes after each reply."""
    body = {"model": MODEL, "messages": [user(FOLLOW_UPS)], "stream": False}
    return await served.client.post(CHAT, json=body, headers=headers)


@pytest.mark.parametrize("headers", [{}, FORWARDED], ids=["drop-in", "chat id"])
async def test_one_session_and_calls_beside_it(tmp_path: Path, headers: dict[str, str]) -> None:
    """Its turns are one thread and one session, and what it asks beside them is no turn of it."""
    async with (
        answering("Noted.", "{}", "KX-4417.") as server,
        gateway(server.url, tmp_path) as served,
    ):
        first = await turn(served, user("My code is KX-4417."), headers=headers)
        asked = await beside(served, headers)
        history = (user("My code is KX-4417."), assistant("Noted."), user("Which?"))
        second = await turn(served, *history, headers=headers)
    assert asked.headers["X-Pace-Memory"] == "stateless"
    assert server.prompts[1] == [user(FOLLOW_UPS)]
    assert first.headers["X-Pace-Session-Began"] == "1"
    assert second.headers["X-Pace-Session"] == first.headers["X-Pace-Session"]
    assert second.headers["X-Pace-Thread"] == first.headers["X-Pace-Thread"]
    assert (second.headers["X-Pace-Thread"] == CHAT_ID) == bool(headers)


async def test_tool_that_it_calls_within_a_turn(tmp_path: Path) -> None:
    """The tool's answer comes in a second request, of the same turn; the call goes on whole."""
    async with (
        answering(Calls("get_current_timestamp", "{}"), "It is noon.") as server,
        gateway(server.url, tmp_path) as served,
    ):
        await turn(served, user("What time is it?"), headers=FORWARDED)
        called = {"name": "get_current_timestamp", "arguments": "{}"}
        call = {"id": "call_1", "type": "function", "function": called}
        answered = {"role": "tool", "tool_call_id": "call_1", "content": '{"hour": 12}'}
        going_on = (user("What time is it?"), assistant("", tool_calls=[call]), answered)
        last = await turn(served, *going_on, headers=FORWARDED)
    assert server.prompts[1] == list(going_on)
    assert last.headers["X-Pace-Window-Pairs"] == "0"


async def test_reply_that_is_continued(tmp_path: Path) -> None:
    """To continue a reply, it sends that reply as the last message; it goes on as it is."""
    messages = [user("Tell me of Bergen."), assistant("It rains")]
    async with answering(" a lot.") as server, gateway(server.url, tmp_path) as served:
        answer = await turn(served, *messages, headers=FORWARDED)
    assert answer.status_code == 200
    assert server.prompts == [messages]


async def test_temporary_chat(tmp_path: Path) -> None:
    """A temporary chat has an id of its own kind, and goes by it."""
    headers = {**FORWARDED, "X-OpenWebUI-Chat-Id": "temporary:D-TzJfbuca2rePc_AAAD"}
    async with answering("Hello.") as server, gateway(server.url, tmp_path) as served:
        answer = await turn(served, user("Hello"), headers=headers)
    assert answer.headers["X-Pace-Thread"] == "temporary:D-TzJfbuca2rePc_AAAD"
