"""A screen in memory behind a canvas, for tests that need no program."""

import io

import pyte

from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import Look, Signs

UNICODE = Signs(
    you="›", bar="│", rule="─", bullet="•", full="━", free="─", dot="·", dots="…", away="↗"
)
FULL = Look(is_plain=False, can_edit=True, signs=UNICODE)
PLAIN = Look(is_plain=True, can_edit=False, signs=UNICODE)


class Drawn(io.StringIO):
    """What is written goes to a pyte screen with scrollback."""

    def __init__(self, columns, rows):
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, rows, history=100_000, ratio=0.5)
        self._stream = pyte.Stream(self.screen)
        self.written = ""

    def write(self, text):
        self.written += text
        self._stream.feed(text.replace("\n", "\r\n"))
        return len(text)

    def scrollback(self):
        return [
            "".join(line[x].data for x in range(self.screen.columns)).rstrip()
            for line in self.screen.history.top
        ]

    def lines(self):
        """Scrollback and screen, without the empty end."""
        lines = [*self.scrollback(), *(line.rstrip() for line in self.screen.display)]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def canvas_on(columns, rows, look=FULL):
    drawn = Drawn(columns, rows)
    return drawn, Canvas(drawn, look, lambda: (columns, rows))
