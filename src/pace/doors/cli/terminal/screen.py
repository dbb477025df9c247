"""The interactive screen of `pace chat`, from its first line to its last."""

import asyncio
import os
import shutil
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from rich.text import Text

from pace.actions.installed import InstalledActions
from pace.clock import SystemClock
from pace.doors.cli.ending import let_end, run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.terminal.adjusting import Adjusting, model_choices, setting_choices
from pace.doors.cli.terminal.asking import InputLine
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.commands import Asked, Message, Mistaken, parse
from pace.doors.cli.terminal.completing import CommandCompleter
from pace.doors.cli.terminal.cooked import CookedLine
from pace.doors.cli.terminal.look import DIM, ERROR, Look, look_of
from pace.doors.cli.terminal.memory_view import facts_of, memory_lines
from pace.doors.cli.terminal.modes import modes_kept, signals_taken
from pace.doors.cli.terminal.pages import divider, first_screen, help_page
from pace.doors.cli.terminal.picking import Picking, tier_choices
from pace.doors.cli.terminal.prompt import PromptLine
from pace.doors.cli.terminal.talking import Talking
from pace.doors.cli.terminal.toolbar import Toolbar
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.faults import fault_sentence
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.switching import mark_of
from pace.errors import PaceError
from pace.history import PaceHistory
from pace.memory.turn import is_blank
from pace.ports import Clock
from pace.settings_file import SettingsFile
from pace.threads import EndCause

_ON_OFF = (("on", "remember this conversation"), ("off", "each message stands alone"))
_ACT_OR_NOT = (("on", "let Pace act when you ask"), ("off", "nothing but talk"))
_REFRESH_SECONDS = 1.0
EXIT_DONE, EXIT_INTERRUPTED = 0, 130


def hold_conversation(settings_file: SettingsFile, history: PaceHistory) -> int:
    """Open a conversation and hold it on this terminal; gives the exit code. Raises PaceError."""
    return run_until_ended(_hold(settings_file, history))


async def _hold(settings_file: SettingsFile, history: PaceHistory) -> int:
    told: deque[str] = deque()
    actions = InstalledActions(lambda: settings_file.current, clock=SystemClock(), tell=told.append)
    chat = OpenChat(
        settings_file, screen=FetchBar(), history=history, tell=told.append, actions=actions
    )
    async with chat:
        try:
            return await run_terminal(chat, told=told)
        finally:
            let_end()


async def run_terminal(
    chat: OpenChat, *, clock: Clock | None = None, told: deque[str] | None = None
) -> int:
    """Hold a conversation on this terminal until the person leaves; gives the exit code.

    `chat` is open, and stays so; sentences that come into `told` are shown. The terminal is left as
    it was found, also when this raises.
    """
    sentences: deque[str] = deque() if told is None else told
    return await held(lambda look: Screen(chat, look, clock or SystemClock(), sentences))


class OnTerminal(Protocol):
    """What takes a whole terminal for itself."""

    async def run(self) -> None:
        """Until the person leaves."""
        ...

    def interrupt(self) -> None:
        """Take Ctrl-C from wherever it comes."""
        ...


async def held(make: Callable[[Look], OnTerminal]) -> int:
    """Run what is made for this terminal's look; gives the exit code. The terminal is put back."""
    look = look_of(sys.stdout, os.environ)
    ending = _Ending()
    with modes_kept(sys.stdin, sys.stdout, look):
        screen = make(look)
        with signals_taken(interrupt=ending.soon(screen.interrupt), leave=ending.leave):
            try:
                await screen.run()
            except (asyncio.CancelledError, OSError):
                # A terminal that is gone fails whoever writes to it.
                if not ending.is_asked:
                    raise
                return EXIT_INTERRUPTED
    return EXIT_DONE


