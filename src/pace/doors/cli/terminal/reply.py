"""Shows a reply while it comes: finished blocks go into the scrollback, the open one stays live.

Of an open block that outgrows the screen, the lines at its beginning are finished early; a table,
whose columns still grow, shows its end until it is whole. Whatever happens, no word is lost.
"""

import re
from collections.abc import Sequence

from rich.text import Text

from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.inline import closed
from pace.doors.cli.terminal.markdown import Markdown
from pace.doors.safe_text import SafeTextStream

# A last line of which nothing can be told yet: the mark of a list, a heading, a fence, a table.
_UNDECIDED = re.compile(r"(?:^|\n)[ \t>]*(?:[-*+_=#|`~:]+[ \t]*|\d{1,9}[.)]?[ \t]*)\Z")


class ReplyView:
    """One reply on the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._markdown = Markdown(canvas.look)
        self._safe = SafeTextStream()
        self._open = ""
        self._printed: list[str] = []
        self._has_blocks = False
        self.is_changed = False
        self.is_begun = False
        """Whether words of it stand on the screen."""

    @property
    def is_mid_block(self) -> bool:
        """Whether a block stands in the scrollback with its beginning, and its end does not."""
        return bool(self._printed)

    def feed(self, text: str) -> None:
        """Take words of the reply, as the planner gave them; `draw` shows them."""
        safe = self._safe.feed(text)
        if self._canvas.look.is_plain:
            self._canvas.write_raw(safe)
            self.is_begun = self.is_begun or bool(safe)
        self._open += safe
        self.is_changed = True

    def draw(self, status: Sequence[Text] = ()) -> None:
        """Bring the screen up to date, with lines about what is going on below the words."""
        self.is_changed = False
        if self._canvas.look.is_plain:
            return
        done = self._finished_blocks()
        source = _decided(self._open)
        kind = self._markdown.last_block(source)
        if kind not in {"fence", "code_block"}:
            source = closed(source)
        live = self._unprinted(source) if source.strip() else []
        below = [*([Text()] if self._has_words and status else []), *status]
        self.is_begun = self._has_words
        too_many = len(live) + len(below) - self._canvas.live_rows
        if too_many > 0 and kind != "table":
            done += live[:too_many]
            self._printed += [line.plain for line in live[:too_many]]
        self._canvas.update(done=done, live=[*live[max(too_many, 0) :], *below])

    def rest(self) -> bool:
        """Write the words so far for good, though more may follow; whether there are any."""
        if not self._canvas.look.is_plain:
            done = self._finished_blocks()
            if self._open.strip():
                lines = self._unprinted(self._open)
                self._printed += [line.plain for line in lines]
                done += lines
            self._canvas.update(done=done, live=[])
        return self._has_words

    def end_line(self) -> None:
        """Let what is told meanwhile begin a line of its own, where words are written as they come.

        Elsewhere it always does.
        """
        if self._canvas.look.is_plain and self._open and not self._open.endswith("\n"):
            self._canvas.write_raw("\n")

    def finish(self) -> None:
        """Show the reply to its end; nothing of it is live any more."""
        self.feed_rest()
        if self._canvas.look.is_plain:
            self.end_line()
            return
        done = self._finished_blocks()
        if self._open.strip():
            done += self._unprinted(self._open)
        self._open, self._printed = "", []
        self._canvas.update(done=done, live=[])

    def feed_rest(self) -> None:
        """Take what was held because its next character might have changed it."""
        rest = self._safe.finish()
        if self._canvas.look.is_plain:
            self._canvas.write_raw(rest)
        self._open += rest

    @property
    def _has_words(self) -> bool:
        return self._has_blocks or bool(self._open.strip())

    def _finished_blocks(self) -> list[Text]:
        """Take off the blocks after which, by a whole line, another one has begun."""
        whole = self._open[: self._open.rfind("\n") + 1]
        starts = self._markdown.block_starts(whole)
        if len(starts) < 2:  # noqa: PLR2004  # a block and the one after it
            return []
        lines = whole.split("\n")
        finished = "\n".join(lines[: starts[-1]]) + "\n"
        done = [*self._unprinted(finished), Text()]
        self._open = self._open[len(finished) :]
        self._printed = []
        self._has_blocks = True
        return done

    def _unprinted(self, source: str) -> list[Text]:
        """The lines of the open source that are not in the scrollback yet."""
        lines = self._markdown.lines(source, self._canvas.width)
        count = len(self._printed)
        if [line.plain for line in lines[:count]] == self._printed:
            return lines[count:]
        return lines[_first_line_not_in(self._printed, lines) :]


def _decided(source: str) -> str:
    """The source without a last line that could still become anything."""
    if undecided := _UNDECIDED.search(source):
        return source[: undecided.start()]
    return source


def _first_line_not_in(printed: Sequence[str], lines: Sequence[Text]) -> int:
    """Where to go on when lines came out otherwise than they were printed.

    That is the line of the first letter that differs, so that some may be shown twice, none never.
    """
    before = "".join("".join(line.split()) for line in printed)
    at = 0
    for number, line in enumerate(lines):
        letters = "".join(line.plain.split())
        if before[at : at + len(letters)] != letters:
            return number
        at += len(letters)
        if at >= len(before):
            return number + 1
    return len(lines)
