"""A published MCP server, as anybody installs it: mcp-server-time."""

import sys
from pathlib import Path

from actions.mcp.served import serving, write_servers
from doors.running import run_pace
from pace.ports import Risk

TIME = {
    "command": str(Path(sys.executable).with_name("mcp-server-time")),
    "args": ["--local-timezone", "Europe/Berlin"],
}


async def test_time_server_is_used(tmp_path: Path) -> None:
    """Its tools are listed with their arguments, one is run, and a failure is the tool's own."""
    async with serving(tmp_path, time=TIME) as served:
        assert served.names == ["time_get_current_time", "time_convert_time"]
        now = served.action("time_get_current_time")
        assert now.traits.risk is Risk.LOW
        assert now.traits.arguments["required"] == ["timezone"]
        result = await served.run("time_get_current_time", timezone="Asia/Tokyo")
        failed = await served.run("time_get_current_time", timezone="Nowhere/Land")
    assert result.line == "Ran get_current_time (time)."
    assert "timezone: Asia/Tokyo" in result.shown
    assert failed.line == "get_current_time (time) said that it failed."
    assert "Nowhere" in failed.shown
    assert "Nowhere" not in failed.line


async def test_servers_are_listed_for_people(tmp_path: Path) -> None:
    """`pace mcp` lists each server and its tools, and says which entry cannot be used."""
    empty = await run_pace(tmp_path, "mcp")
    assert empty.out == f"No MCP servers are set up. Name them in {tmp_path / 'mcp.json'}\n"
    write_servers(tmp_path, {"time": TIME, "gone": {"command": "gone-program"}, "bad": {}})
    listed = await run_pace(tmp_path, "mcp")
    assert (listed.status, listed.err) == (0, "")
    assert "time    ready, 2 tools" in listed.out
    assert "gone    cannot be used: its program gone-program is not there." in listed.out
    assert "  time_convert_time  Convert time between timezones\n" in listed.out
    assert 'The MCP server "bad" needs "command" or "url", one of them.' in listed.out


async def test_one_server_is_checked(tmp_path: Path) -> None:
    """`pace mcp check` says all of one server, and fails with its reason if it cannot be used."""
    write_servers(tmp_path, {"time": TIME, "gone": {"command": "gone-program"}})
    good = await run_pace(tmp_path, "mcp", "check", "time")
    assert good.status == 0
    assert "    takes source_timezone, time, target_timezone; risk: low\n" in good.out
    bad = await run_pace(tmp_path, "mcp", "check", "gone")
    assert bad.status == 1
    assert bad.err == (
        "pace: The MCP server 'gone' cannot be used: its program gone-program is not there. "
        "Install it first.\n"
    )
    unknown = await run_pace(tmp_path, "mcp", "check", "other")
    assert (unknown.status, unknown.err.count("\n")) == (2, 1)
