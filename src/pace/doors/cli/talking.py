"""`pace chat`: picks the screen, the single answer or machine mode, and opens the conversation."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from pace.companion import TurnReport, Words
from pace.doors.cli.ending import let_end, run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.lines import InputLines, read_some
from pace.doors.cli.machine import INTERRUPTED, MachineMode
from pace.doors.cli.setting import text_or_file
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import SafeTextStream, safe_line
from pace.errors import EmptyWordsError, SettingsError
from pace.folders import Folders
from pace.history import PaceHistory
from pace.memory.turn import is_blank
from pace.ports import PlannerEvent, TextDelta
from pace.settings import Tier, check_value
from pace.settings_file import SettingsFile, Source

_SETTINGS_OF_FLAGS = {
    "tier": "planner.tier",
    "base_url": "planner.base_url",
    "model": "planner.model",
    "window": "activity.window",
    "idle": "activity.idle_minutes",
    "system": "planner.instructions",
    "no_history": "history.keep",
}


def hold_chat(text: str, *, jsonl: bool, flags: Mapping[str, str | bool | None]) -> int:
    """Run `pace chat`; gives the exit status. Raises PaceError and click.UsageError."""
    file = open_settings(flags)
    for notice in file.notices:
        _tell(notice)
    if jsonl:
        if text:
            raise click.UsageError(
                "--jsonl reads its words from standard input, so leave out TEXT."
            )
        return run_until_ended(_hold_machine(file))
    piped = _piped()
    if text or piped is not None:
        said = "\n\n".join(part for part in (_decoded(text), piped or "") if part)
        if is_blank(said):
            raise EmptyWordsError
        return run_until_ended(_answer_once(file, said))
    if not sys.stdout.isatty():
        raise SettingsError(
            "A conversation needs a terminal. Give TEXT, pipe it in, or use --jsonl."
        )
    from pace.doors.cli.terminal.screen import hold_conversation  # noqa: PLC0415  # slow

    return hold_conversation(file, open_history())


def open_settings(flags: Mapping[str, str | bool | None]) -> SettingsFile:
    """The settings with flags above them. Raises SettingsError, which names the flag."""
    given: dict[str, object] = {
        name: value for name, value in flags.items() if value not in {None, False}
    }
    if "base_url" in given and given.setdefault("tier", Tier.LOCAL) != Tier.LOCAL:
        raise SettingsError("--base-url goes with --tier local. Leave one of the two out.")
    if "system" in given:
        given["system"] = text_or_file(str(given["system"]), name="--system")
    if "no_history" in given:
        given["no_history"] = False
    overrides: dict[str, object] = {}
    for flag, value in given.items():
        name = _SETTINGS_OF_FLAGS[flag]
        step = f"Check --{flag.replace('_', '-')}."
        overrides[name] = check_value(name, value, step=step)
    file = SettingsFile.open(overrides)
    if (
        file.below_flags("planner.tier") is not file.current.planner.tier
        and file.source_of("planner.model") is not Source.FLAG
    ):
        # The model that is set belongs to the tier that is set.
        file.wish("planner.model", None)
    return file


def open_history() -> PaceHistory:
    """The person's journal; nothing is made on the disk yet."""
    return PaceHistory(Folders.of().history)


# --- one answer


async def _answer_once(file: SettingsFile, text: str) -> int:
    printer = _Printer()
    async with OpenChat(file, screen=FetchBar(), history=open_history(), tell=_tell) as chat:
        _tell_reason(chat)
        turn = asyncio.create_task(chat.say(Words(text=text), printer.say))
        with _on_interrupt(lambda: chat.stop() or turn.cancel()):
            try:
                await asyncio.wait([turn])
            finally:
                if not turn.done():
                    turn.cancel()
                    await asyncio.wait([turn])
    if turn.cancelled():
        return INTERRUPTED
    report = turn.result()
    printer.finish()
    _remark(report, file)
    return INTERRUPTED if report.interrupted else 0


class _Printer:
    """Writes a reply to standard output as it comes, and nothing else."""

    def __init__(self) -> None:
        self._safe = SafeTextStream()
        self._ends_line = True

    async def say(self, event: PlannerEvent) -> None:
        if isinstance(event, TextDelta):
            self._write(self._safe.feed(event.text))

    def finish(self) -> None:
        self._write(self._safe.finish())
        if not self._ends_line:
            self._write("\n")

    def _write(self, text: str) -> None:
        if text:
            self._ends_line = text.endswith("\n")
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()


def _remark(report: TurnReport, file: SettingsFile) -> None:
    if report.gave_way:
        _tell(f"To fit the model's context: {'; '.join(report.gave_way)}.")
    if report.broke_off:
        _tell("The model broke off before its reply was whole. Ask again.")
    elif report.cut_off:
        limit = file.current.planner.reply_tokens
        _tell(
            f"The reply was cut at its limit of {limit:,} tokens. "
            "Allow longer ones with: pace settings planner.reply_tokens N"
        )


# --- machine mode


async def _hold_machine(file: SettingsFile) -> int:
    async with OpenChat(file, screen=FetchBar(), history=open_history(), tell=_tell) as chat:
        _tell_reason(chat)
        machine = MachineMode(chat, InputLines(sys.stdin.fileno()), _write_line)
        with _on_interrupt(machine.interrupt):
            return await machine.run()


def _write_line(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


# --- the world around


def _piped() -> str | None:
    """All of standard input as one text; None if a person sits there."""
    if sys.stdin.isatty():
        return None
    said = b"".join(iter(lambda: read_some(sys.stdin.fileno()), b""))
    return said.decode("utf-8", "replace").strip("\r\n")


def _decoded(argument: str) -> str:
    """An argument whose bytes were no UTF-8 with signs in their place."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _tell_reason(chat: OpenChat) -> None:
    if chat.reason:
        _tell(chat.reason)


def _tell(notice: str) -> None:
    click.echo(f"pace: {safe_line(notice)}", err=True)


@contextmanager
def _on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """While it lasts, SIGINT acts on the loop; afterwards only the ending is left."""
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(act))
    try:
        yield
    finally:
        let_end()
