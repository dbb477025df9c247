"""Shows one turn: what the planner does, the reply as it comes, and what is to be said of it."""

import asyncio
from collections.abc import Callable, Iterator

from rich.text import Text

from pace.companion import TurnReport
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import DIM, WARNING
from pace.doors.cli.terminal.reply import ReplyView
from pace.doors.safe_text import safe_line
from pace.ports import PlannerEvent, Reading, TextDelta, Thinking

# What takes less is not worth a line that comes and goes.
_PATIENCE = 0.7
_FRAME = 0.04
# After so long it may help to know how to stop.
_LONG = 3.0


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
        self._shown: str | None = None

    async def say(self, event: PlannerEvent) -> None:
        """Take an event; the next frame shows it."""
        if isinstance(event, TextDelta):
            self._reply.feed(event.text)
            self._last_words = asyncio.get_running_loop().time()
        self._event = event

    async def run(self) -> None:
        """Show a frame after the other."""
        while True:
            if notices := self._notices():
                self._canvas.write(*notices)
            status = self._status()
            told = None if status is None else status.plain
            if self._reply.is_changed or told != self._shown:
                self._shown = told
                self._reply.draw(status)
            await asyncio.sleep(_FRAME)

    def finish(self) -> None:
        """Show the reply to its end, and no status any more."""
        self._reply.finish()

    def report(self, report: TurnReport) -> None:
        """Say below the reply what a person should know of it."""
        for line in _remarks(report, self._canvas.look.signs.dots):
            self._canvas.write(line)

    def _status(self) -> Text | None:
        now = asyncio.get_running_loop().time()
        seconds = now - self._last_words
        if seconds < _PATIENCE:
            return None
        match self._event:
            case Reading(done=done, total=total) if done < total:
                doing = f"reading {done:,} of {total:,}"
            case Thinking():
                doing = f"thinking, {int(seconds)} s"
            case TextDelta():
                return None
            case _:
                doing = "waiting for the model"
                doing += f", {int(seconds)} s" if seconds >= 1 else ""
        stop = f" {self._canvas.look.signs.dot} Ctrl-C stops" if seconds > _LONG else ""
        return Text(f"{doing}{stop}", DIM)


def _remarks(report: TurnReport, dots: str) -> Iterator[Text]:
    if report.interrupted:
        yield Text(f"{dots} stopped; what was said is kept", WARNING)
    if report.broke_off:
        yield Text(f"{dots} the model broke off, /continue asks for the rest", WARNING)
    elif report.cut_off:
        yield Text(f"{dots} cut at the reply limit, /continue goes on", WARNING)
    if report.gave_way:
        yield Text(f"to fit the model's context: {safe_line('; '.join(report.gave_way))}", DIM)
    if not (report.interrupted or report.remembered):
        yield Text("this turn is not remembered", DIM)
