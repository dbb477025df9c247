"""The command `pace`: finds the door, and turns whatever goes wrong into one sentence and a status.

Each command imports its own parts, so that `pace --help` answers at once.
"""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from pace.doors.cli.commands.acting import actions, mcp
from pace.doors.cli.commands.chatting import chat, settings, web
from pace.doors.cli.commands.evaluating import evaluate
from pace.doors.cli.commands.flags import Group
from pace.doors.cli.commands.history import history
from pace.doors.cli.commands.models import models, privacy, tier
from pace.doors.cli.commands.serving import keys, serve
from pace.doors.cli.commands.voice import by_voice, voices
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


@click.group(
    cls=Group,
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


for _command in (
    actions,
    by_voice,
    chat,
    evaluate,
    history,
    keys,
    mcp,
    models,
    privacy,
    serve,
    settings,
    tier,
    voices,
    web,
):
    pace.add_command(_command)
