"""The input line of a terminal that can edit: many lines, history, completion, a toolbar below.

A burst of lines is one message, whether or not the terminal marks it as pasted: Enter sends only
when nothing follows it at once. History is of this session, in memory.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TextIO

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, is_done
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from pace.doors.cli.terminal.asking import BURST, EARLY_HINT, LEAVE_HINT, Show, kept_quiet
from pace.doors.cli.terminal.choosing import Choice, is_bare
from pace.doors.cli.terminal.look import Look

_MENU_ROWS = 8
_STYLE = Style.from_dict(
    {
        "you": "ansicyan bold",
        "away": "ansiyellow",
        "toolbar": "dim",
        "hint": "ansiyellow",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion": "bg:default fg:default",
        "completion-menu.completion.current": "bg:default ansicyan bold noreverse",
        "completion-menu.meta.completion": "bg:default fg:default dim",
        "completion-menu.meta.completion.current": "bg:default fg:default noreverse",
        "scrollbar.background": "bg:default",
        "scrollbar.button": "bg:default",
    }
)


class PromptLine:
    """An InputLine over prompt_toolkit. `mark` stands before a message while it says anything."""

    def __init__(
        self,
        stdout: TextIO,
        look: Look,
        completer: Completer,
        toolbar: Callable[[], str],
        *,
        mark: Callable[[], str] = str,
    ) -> None:
        self._look = look
        self._mark = mark
        self._input: Input = create_input(sys.stdin)
        self._toolbar = toolbar
        self._hint = ""
        self.was_cleared = False
        self._enter = _Enter(self._send)
        self._ahead = _TypedAhead()
        self._may_leave = False
        self._choice: Choice | None = None
        self._buffer = Buffer(
            completer=completer,
            complete_while_typing=Condition(self._is_command),
            history=InMemoryHistory(),
            multiline=True,
        )
        self._app: Application[str | None] = Application(
            layout=self._layout(),
            style=_STYLE,
            key_bindings=self._bindings(),
            color_depth=ColorDepth.DEPTH_1_BIT if look.is_plain else ColorDepth.DEPTH_4_BIT,
            input=self._input,
            output=output_of(stdout),
        )
        self._app.ttimeoutlen = 0.05
        self._app.key_processor.before_key_press += self._key_comes

    async def ask(self, prefill: str, *, beside: Callable[[], Awaitable[None]]) -> str | None:
        """One message; None for Ctrl-D, two Ctrl-C, or a terminal that is gone."""
        self._buffer.reset(Document(prefill))
        self._hint, self._may_leave, self.was_cleared = "", False, False

        def begin() -> None:
            self._app.create_background_task(kept_quiet(beside, self._tell))

        store_typeahead(self._input, self._ahead.take())
        try:
            return await self._app.run_async(
                pre_run=begin, handle_sigint=False, set_exception_handler=False
            )
        except EOFError:
            return None
        finally:
            self._enter.forget()

    async def above(self, write: Callable[[], None]) -> None:
        """Write above the line, which is drawn anew below."""
        await run_in_terminal(write)

    def refresh(self) -> None:
        """Show the toolbar as it is now."""
        if self._app.is_running:
            self._app.invalidate()

    def interrupt(self) -> None:
        """Clear the line and say how to leave, or leave."""
        if not self._app.is_running or self._app.is_done:
            return
        if self._may_leave and not self._buffer.text:
            self._app.exit(result=None)
            return
        if self._buffer.text:
            self._buffer.append_to_history()
            self._buffer.reset()
            self.was_cleared = True
        self._hint, self._may_leave = LEAVE_HINT, True
        self._app.invalidate()

    async def choose(self, words: Collection[str], show: Show) -> str:
        """One of these words; keys that turn out to be no answer are kept for the next message."""
        had_answer = self._ahead.drop_bare(words)
        choice = self._choice = Choice(words, show, self._ahead.take_begun())
        choice.tell(EARLY_HINT if had_answer else "")
        try:
            return await choice.chosen
        finally:
            self._choice = None
            for key in choice.let_go():
                self._ahead.add(key)

    @contextmanager
    def replying(self, stop: Callable[[], None]) -> Iterator[None]:
        """Keep what is typed for the next message; nothing of it is echoed into the reply."""

        def read() -> None:
            for key in self._input.read_keys():
                if key.key == Keys.ControlC:
                    self._ahead.clear()
                    if self._choice is not None:
                        self._choice.let_go()
                    stop()
                else:
                    for kept in (key,) if self._choice is None else self._choice.take(key):
                        self._ahead.add(kept)

        with self._input.raw_mode(), self._input.attach(read):
            yield

    # --- inside

    def _tell(self, sentence: str) -> None:
        self._hint = sentence
        self.refresh()

    def _is_command(self) -> bool:
        return self._buffer.text.startswith("/") and "\n" not in self._buffer.text

    def _layout(self) -> Layout:
        typed = Window(
            BufferControl(self._buffer),
            wrap_lines=True,
            dont_extend_height=True,
            get_line_prefix=self._prefix,
        )
        below = Window(
            FormattedTextControl(self._below), height=1, dont_extend_height=True, wrap_lines=False
        )
        menu = CompletionsMenu(max_height=_MENU_ROWS)
        return Layout(HSplit([typed, menu, ConditionalContainer(below, filter=~is_done)]))

    def _prefix(self, line: int, wrap: int) -> StyleAndTextTuples:
        if line + wrap:
            return [("", "  ")]
        sign = ("class:you", f"{self._look.signs.you} ")
        return [("class:away", f"{mark} "), sign] if (mark := self._mark()) else [sign]

    def _below(self) -> StyleAndTextTuples:
        if self._hint:
            return [("class:hint", f"  {self._hint}")]
        return [("class:toolbar", f"  {self._toolbar()}")]

    def _key_comes(self, _sender: object) -> None:
        if self._enter.another_key():
            self._buffer.insert_text("\n")

    def _send(self) -> None:
        if self._app.is_running and not self._app.is_done:
            self._buffer.append_to_history()
            self._app.exit(result=self._buffer.text)

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _(_event: KeyPressEvent) -> None:
            self._any_key()
            self._buffer.complete_state = None
            self._enter.press()

        @keys.add("c-j")
        def _(_event: KeyPressEvent) -> None:
            self._any_key()
            if self._enter.has_just_broken_line:
                # The second half of a line end of other systems.
                self._buffer.delete_before_cursor(1)
                self._enter.press()
            elif self._enter.has_company:
                self._enter.press()
            else:
                self._buffer.insert_text("\n")

        @keys.add("escape", "enter")
        def _(_event: KeyPressEvent) -> None:
            self._any_key()
            self._buffer.insert_text("\n")

        @keys.add("c-c")
        def _(_event: KeyPressEvent) -> None:
            self.interrupt()

        @keys.add("c-d", filter=Condition(lambda: not self._buffer.text))
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        @keys.add("c-z", filter=Condition(lambda: sys.platform != "win32"))
        def _(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        @self._buffer.on_text_insert.add_handler
        def _(_buffer: Buffer) -> None:
            self._any_key()

        return keys

    def _any_key(self) -> None:
        self._hint, self._may_leave = "", False


class _Enter:
    """Tells the Enter that sends from the line ends of a paste, by what follows within a burst."""

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._is_reading = False
        self.has_company = False
        """Whether the key came in one piece with others before it, as in a paste; Ctrl-J typed by
        a person comes alone."""
        self.has_just_broken_line = False

    def press(self) -> None:
        """Send, unless another key comes at once."""
        self._timer = asyncio.get_running_loop().call_later(BURST, self._sent)

    def another_key(self) -> bool:
        """Whether this key makes the Enter before it a line end."""
        self.has_company = self._is_reading
        if not self._is_reading:
            # Keys that were read at once are all processed before the loop comes to this.
            self._is_reading = True
            asyncio.get_running_loop().call_soon(self._read)
        self.has_just_broken_line = self._timer is not None
        self.forget()
        return self.has_just_broken_line

    def forget(self) -> None:
        """Do not send."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _read(self) -> None:
        self._is_reading = False

    def _sent(self) -> None:
        self._timer = None
        self._send()