class _Ending:
    """Brings what a signal asks for into the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self.is_asked = False

    def soon(self, action: Callable[[], None]) -> Callable[[], None]:
        return lambda: _call(self._loop, action)

    def leave(self) -> None:
        self.is_asked = True
        if self._task is not None:
            _call(self._loop, self._cancel)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _call(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(action)


class Screen:
    """The loop over messages and commands."""

    def __init__(self, chat: OpenChat, look: Look, clock: Clock, told: deque[str]) -> None:
        self._chat = chat
        self._told = told
        self._look = look
        self._canvas = Canvas(sys.stdout, look, shutil.get_terminal_size)
        self._toolbar = Toolbar(chat, clock, look, lambda: self._canvas.width)
        self._line = self._input_line()
        self._talking = Talking(chat, self._canvas, self._line, self._notices)
        self._adjusting = Adjusting(chat, self._canvas, self._talking)
        self._picking = Picking(chat, self._canvas, self._line, self._talking)
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "help": self._help,
            "memory": self._memory,
            "retry": _alone(self._talking.retry),
            "edit": _alone(self._talking.edit),
            "undo": _alone(self._talking.undo),
            "continue": _alone(self._talking.go_on),
            "copy": _alone(self._talking.copy),
            "file": self._talking.add_file,
            "reset": self._reset,
            "window": self._adjusting.window,
            "idle": self._adjusting.idle,
            "remember": self._adjusting.remember,
            "tier": self._picking.tier,
            "thinking": self._thinking,
            "model": self._adjusting.model,
            "actions": self._adjusting.actions,
            "settings": self._adjusting.settings,
        }

    async def run(self) -> None:
        """Until the person leaves."""
        self._canvas.write(*first_screen(self._chat, self._canvas.width, self._look))
        while True:
            typed = await self._line.ask(self._talking.prefill, beside=self._beside)
            self._talking.prefill = ""
            if typed is None:
                return
            if self._line.was_cleared:
                self._talking.replacing = None
            if is_blank(typed):
                continue
            self._canvas.write("")
            asked = parse(typed)
            if isinstance(asked, Asked) and asked.name == "quit":
                return
            try:
                await self._obey(asked)
            except OSError:
                # A terminal that is gone fails whoever writes to it.
                raise
            except Exception as error:  # noqa: BLE001  # the conversation outlives a fault
                self._talking.tell_error(f"{fault_sentence(error)} You can go on.")

    def interrupt(self) -> None:
        """Take Ctrl-C from wherever it comes."""
        if not self._talking.stop():
            self._line.interrupt()

    # --- commands

    async def _obey(self, asked: Message | Asked | Mistaken) -> None:
        match asked:
            case Message(text):
                await self._talking.say(text)
            case Mistaken(sentence):
                self._talking.tell_error(sentence)
            case Asked(name, rest):
                self._talking.replacing = None
                await self._command(name, rest)

    async def _command(self, name: str, rest: str) -> None:
        try:
            await self._commands[name](rest)
        except PaceError as error:
            self._talking.tell_error(str(error))

    async def _help(self, _rest: str) -> None:
        self._canvas.write(*help_page(self._canvas.width), "")

    async def _thinking(self, _rest: str) -> None:
        row = self._chat.session.last_row
        if row is None or not row.reasoning.strip():
            self._talking.tell("The last reply came with no thoughts that could be shown.")
            return
        thoughts = Text(safe_text(row.reasoning.strip()), DIM)
        self._canvas.write(*wrapped(thoughts, self._canvas.width), "")
        self._talking.tell("Nothing remembers these; the model does not see them again.")

    async def _memory(self, _rest: str) -> None:
        await self._toolbar.refresh()
        facts = await facts_of(self._chat, tell=self._talking.tell_error)
        lines = memory_lines(facts, width=self._canvas.width, look=self._look)
        self._canvas.write(*lines, "")

    async def _reset(self, _rest: str) -> None:
        held = await self._chat.memory()
        await self._chat.companion.reset(self._chat.thread_id)
        self._talking.forget()
        turns = held.next_number - 1
        if held.is_empty:
            self._talking.tell("There was nothing to forget. A new conversation begins.")
        else:
            said = f"{turns} turn{'s' * (turns != 1)}"
            self._talking.tell(f"Forgotten: {said} and their summary. A new conversation begins.")

    # --- beside the input line

    async def _beside(self) -> None:
        """Keep the toolbar true, and tell what happens meanwhile."""
        while True:
            try:
                changed = await self._toolbar.refresh()
            except PaceError:
                # The next turn tells what is the matter.
                changed = False
            if notices := self._notices():
                await self._line.above(partial(self._canvas.write, *notices))
            if changed:
                self._line.refresh()
            await asyncio.sleep(_REFRESH_SECONDS)

    def _notices(self) -> list[Text]:
        """What is to be told of sessions that ended by themselves and of the journal, once."""
        lines: list[Text] = []
        while self._told:
            lines += [Text(safe_line(self._told.popleft()), ERROR), Text()]
        while not self._chat.ended.empty():
            ended = self._chat.ended.get_nowait()
            self._talking.forget()
            if ended.cause is EndCause.IDLE:
                minutes = self._chat.settings.activity.idle_minutes
                told = f"the conversation was cleared after {minutes} minutes"
                lines += [divider(told, self._canvas.width, self._look), Text()]
        return lines

    def _input_line(self) -> InputLine:
        if not self._look.can_edit:
            return CookedLine(sys.stdin, sys.stdout, self._look.signs.you, mark=self._mark)
        completer = CommandCompleter(
            {
                "settings": setting_choices,
                "model": partial(model_choices, self._chat),
                "tier": tier_choices,
                "remember": lambda: _ON_OFF,
                "actions": lambda: _ACT_OR_NOT,
            }
        )
        return PromptLine(sys.stdout, self._look, completer, self._below, mark=self._mark)

    def _mark(self) -> str:
        """Who gets the words, on every line where they are written, if they leave this machine."""
        who = mark_of(self._chat.settings)
        return f"{who} {self._look.signs.away}" if who else ""

    def _below(self) -> str:
        return self._toolbar.text(self._talking)


def _alone(action: Callable[[], Awaitable[None]]) -> Callable[[str], Awaitable[None]]:
    async def without_rest(_rest: str) -> None:
        await action()

    return without_rest
