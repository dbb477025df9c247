"""`pace voice` and `pace voices`: talking, and who speaks."""

import click

from pace.doors.cli.commands.flags import Group, NamesItself, with_flags


@click.command("voice", cls=NamesItself)
@with_flags()
@click.option("--wav-in", metavar="FILE", help="For scripts: a WAV file with what you say.")
@click.option("--wav-out", metavar="FILE", help="Where the replies to it are written, as WAV.")
@click.option("--recogniser", metavar="NAME", help="base (many languages), tiny.en (quicker).")
@click.option("--device", metavar="NAME", help="A microphone's or loudspeaker's name, or a part.")
@click.option("--hands-free", is_flag=True, help="Leave the microphone open.")
@click.option("--list-devices", is_flag=True, help="List microphones and loudspeakers, and end.")
def by_voice(
    *,
    wav_in: str | None,
    wav_out: str | None,
    recogniser: str | None,
    device: str | None,
    hands_free: bool,
    list_devices: bool,
    **flags: str | bool | None,
) -> int:
    """Talk: say something, hear the answer, cut in, and go on by typing."""
    from pace.doors.cli.by_voice import Asked, talk  # noqa: PLC0415  # an extra

    values = {
        "recogniser": recogniser,
        "device": device,
        "mode": "hands-free" if hands_free else None,
    }
    asked = Asked(wav_in=wav_in, wav_out=wav_out, lists_devices=list_devices, values=values)
    return talk(asked, flags)


@click.group(cls=Group, invoke_without_command=True)
@click.option("--language", metavar="CODE", help="Only those that speak it, such as de.")
@click.pass_context
def voices(context: click.Context, *, language: str | None) -> None:
    """List the voices for `pace voice`: who speaks which language, and who would speak now."""
    if context.invoked_subcommand is None:
        from pace.doors.cli.voices import show_voices  # noqa: PLC0415  # slow

        show_voices(language)
    elif language is not None:
        raise click.UsageError("--language is for the list. Leave it out here.")


@voices.command("fetch")
@click.argument("name")
def fetch_voice(name: str) -> None:
    """Fetch the voice NAME; its files are checked."""
    from pace.doors.cli.voices import fetch_voice as fetch  # noqa: PLC0415  # slow

    fetch(name)


@voices.command("play")
@click.argument("name")
@click.argument("text", nargs=-1)
@click.option("--language", metavar="CODE", help="Which of its languages, if it has several.")
@click.option("--wav-out", metavar="FILE", help="Write it to a WAV file instead.")
def play_voice(
    name: str, text: tuple[str, ...], *, language: str | None, wav_out: str | None
) -> None:
    """Have the voice NAME say TEXT, or a sentence of ours in its language."""
    from pace.doors.cli.voices import play_voice as play  # noqa: PLC0415  # slow

    play(name, " ".join(text), language=language, wav_out=wav_out)


@voices.command("remove")
@click.argument("name")
def remove_voice(name: str) -> None:
    """Remove the files of the voice NAME."""
    from pace.doors.cli.voices import remove_voice as remove  # noqa: PLC0415  # slow

    remove(name)
