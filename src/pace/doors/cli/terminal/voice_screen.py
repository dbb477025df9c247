"""The screen of `pace voice`: what is heard and said, one word for the state, a line to type on.

What is over stands in the scrollback; below it live the turn that comes, the state with the
microphone's level, and the line.
"""

import asyncio
import shutil
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style
from rich.text import Text

from pace.asked import Words
from pace.chat import Change, ChangeKind, Divider, Row
from pace.doors.cli.terminal.asking import EARLY_HINT, LEAVE_HINT, SETTLE
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.commands import Asked, Message, Mistaken, parse
from pace.doors.cli.terminal.look import DIM, ERROR, Look
from pace.doors.cli.terminal.memory_view import facts_of, memory_lines
from pace.doors.cli.terminal.pages import divider, help_page
from pace.doors.cli.terminal.prompt import output_of
from pace.doors.cli.terminal.voice_commands import KEYS_SHOWN, VOICE_COMMANDS, VOICE_KEYS
from pace.doors.cli.terminal.voice_rows import finished_lines
from pace.doors.cli.terminal.voice_status import VoiceStatus
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.faults import fault_sentence
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.switching import mark_of
from pace.doors.voice.live import LiveConversation
from pace.memory.turn import TurnId, is_blank
from pace.ports import Approval
from pace.threads import EndCause

_ANSWERS = {
    **dict.fromkeys(("y", "yes"), Approval.ONCE),
    **dict.fromkeys(("n", "no"), Approval.NO),
    "always": Approval.ALWAYS,
}
_FRAME = 0.08
_SWEEP_SECONDS = 1.0
_LIVE_ROWS = 8
_STYLE = Style.from_dict(
    {
        "you": "ansicyan bold",
        "away": "ansiyellow",
        "heard": "dim italic",
        "said": "bold",
        "hint": "ansiyellow",
        "keys": "dim",
        "off": "dim",
        "listening": "ansigreen",
        "hearing": "ansigreen bold",
        "thinking": "ansiyellow",
        "speaking": "ansicyan bold",
    }
)


