"""The command `pace`: finds the door, and turns whatever goes wrong into one sentence and a status.

Each command imports its own parts, so that `pace --help` answers at once.
"""

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from pace.doors.cli.ending import is_interrupted, let_end, take_signals
from pace.doors.cli.fitting_width import say
from pace.doors.faults import fault_sentence
from pace.errors import (
    EmptyWordsError,
    NotInHistoryError,
    PaceError,
    SettingsError,
    TalksError,
)

_DONE, _FAILED, _ASKED_WRONGLY, _INTERRUPTED = 0, 1, 2, 130
# What writing fails with; files of our own fail with errors of their own.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def main() -> None:
    """Run the command line and exit with its status."""
    status = _INTERRUPTED
    with suppress(KeyboardInterrupt):
        take_signals()
        _replace_closed_streams()
        status = run(sys.argv[1:])
        let_end()
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command; whatever goes wrong is one sentence on standard error."""
    try:
        # Not click's own main: it would end with a status of its own when a reader leaves.
        with pace.make_context("pace", list(arguments)) as context:
            status = pace.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except BrokenPipeError:
        _let_go_of_output()
        return _DONE
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001  # a person gets a sentence, never a traceback
        if is_interrupted():
            return _INTERRUPTED
        return _told(error, output_is_lost=_output_is_lost())
    return status if isinstance(status, int) else _DONE


def _told(error: Exception, *, output_is_lost: bool) -> int:
    """Say what went wrong; gives the status for it."""
    status = _FAILED
    match error:
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "pace"
            sentence, status = f"{error.format_message()} See: {command} --help", _ASKED_WRONGLY
        case SettingsError() | EmptyWordsError() | NotInHistoryError() | TalksError():
            sentence, status = str(error), _ASKED_WRONGLY
        case PaceError():
            sentence = str(error)
        case ModuleNotFoundError():
            sentence = f"This needs {error.name}. In Pace's folder: pip install '.[chat]'"
        case OSError() if output_is_lost or error.errno in _FULL:
            sentence = f"Standard output takes no more ({error.strerror}). Check where it goes."
        case _:
            sentence = fault_sentence(error)
    with suppress(OSError):
        say(f"pace: {_printable(sentence)}", err=True)
    return status


def _printable(text: str) -> str:
    """A sentence that does nothing to a terminal; it may quote a file's name or a server."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _replace_closed_streams() -> None:
    """A program may be started without one of its three streams; nothing else has to know."""
    nothing = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nothing.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nothing.open("w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = nothing.open("w", encoding="utf-8")


def _output_is_lost() -> bool:
    """Whether standard output takes nothing any more; what it did not take is then let go."""
    try:
        sys.stdout.flush()
    except OSError:
        _let_go_of_output()
        return True
    return False


def _let_go_of_output() -> None:
    """Whoever took our output left; the interpreter must not complain about it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


class _NamesItself(click.Command):
    """A command that is named by whatever was wrong with its flags, so that its help is shown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; what it raises before it knows the command is told of this one."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


class _Group(_NamesItself, click.Group):
    """A group whose commands and groups all name themselves."""

    command_class = _NamesItself
    group_class = type


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="pace", message="pace %(version)s")
@click.pass_context
def pace(context: click.Context) -> None:
    """Talk with a companion on this machine. The model forgets when you stop.

    Begin with: pace chat
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_Flags = tuple[Callable[[Callable[..., int]], Callable[..., int]], ...]
_WHO_ANSWERS: _Flags = (
    click.option(
        "--tier",
        metavar="TIER",
        help="Who answers: embedded, local, apple, cli, direct; or by name: claude, codex, gemini, "
        "anthropic, openai, openrouter, custom; lm-studio, ollama, llama-server.",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        help="An OpenAI-compatible server: on this machine for tier local, elsewhere for custom.",
    ),
    click.option(
        "--model",
        metavar="NAME|FILE",
        help="A model of `pace models` or a .gguf file; for other tiers, a name of theirs.",
    ),
)
_WHAT_IS_HELD: _Flags = (
    click.option("--window", metavar="N", help="Turn pairs held word for word, 1 to 8."),
    click.option("--idle", metavar="MINUTES", help="Pause after which all is forgotten, 5 to 60."),
)
_WHAT_IS_SAID: _Flags = (
    click.option("--system", metavar="TEXT|@FILE", help="What the model is told beforehand."),
    click.option("--no-history", is_flag=True, help="Keep nothing of this run in the history."),
)


def _with_flags(
    flags: _Flags = (*_WHO_ANSWERS, *_WHAT_IS_HELD, *_WHAT_IS_SAID),
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return decorated


@pace.command()
@click.argument("text", nargs=-1)
@_with_flags()
@click.option("--jsonl", is_flag=True, help="Machine mode: one JSON object a line, in and out.")
def chat(text: tuple[str, ...], *, jsonl: bool, **flags: str | bool | None) -> int:
    """Hold a conversation, or answer TEXT once.

    Piped input is one message, added to TEXT.
    """
    from pace.doors.cli.talking import hold_chat  # noqa: PLC0415  # slow

    return hold_chat(" ".join(text), jsonl=jsonl, flags=flags)


@pace.command("voice")
@_with_flags()
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


@pace.command()
@_with_flags()
@click.option("--port", metavar="N", default="7223", help="The port; 0 takes any that is free.")
@click.option("--host", metavar="NAME", default="127.0.0.1", help="The address to listen on.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def web(*, port: str, host: str, no_open: bool, **flags: str | bool | None) -> int:
    """Hold the conversation in a window of your browser."""
    from pace.doors.cli.web import hold_window  # noqa: PLC0415  # slow

    return hold_window(host=host, port=port, opens_browser=not no_open, flags=flags)


@pace.command()
@_with_flags((*_WHO_ANSWERS, *_WHAT_IS_HELD))
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


@pace.command("eval")
@click.argument("file", required=False)
@_with_flags(_WHO_ANSWERS)
@click.option(
    "--summarizer",
    "summarizers",
    metavar="NAME",
    multiple=True,
    default=("extractive",),
    show_default="extractive",
    help="extractive, model (the planner's, guarded), newest, nothing, or your own as "
    "module:maker; may be given several times.",
)
@click.option(
    "--budget",
    "budgets",
    metavar="N,N",
    default="400",
    show_default=True,
    help="Tokens of summary, 200 to 1,200.",
)
@click.option(
    "--window", "windows", metavar="N,N", default="4", show_default=True, help="Turn pairs, 1 to 8."
)
@click.option(
    "--recall",
    type=click.Choice(["off", "on", "both"]),
    default="off",
    show_default=True,
    help="Recall older turns by the words of a question: off, on, or both in turn.",
)
@click.option("--source", "sources", metavar="SET", multiple=True, help="Only this set of talks.")
@click.option(
    "--read", "reads", is_flag=True, help="Ask the planner the questions of each talk, too."
)
@click.option(
    "--questions", metavar="N", help="With --read: at most so many a set, 40 unless given."
)
@click.option("--chart", metavar="FILE.png", help="Write a chart.")
@click.option("--page", metavar="FILE.html", help="Write a page with chart and tables.")
@click.option("--json", "as_json", is_flag=True, help="Write the figures as JSON instead.")
@click.option("--compare", metavar="A B", nargs=2, help="Show two JSON reports side by side.")
def evaluate(
    *,
    file: str | None,
    compare: tuple[str, str] | None,
    tier: str | None,
    base_url: str | None,
    model: str | None,
    **asked: Any,  # noqa: ANN401  # the fields of what is asked, as click gives them
) -> int:
    """Measure what Pace's memory keeps of the talks in FILE, or of a set of Pace's own.

    FILE is JSON: a list of messages as OpenAI has them, a ChatGPT export, an export of your
    history, or talks with their facts.

    Window, budget and recall are those given here, and not those of your settings, so that figures
    can be compared.
    """
    from pace.doors.cli import evaluating  # noqa: PLC0415  # slow, and an extra
    from pace.doors.cli.eval_flags import Asked  # noqa: PLC0415  # slow

    if compare is not None:
        _refuse_beside_compare(click.get_current_context())
        return evaluating.compare_reports(*compare)
    flags = {"tier": tier, "base_url": base_url, "model": model}
    return evaluating.evaluate_talks(Asked(file=file, **asked), flags)


def _refuse_beside_compare(context: click.Context) -> None:
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_given and name != "compare":
            flag = parameter.opts[0] if isinstance(parameter, click.Option) else "FILE"
            raise click.UsageError(f"--compare shows two reports as they are. Leave out {flag}.")


@pace.group(invoke_without_command=True)
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


@pace.command()
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


@pace.group(invoke_without_command=True)
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


@pace.group(invoke_without_command=True)
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


@pace.command()
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


@pace.group(invoke_without_command=True)
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


@pace.group(invoke_without_command=True)
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


_SINCE = click.option(
    "--since", metavar="DAY", help="From this day on: 2026-07-05, today or yesterday."
)
_BEFORE = click.option("--before", metavar="DAY", help="Before this day.")


@pace.group(invoke_without_command=True)
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


@pace.group(invoke_without_command=True)
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
