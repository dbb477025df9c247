"""`pace actions` and `pace mcp`: what Pace can do on this machine, and through whom."""

import click

from pace.doors.cli.commands.flags import Group


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def actions(context: click.Context) -> None:
    """List what Pace can do on this machine, and what it may do without asking."""
    if context.invoked_subcommand is None:
        from pace.doors.cli.acting import show_actions  # noqa: PLC0415  # slow

        show_actions()


@actions.command("on")
def switch_actions_on() -> None:
    """Let Pace act; it asks before it changes anything."""
    from pace.doors.cli.acting import switch  # noqa: PLC0415  # slow

    switch(on=True)


@actions.command("off")
def switch_actions_off() -> None:
    """Let Pace do nothing but talk."""
    from pace.doors.cli.acting import switch  # noqa: PLC0415  # slow

    switch(on=False)


@actions.command("allow")
@click.argument("name")
def allow_action(name: str) -> None:
    """Let the action NAME run without asking each time."""
    from pace.doors.cli.acting import allow  # noqa: PLC0415  # slow

    allow(name)


@actions.command("ask")
@click.argument("name")
def have_action_ask(name: str) -> None:
    """Have the action NAME ask each time again."""
    from pace.doors.cli.acting import ask  # noqa: PLC0415  # slow

    ask(name)


@actions.command("run")
@click.argument("name")
@click.option("--args", "arguments", metavar="JSON", default="{}", help="What it takes.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def run_action(name: str, *, arguments: str, is_sure: bool) -> None:
    """Do the action NAME once, to try it out."""
    from pace.doors.cli.acting import run as run_once  # noqa: PLC0415  # slow

    run_once(name, arguments=arguments, is_sure=is_sure)


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def mcp(context: click.Context) -> None:
    """List the MCP servers that are set up, and the tools that they offer as actions."""
    if context.invoked_subcommand is None:
        from pace.doors.cli.mcp_servers import show_servers  # noqa: PLC0415  # slow

        show_servers()


@mcp.command("path")
def show_mcp_path() -> None:
    """Say where the file with the servers is."""
    from pace.doors.cli.mcp_servers import show_path  # noqa: PLC0415  # slow

    show_path()


@mcp.command("check")
@click.argument("name")
def check_mcp_server(name: str) -> None:
    """Connect to the server NAME, and say all that is known of it."""
    from pace.doors.cli.mcp_servers import check_server  # noqa: PLC0415  # slow

    check_server(name)
