"""Writes lines to a terminal: finished ones once, for good, and below them a few that may change.

Finished lines belong to the scrollback and are never touched again. Of the live ones only what
differs is written anew, over what stood there, so that nothing flickers. There are never more of
them than the screen has rows.
"""

import io
from collections.abc import Callable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from pace.doors.cli.terminal.look import Look

_CLEAR_LINE_END = "\x1b[K"
_CLEAR_BELOW = "\x1b[J"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
# Terminals that know it show everything in between at once; others pass over it.
_BEGIN_UPDATE, _END_UPDATE = "\x1b[?2026h", "\x1b[?2026l"


class Canvas:
    """One terminal's output. Whoever has it is the only one who writes there."""

    def __init__(self, stream: TextIO, look: Look, size: Callable[[], tuple[int, int]]) -> None:
        self.look = look
        self._stream = stream
        self._size = size
        self._live: list[str] = []
        self._live_cells: list[int] = []
        # As wide as can be: lines come already wrapped.
        self._console = Console(
            file=io.StringIO(),
            force_terminal=not look.is_plain,
            color_system=None if look.is_plain else "standard",
            width=10_000,
            legacy_windows=False,
            highlight=False,
            emoji=False,
            markup=False,
            _environ={},
        )

    @property
    def width(self) -> int:
        """The cells that a line may take; one fewer than there are, so that none wraps."""
        return max(self._size()[0] - 1, 8)

    @property
    def live_rows(self) -> int:
        """How many lines may be live at once."""
        return max(self._size()[1] - 2, 1)

    def write(self, *lines: Text | str) -> None:
        """Write finished lines."""
        self.update(done=[Text(line) if isinstance(line, str) else line for line in lines], live=[])

    def write_raw(self, text: str) -> None:
        """Write safe words as they come, on a plain terminal."""
        self._stream.write(text)
        self._stream.flush()

    def send(self, sequence: str) -> None:
        """Send a control sequence of Pace's own; nothing on a plain terminal."""
        if not self.look.is_plain:
            self._stream.write(sequence)
            self._stream.flush()

    def hide_cursor(self) -> None:
        """Hide the cursor while Pace writes."""
        self.send(_HIDE_CURSOR)

    def show_cursor(self) -> None:
        """Show the cursor again."""
        self.send(_SHOW_CURSOR)

    def update(self, *, done: Sequence[Text], live: Sequence[Text]) -> None:
        """Put finished lines where the live ones began, and new live ones below them.

        On a plain terminal live lines are not shown.
        """
        if self.look.is_plain:
            self._stream.write("".join(f"{line.plain}\n" for line in done))
            self._stream.flush()
            return
        new = [self._ansi(line) for line in (*done, *live)]
        old = self._live
        same = _common(old, new)
        if new and same == len(new) < len(old):
            # The cursor has to end behind the last line, so that one is written again.
            same -= 1
        out = [self._back_to(same)] if same < len(old) else ["\n"] if old and new[same:] else []
        out.append("\n".join(f"{line}{_CLEAR_LINE_END}" for line in new[same:]))
        if len(new) < len(old):
            out.append(_CLEAR_BELOW)
        if new and not live:
            out.append("\n")
        if written := "".join(out):
            self._stream.write(f"{_BEGIN_UPDATE}{written}{_END_UPDATE}" if old else written)
            self._stream.flush()
        self._live = new[len(done) :]
        self._live_cells = [line.cell_len for line in live]

    def _back_to(self, index: int) -> str:
        """From the end of the last live line to where the line of this index begins.

        A screen made narrower meanwhile has wrapped the lines, so that each may take several rows.
        """
        columns = max(self._size()[0], 1)
        up = sum(max(1, -(-cells // columns)) for cells in self._live_cells[index:]) - 1
        return f"\r\x1b[{up}A" if up else "\r"

    def _ansi(self, line: Text) -> str:
        with self._console.capture() as captured:
            self._console.print(line, end="", soft_wrap=True)
        return captured.get()


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        count += 1
    return count
