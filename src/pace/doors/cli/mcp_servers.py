"""`pace mcp`: the MCP servers that are set up, whether they answer, and what they offer."""

import asyncio
from collections.abc import Iterator

import click

from pace.actions.mcp.config import McpConfig, read_config
from pace.actions.mcp.reports import ServerReport, ServerState
from pace.actions.mcp.servers import McpServers
from pace.actions.places import mcp_file
from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fitting_width import show_table
from pace.doors.safe_text import safe_line
from pace.errors import ActionError, SettingsError
from pace.settings_file import SettingsFile

_LIST_LIMIT = 20.0
_CHECK_LIMIT = 180.0
_MOST_LEFT_OUT = 10


def show_servers() -> None:
    """Every server, where it stands, and its tools."""
    settings = SettingsFile.open().current
    config = read_config(mcp_file(settings.actions.mcp_file))
    reports = _reports(config, limit=_LIST_LIMIT)
    if reports:
        rows = [
            (safe_line(report.name), _standing(report), report.host or "this machine")
            for report in reports
        ]
        show_table(("SERVER", "STATE", "AT"), rows)
    for report in reports:
        for line in _tool_lines(report):
            click.echo(line)
    _show_faults(config)
    if not reports and not config.faults:
        click.echo(f"No MCP servers are set up. Name them in {config.path}")
    if reports and not settings.actions.enabled:
        click.echo("Actions are off. Let Pace use these with: pace settings actions.enabled true")


def show_path() -> None:
    """Where the file with the servers is, or would be."""
    click.echo(str(mcp_file(SettingsFile.open().current.actions.mcp_file)))


def check_server(name: str) -> None:
    """One server with all that is known of it. Raises ActionError if it cannot be used."""
    config = read_config(mcp_file(SettingsFile.open().current.actions.mcp_file))
    servers = tuple(server for server in config.servers if server.name == name)
    if name in config.disabled:
        raise SettingsError(f"The MCP server {name!r} is switched off in {config.path}.")
    if not servers:
        _show_faults(config)
        raise SettingsError(f"There is no MCP server {name!r} that can be used in {config.path}.")
    alone = McpConfig(path=config.path, servers=servers)
    (report,) = _reports(alone, limit=_CHECK_LIMIT)
    click.echo(f"{safe_line(report.name)}: {_standing(report)}")
    click.echo(f"  it is {f'at {report.host}' if report.host else 'on this machine'}")
    for line in _tool_lines(report, in_full=True):
        click.echo(line)
    if report.complaint:
        click.echo("  its program said last:")
        for line in report.complaint.splitlines():
            click.echo(f"    {safe_line(line)}")
    if report.state is not ServerState.READY:
        trouble = report.trouble or f"it did not answer within {_CHECK_LIMIT:.0f} seconds"
        raise ActionError(f"The MCP server {name!r} cannot be used: {trouble}.")


def _reports(config: McpConfig, *, limit: float) -> tuple[ServerReport, ...]:
    return run_until_ended(_ask(McpServers(config), limit))


async def _ask(servers: McpServers, limit: float) -> tuple[ServerReport, ...]:
    """Where each stands once it has answered or failed, or the time is up; then all are ended."""
    async with asyncio.TaskGroup() as group:
        life = group.create_task(servers.run(), name="mcp")
        try:
            async with asyncio.timeout(limit):
                await servers.wait_settled()
        except TimeoutError:
            pass
        reports = servers.reports()
        life.cancel()
    return reports


def _standing(report: ServerReport) -> str:
    if report.state in {ServerState.WAITING, ServerState.GIVEN_UP}:
        return f"cannot be used: {safe_line(report.trouble)}"
    if report.state is ServerState.CONNECTING:
        return "has not answered yet"
    if report.state is ServerState.READY:
        number = len(report.offered)
        return f"ready, {number} tool{'' if number == 1 else 's'}"
    return str(report.state)


def _tool_lines(report: ServerReport, *, in_full: bool = False) -> Iterator[str]:
    for action in report.offered:
        traits = action.traits
        yield f"  {traits.name}  {safe_line(traits.description)}"
        if in_full:
            taken = traits.arguments.get("properties")
            names = ", ".join(taken) if isinstance(taken, dict) and taken else "nothing"
            yield f"    takes {safe_line(names)}; risk: {traits.risk}"
    most = len(report.left_out) if in_full else _MOST_LEFT_OUT
    for tool, why in report.left_out[:most]:
        yield f"  left out: {safe_line(tool)}, since {why}"
    if len(report.left_out) > most:
        yield f"  left out: {len(report.left_out) - most:,} more"


def _show_faults(config: McpConfig) -> None:
    for fault in config.faults:
        click.echo(safe_line(fault))
