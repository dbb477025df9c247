"""Shows one turn: what the planner does, the reply as it comes, and what is to be said of it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from pace.asked import TurnReport
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import ACCENT, DIM, WARNING
from pace.doors.cli.terminal.reply import ReplyView
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.safe_text import safe_line, safe_text
from pace.ports import (
    Finished,
    Loading,
    Notice,
    PlannerEvent,
    Reading,
    Reasoned,
    Shown,
    TextDelta,
    Thinking,
)

# What takes less is not worth a line that comes and goes.
_PATIENCE = 0.7
_FRAME = 0.04
# After so long it may help to know how to stop.
_LONG = 3.0
_WAS_REASONING = "what stands above this line was reasoning; the reply begins here"


class TurnView:
    """The events of one turn on the canvas. `run` keeps it up to date, until it is cancelled.

    `notices` gives what is to be told ahead of the reply, once.
    """

    def __init__(self, canvas: Canvas, notices: Callable[[], list[Text]]) -> None:
        self._canvas = canvas
        self._notices = notices
        self._reply = ReplyView(canvas)
        self._began = asyncio.get_running_loop().time()
        self._last_words = self._began
        self._event: PlannerEvent | None = None
        self._shown: Sequence[str] = ()
        self._question: Sequence[Text] = ()
        self._typed: str | None = None
        self._hint = ""
        self._told: list[Text] = []
        self._brought: list[str] = []
        self._has_thoughts = False

    async def say(self, event: PlannerEvent) -> None:
        """Take an event; the next frame shows it."""
        match event:
            case TextDelta(text):
                self._reply.feed(text)
                self._last_words = asyncio.get_running_loop().time()
            case Reasoned():
                self._reply.finish()
                self._reply = ReplyView(self._canvas)
                self._has_thoughts = True
                self._told += [Text(_WAS_REASONING, DIM), Text()]
            case Thinking(text):
                self._has_thoughts = self._has_thoughts or bool(text)
            case Notice(sentence):
                self._told += [Text(safe_line(sentence), DIM), Text()]
                return
            case Shown(text):
                self._brought.append(text)
                return
            case _:
                pass
        self._event = event

    async def run(self) -> None:
        """Show a frame after the other."""
        while True:
            below = self._asked() or self._status()
            # What would stand in the middle of a block waits for its end, or for words to rest.
            waits = self._reply.is_mid_block and not below
            notices = [] if waits else self._take_notices()
            if notices:
                self._tell(notices, below)
            told = [line.plain for line in below]
            if notices or self._reply.is_changed or told != self._shown:
                self._shown = told
                self._reply.draw(below)
            await asyncio.sleep(_FRAME)

    def ask(self, question: Sequence[Text]) -> None:
        """Have a question stand below the words, in place of what the planner does; none ends it.

        Where nothing can stand below and go again, it is written once.
        """
        if self._canvas.look.is_plain and question:
            self._canvas.write("", *question)
        self._question = question
        self._typed, self._hint = None, ""

    def show_typed(self, typed: str, hint: str) -> None:
        """Have the line that is typed at the question stand below it, and a hint below that."""
        before, self._typed = self._typed, typed
        is_new_hint, self._hint = hint != self._hint, hint
        if not self._canvas.look.is_plain:
            return
        if before is not None and typed.startswith(before) and typed and not is_new_hint:
            self._canvas.write_raw(safe_line(typed[len(before) :]))
            return
        if before is not None:
            self._canvas.write_raw("\n")
        if hint:
            self._canvas.write(hint)
        self._canvas.write_raw(f"> {safe_line(typed)}")

    def finish(self) -> None:
        """Show the reply to its end, what actions brought below it, and no status any more."""
        notices = self._take_notices()
        if not self._reply.is_begun:
            self._canvas.write(*notices)
        self._reply.finish()
        if self._reply.is_begun and notices:
            self._canvas.write(*_below_words(notices))
        bar = f"{self._canvas.look.signs.bar} "
        for text in self._brought:
            lines = wrapped(Text(safe_text(text), DIM), self._canvas.width - len(bar))
            self._canvas.write(Text(), *(Text(bar, DIM) + line for line in lines))

    def report(self, report: TurnReport) -> None:
        """Say below the reply what a person should know of it."""
        for line in _remarks(report, self._canvas.look.signs.dots):
            self._canvas.write(line)
        if self._has_thoughts:
            self._canvas.write(Text("it thought first; /thinking shows what", DIM))

    def _tell(self, notices: Sequence[Text], below: Sequence[Text]) -> None:
        """Write what is told meanwhile in the place of what is live, which follows anew.

        Words that rest stay above it, since it came after them. A question that was only written
        once is written again.
        """
        if not self._canvas.look.is_plain:
            is_below = below and self._reply.rest()
            self._canvas.write(*(_below_words(notices) if is_below else notices))
            return
        if self._typed is not None:
            self._canvas.write_raw("\n")
        else:
            self._reply.end_line()
        self._canvas.write(*notices, *self._question)
        if self._typed is not None:
            self._canvas.write_raw(f"> {safe_line(self._typed)}")

    def _asked(self) -> Sequence[Text]:
        """The question, what is typed at it, and a hint."""
        if self._typed is None:
            return self._question
        sign = f"{self._canvas.look.signs.you} "
        # Of a line that is longer than the screen is wide, its end.
        end = wrapped(Text(safe_line(self._typed)), self._canvas.width - len(sign))[-1]
        hint = wrapped(Text(self._hint, WARNING), self._canvas.width) if self._hint else []
        return [*self._question, Text(sign, ACCENT) + end, *hint]

    def _take_notices(self) -> list[Text]:
        told, self._told = self._told, []
        return [*self._notices(), *told]

    def _status(self) -> Sequence[Text]:
        now = asyncio.get_running_loop().time()
        seconds = now - self._last_words
        if seconds < _PATIENCE:
            return ()
        match self._event:
            case Reading(done=done, total=total) if done < total:
                doing = f"reading {done:,} of {total:,}"
            case Loading(model=model):
                doing = f"the server loads {safe_line(model) or 'its model'}, {int(seconds)} s"
            case Thinking():
                doing = f"thinking, {int(seconds)} s"
            case TextDelta() | Finished():
                return ()
            case _:
                doing = "waiting for the model"
                doing += f", {int(seconds)} s" if seconds >= 1 else ""
        stop = f" {self._canvas.look.signs.dot} Ctrl-C stops" if seconds > _LONG else ""
        return (Text(f"{doing}{stop}", DIM),)


def _below_words(notices: Sequence[Text]) -> list[Text]:
    """Notices with the blank line ahead of them, since none follows the last words."""
    last = max((at for at, line in enumerate(notices) if line.plain), default=-1)
    return [Text(), *notices[: last + 1]]


def _remarks(report: TurnReport, dots: str) -> Iterator[Text]:
    if report.interrupted:
        yield Text(f"{dots} stopped; what was said is kept", WARNING)
    if report.broke_off:
        yield Text(f"{dots} the model broke off, /continue asks for the rest", WARNING)
    elif report.cut_off:
        yield Text(f"{dots} cut at the reply limit, /continue goes on", WARNING)
    if report.trouble:
        yield Text(f"{dots} then it failed: {safe_line(report.trouble)}", WARNING)
    if report.gave_way:
        yield Text(f"to fit the model's context: {safe_line('; '.join(report.gave_way))}", DIM)
    if not (report.interrupted or report.remembered):
        yield Text("this turn is not remembered", DIM)
