"""`pace history`: reading, finding, writing out and deleting what was said."""

import click

from pace.doors.cli.commands.flags import Group

_SINCE = click.option(
    "--since", metavar="DAY", help="From this day on: 2026-07-05, today or yesterday."
)
_BEFORE = click.option("--before", metavar="DAY", help="Before this day.")


@click.group(cls=Group, invoke_without_command=True)
@_SINCE
@_BEFORE
@click.option("--limit", metavar="N", default="50", help="How many conversations are listed.")
@click.option("--path", is_flag=True, help="Say where the history's file is.")
@click.pass_context
def history(
    context: click.Context, *, since: str | None, before: str | None, limit: str, path: bool
) -> None:
    """List past conversations, the newest first.

    Everything said is kept in one file on this machine, for you to read, search and delete; the
    model never sees it. ID is the beginning of a conversation's id.
    """
    from pace.doors.cli.history.listing import show_list, show_path  # noqa: PLC0415  # slow

    if path:
        show_path()
    elif context.invoked_subcommand is None:
        show_list(since=since, before=before, limit=limit)
    elif since is not None or before is not None:
        raise click.UsageError(f"Give --since and --before after {context.invoked_subcommand}.")


@history.command("search", context_settings={"ignore_unknown_options": True})
@click.argument("text", nargs=-1, type=click.UNPROCESSED)
@_SINCE
@_BEFORE
@click.option("--limit", metavar="N", default="10", help="How many turns are shown.")
def search_history(
    text: tuple[str, ...], *, since: str | None, before: str | None, limit: str
) -> None:
    """Show the turns that hold every word of TEXT, the best first."""
    from pace.doors.cli.history.finding import search  # noqa: PLC0415  # slow

    search(" ".join(text), since=since, before=before, limit=limit)


@history.command("show")
@click.argument("named", metavar="ID|NUMBER")
def show_history(named: str) -> None:
    """Show a conversation, or a turn by its number, word for word."""
    from pace.doors.cli.history.showing import show  # noqa: PLC0415  # slow

    show(named)


@history.command("export")
@click.argument("beginning", metavar="[ID]", required=False)
@click.option(
    "--format", "written_as", metavar="FORMAT", help="jsonl, or markdown, as a FILE.md is."
)
@click.option("--output", metavar="FILE", help="A file that only you may read.")
@click.option("--force", is_flag=True, help="Replace the file, if it is there.")
@_SINCE
@_BEFORE
def export_history(
    beginning: str | None,
    *,
    written_as: str | None,
    output: str | None,
    force: bool,
    since: str | None,
    before: str | None,
) -> None:
    """Write out one conversation, or everything."""
    from pace.doors.cli.history.exporting import export  # noqa: PLC0415  # slow

    export(
        beginning,
        written_as=written_as,
        output=output,
        may_replace=force,
        since=since,
        before=before,
    )


@history.command("delete")
@click.option("--turn", metavar="N", help="One turn, by its number.")
@click.option("--conversation", metavar="ID", help="All turns of a conversation.")
@click.option("--before", metavar="DAY", help="All that was said before this day.")
@click.option("--all", "everything", is_flag=True, help="The whole history.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def delete_history(
    *,
    turn: str | None,
    conversation: str | None,
    before: str | None,
    everything: bool,
    is_sure: bool,
) -> None:
    """Delete for good: no trace is left in the history's file."""
    from pace.doors.cli.history.deleting import delete  # noqa: PLC0415  # slow

    delete(
        turn=turn,
        conversation=conversation,
        before=before,
        everything=everything,
        is_sure=is_sure,
    )


@history.command("rename")
@click.argument("beginning", metavar="ID")
@click.argument("name", nargs=-1)
def rename_conversation(beginning: str, name: tuple[str, ...]) -> None:
    """Call a conversation by a NAME; without one, by its first words again."""
    from pace.doors.cli.history.listing import rename  # noqa: PLC0415  # slow

    rename(beginning, " ".join(name))


@history.command("where")
def where_history() -> None:
    """Say where the history's file is."""
    from pace.doors.cli.history.listing import show_path  # noqa: PLC0415  # slow

    show_path()
