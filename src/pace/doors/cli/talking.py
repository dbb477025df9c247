"""`pace chat`: picks the screen, the single answer or machine mode, and opens the conversation."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from pace.actions.installed import InstalledActions
from pace.asked import TurnReport, Words
from pace.clock import SystemClock
from pace.doors.cli.asking_once import answering_asks
from pace.doors.cli.ending import let_end, run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.fitting_width import say
from pace.doors.cli.lines import InputLines, read_some
from pace.doors.cli.machine import INTERRUPTED, MachineMode
from pace.doors.cli.setting import text_or_file
from pace.doors.cli.tier import ask_consent, check_able
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import SafeTextStream, safe_line
from pace.doors.switching import others_sentence, remote_sentence
from pace.errors import EmptyWordsError, SettingsError
from pace.folders import Folders
from pace.history import PaceHistory
from pace.memory.turn import is_blank
from pace.planners.falling_back import CANNOT_ANSWER
from pace.planners.local.naming import kind_named
from pace.planners.offers import offers, pick_named, usable_others
from pace.planners.picking import BASE_URL, MODEL, PROVIDER, TIER, fitting, tier_named
from pace.ports import Notice, PlannerEvent, Reasoned, TextDelta
from pace.settings import PlannerSettings, Provider, Tier, check_value, checked_address
from pace.settings_file import SettingsFile, Source

_FAILED = 1
_SETTINGS_OF_FLAGS = {
    "model": "planner.model",
    "window": "activity.window",
    "idle": "activity.idle_minutes",
    "system": "planner.instructions",
    "no_history": "history.keep",
    "summary_tokens": "activity.summary_tokens",
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
        check_able(file)
        return run_until_ended(_hold_machine(file))
    piped = _piped()
    if text or piped is not None:
        said = "\n\n".join(part for part in (_decoded(text), piped or "") if part)
        if is_blank(said):
            raise EmptyWordsError
        ask_consent(file)
        return run_until_ended(_answer_once(file, said))
    if not sys.stdout.isatty():
        raise SettingsError(
            "A conversation needs a terminal. Give TEXT, pipe it in, or use --jsonl."
        )
    ask_consent(file)
    from pace.doors.cli.terminal.screen import hold_conversation  # noqa: PLC0415  # slow

    return hold_conversation(file, open_history())


def open_settings(flags: Mapping[str, str | bool | None]) -> SettingsFile:
    """The settings with flags above them. Raises SettingsError, which names the flag."""
    given: dict[str, object] = {
        name: value for name, value in flags.items() if value not in {None, False}
    }
    if "system" in given:
        given["system"] = text_or_file(str(given["system"]), name="--system")
    if "no_history" in given:
        given["no_history"] = False
    overrides: dict[str, object] = _who(given)
    for flag, value in given.items():
        name = _SETTINGS_OF_FLAGS[flag]
        step = f"Check --{flag.replace('_', '-')}."
        overrides[name] = check_value(name, value, step=step)
    file = SettingsFile.open(overrides)
    _drop_what_does_not_fit(file)
    return file


def _who(given: dict[str, object]) -> dict[str, object]:
    """Take the flags about who answers out of those given; what they set, checked together."""
    named, url = given.pop("tier", None), given.pop("base_url", None)
    if named is None and url is None:
        return {}
    if named is not None and kind_named(str(named)) is not None:
        named, url = Tier.LOCAL, url or _address_of(str(named))
    try:
        tier, provider = (Tier.LOCAL, None) if named is None else tier_named(str(named))
    except SettingsError as error:
        raise SettingsError(f"{error} Check --tier.") from error
    overrides: dict[str, object] = {TIER: tier}
    if tier is Tier.DIRECT and url is not None and provider is None:
        provider = Provider.CUSTOM
    if provider is not None:
        overrides[PROVIDER] = provider
    if url is None:
        return overrides
    if tier is not Tier.LOCAL and provider is not Provider.CUSTOM:
        raise SettingsError(
            "--base-url goes with --tier local or --tier custom. Leave one of the two out."
        )
    try:
        overrides[BASE_URL] = checked_address(str(url), tier, provider).text
    except SettingsError as error:
        raise SettingsError(f"{error} Check --base-url.") from error
    return overrides


def _address_of(server: str) -> str | None:
    """Where the server of that name listens on this machine. Raises SettingsError."""
    return run_until_ended(pick_named(server, PlannerSettings())).base_url


def _drop_what_does_not_fit(file: SettingsFile) -> None:
    """What is set belongs to the tier that is set, and not to one of the flags."""
    if file.source_of(TIER) is not Source.FLAG:
        return
    now = file.current.planner
    before = now.model_copy(
        update={
            name.removeprefix("planner."): file.below_flags(name)
            for name in (TIER, PROVIDER, MODEL, BASE_URL)
        }
    )
    flagged = {name for name in (PROVIDER, MODEL, BASE_URL) if file.source_of(name) is Source.FLAG}
    for name, value in fitting(now.tier, now.provider, before).items():
        if name not in flagged and value != file.current.get(name):
            file.wish(name, value)


def open_history() -> PaceHistory:
    """The person's journal; nothing is made on the disk yet."""
    return PaceHistory(Folders.of().history)


def _opened(file: SettingsFile, *, stays: bool = True) -> OpenChat:
    actions = InstalledActions(lambda: file.current, clock=SystemClock(), tell=_tell, stays=stays)
    return OpenChat(file, screen=FetchBar(), history=open_history(), tell=_tell, actions=actions)


# --- one answer


async def _answer_once(file: SettingsFile, text: str) -> int:
    printer = _Printer()
    async with _opened(file, stays=False) as chat:
        _tell_reason(chat)
        if where := remote_sentence(file.current):
            _tell(where)
        words = Words(text=text)
        turn = asyncio.create_task(chat.say(words, printer.say))
        asking = answering_asks(chat, words.turn_id)
        with _on_interrupt(lambda: chat.stop() or turn.cancel()):
            try:
                await asyncio.wait([turn])
            finally:
                for task in (turn, asking):
                    if task is not None and not task.done():
                        task.cancel()
                        await asyncio.wait([task])
    if turn.cancelled():
        return INTERRUPTED
    try:
        report = turn.result()
    except CANNOT_ANSWER as error:
        found = await offers(file.current, models=Folders.of().models)
        if not (others := others_sentence(usable_others(found), command="pace tier")):
            raise
        _tell(str(error))
        _tell(others)
        return _FAILED
    printer.finish()
    _remark(report, file)
    return INTERRUPTED if report.interrupted else 0


class _Printer:
    """Writes a reply to standard output as it comes, and nothing else; notices go beside it."""

    def __init__(self) -> None:
        self._safe = SafeTextStream()
        self._ends_line = True

    async def say(self, event: PlannerEvent) -> None:
        if isinstance(event, TextDelta):
            self._write(self._safe.feed(event.text))
        elif isinstance(event, Reasoned):
            self.finish()
            self._safe = SafeTextStream()
            _tell("What stands above was the model's reasoning; its reply begins here.")
        elif isinstance(event, Notice):
            _tell(event.sentence)

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
    async with _opened(file) as chat:
        _tell_reason(chat)
        if where := remote_sentence(file.current):
            _tell(where)
        machine = MachineMode(chat, InputLines(sys.stdin.fileno()), _write_line, _tell)
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
    say(f"pace: {safe_line(notice)}", err=True)


@contextmanager
def _on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """While it lasts, SIGINT acts on the loop; afterwards only the ending is left."""
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(act))
    try:
        yield
    finally:
        let_end()