class VoiceScreen:
    """A spoken conversation on one terminal; `told` gets sentences from whatever is at work."""

    def __init__(
        self, chat: OpenChat, look: Look, live: LiveConversation, told: deque[str]
    ) -> None:
        self._chat = chat
        self._look = look
        self._live = live
        self._told = told
        self._canvas = Canvas(sys.stdout, look, shutil.get_terminal_size)
        self._status = VoiceStatus(look)
        self._hint = ""
        self._may_leave = False
        self._asked_at = 0.0
        self._over: deque[TurnId] = deque()
        self._actions: set[asyncio.Task[None]] = set()
        self._buffer = Buffer(multiline=False)
        self._app: Application[None] = Application(
            layout=self._layout(),
            style=_STYLE,
            key_bindings=self._bindings(),
            color_depth=ColorDepth.DEPTH_1_BIT if look.is_plain else ColorDepth.DEPTH_4_BIT,
            input=create_input(sys.stdin),
            output=output_of(sys.stdout),
            min_redraw_interval=_FRAME,
        )
        self._app.ttimeoutlen = 0.05

    async def run(self) -> None:
        """Until the person leaves."""
        unsubscribe = self._chat.session.subscribe(self._changed)
        life = asyncio.create_task(self._live.run(), name="live")
        beside = asyncio.create_task(self._beside(), name="beside")
        shown = asyncio.create_task(
            self._app.run_async(handle_sigint=False, set_exception_handler=False), name="screen"
        )
        tasks = {life, beside, shown}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unsubscribe()
            if self._app.is_running and not self._app.is_done:
                self._app.exit()
            await self._end(tasks, shown)
        for task in tasks:
            if not task.cancelled() and (fault := task.exception()) is not None:
                if isinstance(fault, EOFError):
                    continue
                raise fault

    async def _end(self, tasks: set[asyncio.Task[None]], shown: asyncio.Task[None]) -> None:
        await asyncio.wait([shown])
        for task in (*tasks, *self._actions):
            task.cancel()
        await asyncio.wait({*tasks, *self._actions})
        self._write_over()
        self._write_told()

    def interrupt(self) -> None:
        """Take Ctrl-C: stop the reply, clear the line, or leave at the second."""
        if self._may_leave and not self._buffer.text:
            if self._app.is_running and not self._app.is_done:
                self._app.exit()
            return
        self._buffer.reset()
        self._hint, self._may_leave = LEAVE_HINT, True
        self._do(self._stop())
        self.refresh()

    def refresh(self) -> None:
        """Draw what lives, soon."""
        if self._app.is_running:
            self._app.invalidate()

    # --- what happens

    def _changed(self, change: Change) -> None:
        line = change.line
        if isinstance(line, Row) and change.kind is ChangeKind.CHANGED:
            if not line.is_open and line.turn_id not in self._over:
                self._over.append(line.turn_id)
            if line.asks is not None:
                self._asked_at = asyncio.get_running_loop().time()
        elif isinstance(line, Divider) and line.cause is not EndCause.IDLE:
            self._over.clear()
        self.refresh()

    async def _beside(self) -> None:
        """Put what is over into the scrollback, and keep the level and the idle time true."""
        waited = 0.0
        while True:
            await asyncio.sleep(_FRAME)
            waited += _FRAME
            if waited >= _SWEEP_SECONDS:
                waited = 0.0
                await self._chat.memory()
            if self._over or self._told or not self._chat.ended.empty():
                await run_in_terminal(self._write_all)
            self.refresh()

    def _write_all(self) -> None:
        self._write_over()
        self._write_told()

    def _write_over(self) -> None:
        while self._over:
            row = self._chat.session.row(self._over.popleft())
            if row is not None and not row.is_open:
                self._canvas.write(*finished_lines(row, width=self._canvas.width, look=self._look))

    def _write_told(self) -> None:
        while self._told:
            self._write(safe_line(self._told.popleft()), ERROR)
        while not self._chat.ended.empty():
            ended = self._chat.ended.get_nowait()
            if ended.cause is EndCause.IDLE:
                minutes = self._chat.settings.activity.idle_minutes
                told = f"the conversation was cleared after {minutes} minutes"
                self._canvas.write(divider(told, self._canvas.width, self._look), "")

    def _write(self, sentence: str, style: str = DIM) -> None:
        self._canvas.write(*wrapped(Text(sentence, style), self._canvas.width), "")

    # --- what a person does

    async def _stop(self) -> None:
        await self._live.stop()

    def _talk(self) -> None:
        if self._live.is_open and not self._live.is_hands_free:
            self._live.end_talk()
        else:
            self._live.talk()

    def _hands_free(self) -> None:
        self._live.hands_free(on=not self._live.is_hands_free)

    def _mute(self) -> None:
        session = self._chat.session
        session.is_muted = not session.is_muted
        self._hint = "Replies are text from now on." if session.is_muted else "Replies sound again."
        if session.is_muted:
            self._do(self._stop())

    def _sent(self) -> None:
        text = self._buffer.text
        row = self._chat.session.open_row
        if row is not None and row.asks is not None and text.strip().lower() in _ANSWERS:
            self._answer(row.asks.call_id, _ANSWERS[text.strip().lower()])
            return
        self._buffer.reset()
        if is_blank(text):
            return
        match parse(text, VOICE_COMMANDS):
            case Asked(name):
                self._do(self._command(name))
            case Mistaken(sentence):
                self._hint = sentence
            case Message(words):
                self._do(self._live.type(Words(text=words)))

    def _answer(self, call_id: str, approval: Approval) -> None:
        self._buffer.reset()
        if asyncio.get_running_loop().time() - self._asked_at < SETTLE:
            self._hint = EARLY_HINT
        else:
            self._chat.approvals.answer(call_id, approval)

    async def _command(self, name: str) -> None:
        match name:
            case "quit":
                self._app.exit()
            case "hands":
                self._hands_free()
            case "mute":
                self._mute()
            case "reset":
                await self._live.stop()
                await self._chat.companion.reset(self._chat.thread_id)
                self._hint = "Forgotten. A new conversation begins."
            case "memory":
                facts = await facts_of(self._chat, tell=self._told.append)
                lines = memory_lines(facts, width=self._canvas.width, look=self._look)
                await run_in_terminal(partial(self._canvas.write, *lines, ""))
            case _:
                lines = help_page(self._canvas.width, commands=VOICE_COMMANDS, keys=VOICE_KEYS)
                await run_in_terminal(partial(self._canvas.write, *lines, ""))

    def _do(self, action: Awaitable[None]) -> None:
        """Begin what a key asked for; a fault of it is told, and the conversation goes on."""

        async def done() -> None:
            try:
                await action
            except Exception as error:  # noqa: BLE001  # the loop would print it, words and all
                self._told.append(f"{fault_sentence(error)} You can go on.")

        task = asyncio.create_task(done(), name="key")
        self._actions.add(task)
        task.add_done_callback(self._actions.discard)

    # --- what lives below

    def _layout(self) -> Layout:
        live = Window(FormattedTextControl(self._turn), wrap_lines=True, dont_extend_height=True)
        status = Window(FormattedTextControl(self._state), height=1, dont_extend_height=True)
        line = Window(
            BufferControl(self._buffer),
            wrap_lines=True,
            dont_extend_height=True,
            get_line_prefix=self._prefix,
        )
        keys = Window(FormattedTextControl(self._keys), height=1, dont_extend_height=True)
        return Layout(HSplit([live, status, line, keys]), focused_element=line)

    def _turn(self) -> StyleAndTextTuples:
        """The words that are being heard, or the turn that is being answered."""
        if words := self._live.words:
            dots = self._look.signs.dots
            return [("class:heard", f"{self._look.signs.you} {safe_line(words)}{dots}\n")]
        row = self._chat.session.open_row
        if row is None or row.turn_id in self._over:
            return []
        parts: StyleAndTextTuples = [
            ("class:you", f"{self._look.signs.you} "),
            ("class:said", f"{safe_line(row.user_text)}\n"),
        ]
        tail = safe_text(row.reply_text).strip().splitlines()[-_LIVE_ROWS:]
        parts += [("", f"{line}\n") for line in tail]
        if row.asks is not None:
            would = f"Pace would {safe_line(row.asks.would)}."
            parts += [
                ("class:hint", f"{would}\n"),
                ("class:keys", "Say yes or no, or type y, n or always, then Enter\n"),
            ]
        return parts

    def _state(self) -> StyleAndTextTuples:
        state = self._live.state
        style = f"class:{state.value}"
        parts: StyleAndTextTuples = [
            (style, self._status.told(state, self._live.level, is_open=self._live.is_open)),
        ]
        marks = []
        if self._live.is_hands_free:
            marks.append("hands-free")
        if self._chat.session.is_muted:
            marks.append("muted")
        if marks:
            parts.append(("class:keys", f"  {', '.join(marks)}"))
        return parts

    def _keys(self) -> StyleAndTextTuples:
        if self._hint:
            return [("class:hint", f"  {self._hint}")]
        dot = f" {self._look.signs.dot} "
        return [("class:keys", f"  {dot.join(KEYS_SHOWN)}")]

    def _prefix(self, line: int, wrap: int) -> StyleAndTextTuples:
        if line + wrap:
            return [("", "  ")]
        sign = ("class:you", f"{self._look.signs.you} ")
        if who := mark_of(self._chat.settings):
            return [("class:away", f"{who} {self._look.signs.away} "), sign]
        return [sign]

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        is_empty = Condition(lambda: not self._buffer.text)

        def bind(name: str, act: Callable[[], None], *, only_empty: bool = False) -> None:
            def press(_event: KeyPressEvent) -> None:
                self._hint, self._may_leave = "", False
                act()

            keys.add(name, filter=is_empty if only_empty else True)(press)

        bind("space", self._talk, only_empty=True)
        bind("enter", self._sent)
        bind("escape", lambda: self._do(self._stop()))
        bind("f2", self._hands_free)
        bind("f3", self._mute)
        keys.add("c-c")(lambda _event: self.interrupt())
        keys.add("c-d", filter=is_empty)(lambda event: event.app.exit())

        def typed(_buffer: Buffer) -> None:
            self._hint, self._may_leave = "", False

        self._buffer.on_text_insert += typed
        return keys
