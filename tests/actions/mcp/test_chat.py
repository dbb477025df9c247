"""A tool of a published MCP server, used from `pace chat` as a program does."""

import asyncio
import json
from pathlib import Path

from actions.mcp.served import write_servers
from actions.mcp.test_published import TIME
from doors.running import CHAT, Line, Machine, chat_server, machine
from planners.raw_server import DONE, EVENT_STREAM, Request, delta, event

QUESTION = "What time is it in Tokyo?"
ASKING = json.dumps(
    {
        "spokenText": "I will look.",
        "intent": "action",
        "payload": {"name": "time_get_current_time", "args": {"timezone": "Asia/Tokyo"}},
    }
)
PLAIN = json.dumps({"spokenText": "You are welcome.", "intent": "answer", "payload": {}})
ENABLED = {"PACE_ACTIONS__ENABLED": "true"}


async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
    """Asks for the tool where the model is told of it and the person asks for the time."""
    first, *_, last = request.json["messages"]
    asks = "time_get_current_time" in first["content"] and last["content"].endswith(QUESTION)
    reply = event(delta(ASKING if asks else PLAIN)) + event(delta(None, finish="stop"))
    writer.write(EVENT_STREAM + reply + DONE)
    await writer.drain()


async def wait_asked(it: Machine) -> Line:
    """Ask until the tool is offered: its server is connected to apart from any turn."""
    while True:
        await it.command("reset")
        await it.send(json.dumps({"text": QUESTION}).encode())
        line = await it.next()
        while line["type"] not in {"ask", "reply", "error"}:
            line = await it.next()
        if line["type"] == "ask":
            return line


async def test_tool_is_listed_approved_run_and_remembered_as_one_line(tmp_path: Path) -> None:
    """The model is told of the tool, the person allows it, it runs, and one line is remembered."""
    write_servers(tmp_path, {"time": TIME})
    async with chat_server() as server, machine(tmp_path, server, env=ENABLED) as it:
        server.server.handlers[CHAT] = answer
        async with asyncio.timeout(120):
            asked = await wait_asked(it)
        replied = (await it.ask({"command": "allow"}))[-1]
        memory = await it.command("memory")
        await it.say("Thanks!")
        after = server.sent[-1]
        _, _, complaints = await it.end()
    assert asked["action"] == "time_get_current_time"
    assert asked["would"] == 'run get_current_time of "time" with timezone "Asia/Tokyo"'
    assert replied["text"] == "I will look.\n\nRan get_current_time (time)."
    assert "timezone: Asia/Tokyo" in "".join(replied["shown"])
    assert memory["window"][-1]["reply"] == replied["text"]
    assert {"role": "assistant", "content": replied["text"]} in after
    assert complaints == ""
