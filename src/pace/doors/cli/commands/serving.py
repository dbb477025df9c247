"""`pace serve` and `pace keys`: answering other programs, and letting them in."""

import click

from pace.doors.cli.commands.flags import (
    WHAT_IS_HELD,
    WHO_ANSWERS,
    Group,
    NamesItself,
    with_flags,
)


@click.command(cls=NamesItself)
@with_flags((*WHO_ANSWERS, *WHAT_IS_HELD))
@click.option("--port", metavar="N", help="The port, 8642 unless set; 0 takes any that is free.")
@click.option("--host", metavar="NAME", help="The address to listen on; by default 127.0.0.1.")
@click.option(
    "--upstream",
    "upstreams",
    metavar="URL",
    multiple=True,
    help="An OpenAI-compatible server that answers; several share the work.",
)
@click.option("--upstream-key-env", metavar="NAME", help="The environment variable with their key.")
@click.option(
    "--store",
    metavar="URL",
    help="A Redis or Valkey for the threads; a password is better in PACE_SERVE__STORE.",
)
@click.option(
    "--store-accepts-persistence",
    is_flag=True,
    help="Use it even if it writes to a disk.",
)
@click.option("--workers", metavar="N", help="How many processes serve; needs --store.")
@click.option(
    "--allow-host",
    "allow_hosts",
    metavar="NAME",
    multiple=True,
    help="A further name by which clients call this machine, such as a proxy's.",
)
@click.option(
    "--allow-origin",
    "allow_origins",
    metavar="ORIGIN",
    multiple=True,
    help="A site whose pages may speak to it.",
)
@click.option("--journal", is_flag=True, help="Keep its turns in the history.")
@click.option("--summary-tokens", metavar="N", help="How long a summary may be, 200 to 1200.")
@click.option("--log-format", metavar="FORMAT", help="json or text.")
@click.option("--traces", is_flag=True, help="Send OpenTelemetry traces, without words.")
@click.option("--keys", "keys_file", metavar="FILE", help="Where its keys are kept.")
# Flags of every other door: what the first asks for is no affair of this one, and what the second
# does is so without it.
@click.option("--system", hidden=True)
@click.option("--no-history", is_flag=True, hidden=True)
def serve(
    *,
    tier: str | None,
    base_url: str | None,
    model: str | None,
    window: str | None,
    idle: str | None,
    system: str | None,
    no_history: bool,
    summary_tokens: str | None,
    **given: str | bool | tuple[str, ...] | None,
) -> int:
    """Serve OpenAI-compatible clients, with memory for each of their conversations."""
    from pace.doors.cli.serve import serve as serve_clients  # noqa: PLC0415  # slow

    if system is not None:
        raise click.UsageError("Clients bring their own instructions. Leave out --system.")
    if no_history and given["journal"]:
        raise click.UsageError("--journal and --no-history exclude each other. Leave one out.")
    flags = {
        "tier": tier,
        "base_url": base_url,
        "model": model,
        "window": window,
        "idle": idle,
        "summary_tokens": summary_tokens,
    }
    return serve_clients(given, flags)


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def keys(context: click.Context) -> None:
    """Keys that let other machines use the gateway, `pace serve`; by itself it lists them."""
    if context.invoked_subcommand is None:
        context.invoke(list_keys)


@keys.command("new")
@click.argument("name")
def new_key(name: str) -> None:
    """Make a key, known by NAME, and show it once."""
    from pace.doors.cli.keys import new_key as make  # noqa: PLC0415  # slow

    make(name)


@keys.command("list")
def list_keys() -> None:
    """List the keys by their ids and names."""
    from pace.doors.cli.keys import list_keys as show  # noqa: PLC0415  # slow

    show()


@keys.command("revoke")
@click.argument("key_id", metavar="ID")
def revoke_key(key_id: str) -> None:
    """Have the key ID, or the one key of that name, let nobody in any more."""
    from pace.doors.cli.keys import revoke_key as revoke  # noqa: PLC0415  # slow

    revoke(key_id)
