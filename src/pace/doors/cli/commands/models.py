"""`pace models`, `pace tier`, `pace privacy`: who answers, with which model, and what they got."""

import click

from pace.doors.cli.commands.flags import Group, NamesItself


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def models(context: click.Context) -> None:
    """List the models for tier embedded: what is here, and what suits this machine."""
    if context.invoked_subcommand is None:
        from pace.doors.cli.model_files import show_models  # noqa: PLC0415  # slow

        show_models()


@models.command("get")
@click.argument("name")
@click.argument("file", required=False)
def get_model(name: str, file: str | None) -> None:
    """Fetch a model by its NAME, or a GGUF FILE of a repository of Hugging Face."""
    from pace.doors.cli.model_files import fetch_model  # noqa: PLC0415  # slow

    fetch_model(name, file)


@models.command("remove")
@click.argument("name")
def remove_model(name: str) -> None:
    """Remove a model file that was fetched."""
    from pace.doors.cli.model_files import remove_model as remove  # noqa: PLC0415  # slow

    remove(name)


@click.command(cls=NamesItself)
@click.argument("words", metavar="[NAME | key PROVIDER]", nargs=-1)
@click.option("--model", metavar="NAME", help="The model that is to answer.")
@click.option("--base-url", metavar="URL", help="The server's address, for local and custom.")
@click.option("--agree", is_flag=True, help="Agree that your words go there, without a question.")
@click.option("--remove", is_flag=True, help="With key PROVIDER: drop the key.")
def tier(
    words: tuple[str, ...], *, model: str | None, base_url: str | None, agree: bool, remove: bool
) -> None:
    """Show who could answer here, or have NAME answer from now on.

    NAME is a tier (embedded, local, apple), who stands behind one (claude, codex, gemini;
    anthropic, openai, openrouter, custom), or a server on this machine by its name.

    `pace tier key PROVIDER` asks for a key and keeps it in this machine's keyring.
    """
    from pace.doors.cli import tier as tiers  # noqa: PLC0415  # slow

    match words:
        case ():
            if model or base_url or agree or remove:
                raise click.UsageError("Say whom these options are for: pace tier NAME.")
            tiers.show_tiers()
        case ("key", provider):
            if remove:
                tiers.remove_key(provider)
            else:
                tiers.keep_key(provider)
        case (name,) if name != "key" and not remove:
            tiers.switch(name, model=model, base_url=base_url, agrees=agree)
        case _:
            raise click.UsageError("Give one NAME, or: key PROVIDER.")


@click.group(cls=Group, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="As one JSON object.")
@click.pass_context
def privacy(context: click.Context, *, as_json: bool) -> None:
    """Show what left this machine, what you agreed to, and what is kept where."""
    if context.invoked_subcommand is None:
        from pace.doors.cli.privacy import show  # noqa: PLC0415  # slow

        show(as_json=as_json)


@privacy.command("forget")
@click.argument("name")
def forget_consent(name: str) -> None:
    """Withdraw what you agreed to: NAME gets no more of your words."""
    from pace.doors.cli.privacy import forget  # noqa: PLC0415  # slow

    forget(name)


@privacy.command("clear")
def clear_sent_log() -> None:
    """Empty the log of how much was sent."""
    from pace.doors.cli.privacy import clear  # noqa: PLC0415  # slow

    clear()
