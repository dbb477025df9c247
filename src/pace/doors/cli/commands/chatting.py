"""`pace chat`, `pace web`, `pace settings`: holding a conversation, and how it is held."""

import click

from pace.doors.cli.commands.flags import NamesItself, with_flags


@click.command(cls=NamesItself)
@click.argument("text", nargs=-1)
@with_flags()
@click.option("--jsonl", is_flag=True, help="Machine mode: one JSON object a line, in and out.")
def chat(text: tuple[str, ...], *, jsonl: bool, **flags: str | bool | None) -> int:
    """Hold a conversation, or answer TEXT once.

    Piped input is one message, added to TEXT.
    """
    from pace.doors.cli.talking import hold_chat  # noqa: PLC0415  # slow

    return hold_chat(" ".join(text), jsonl=jsonl, flags=flags)


@click.command(cls=NamesItself)
@with_flags()
@click.option("--port", metavar="N", default="7223", help="The port; 0 takes any that is free.")
@click.option("--host", metavar="NAME", default="127.0.0.1", help="The address to listen on.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def web(*, port: str, host: str, no_open: bool, **flags: str | bool | None) -> int:
    """Hold the conversation in a window of your browser."""
    from pace.doors.cli.web import hold_window  # noqa: PLC0415  # slow

    return hold_window(host=host, port=port, opens_browser=not no_open, flags=flags)


@click.command(cls=NamesItself)
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option("--path", is_flag=True, help="Say where the settings file is.")
@click.option("--reset", metavar="NAME", help="Give a setting its default again.")
def settings(name: str | None, value: str | None, *, path: bool, reset: str | None) -> None:
    """List the settings, show NAME, or set it to VALUE."""
    from pace.doors.cli import setting  # noqa: PLC0415  # slow

    if path:
        setting.show_path()
    elif reset is not None:
        setting.reset(reset)
    elif name is None:
        setting.show_all()
    elif value is None:
        setting.show_one(name)
    else:
        setting.change(name, value)