class _TypedAhead:
    """Keys typed while a reply came, one group for each message that they are to become."""

    def __init__(self) -> None:
        self._groups: list[list[KeyPress]] = []
        self._last_key = 0.0

    def add(self, key: KeyPress) -> None:
        """Take a key; one that comes a while after an Enter begins the next message."""
        now = asyncio.get_running_loop().time()
        is_apart, self._last_key = now - self._last_key > BURST, now
        if not self._groups or (is_apart and self._groups[-1][-1].key == Keys.Enter):
            self._groups.append([])
        self._groups[-1].append(key)

    def take(self) -> list[KeyPress]:
        """The keys of the next message."""
        return self._groups.pop(0) if self._groups else []

    def take_begun(self) -> list[KeyPress]:
        """The keys of a line that no Enter has ended."""
        if self._groups and self._groups[-1][-1].key != Keys.Enter:
            return self._groups.pop()
        return []

    def drop_bare(self, words: Collection[str]) -> bool:
        """Forget messages that are nothing but one of these words; whether there was any."""
        count = len(self._groups)
        self._groups = [
            group
            for group in self._groups
            if group[-1].key != Keys.Enter or not is_bare(group[:-1], words)
        ]
        return len(self._groups) < count

    def clear(self) -> None:
        """Forget what was typed."""
        self._groups.clear()


def output_of(stdout: TextIO) -> Output:
    """Without asking the terminal where its cursor is: many do not answer, and we need not know."""
    output = create_output(stdout)
    if isinstance(output, Vt100_Output):
        output.enable_cpr = False
    return output
