"""Writes what was found: with a few colours on a terminal, plain everywhere else.

Whatever is stored has been made safe before it comes here; nothing in it is read as markup.
"""

import os
import sys
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from pace.doors.cli.terminal.look import DIM, look_of

_SHORTEST_LAST = 6
_APART = 2


class Page:
    """Standard output as a page of text."""

    def __init__(self) -> None:
        look = look_of(sys.stdout, os.environ)
        self._is_plain = look.is_plain
        self._console = Console(
            file=sys.stdout,
            force_terminal=not look.is_plain,
            no_color=look.is_plain,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def write(self, *pieces: str | tuple[str, str] | Text) -> None:
        """A line of pieces, which a terminal gets word by word; a pair is a piece and its style."""
        line = Text.assemble(*pieces)
        if self._is_plain:
            sys.stdout.write(f"{line.plain}\n")
        else:
            self._console.print(line)

    def heading(self, *pieces: str | tuple[str, str]) -> None:
        """One line of pieces that is cut where a terminal ends."""
        line = Text.assemble(*pieces)
        if not self._is_plain:
            line.truncate(self._console.width, overflow="ellipsis")
        self.write(line)

    def table(self, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
        """Columns as wide as they have to be; on a terminal, the last is cut at its edge."""
        widths = [max(cell_len(row[at]) for row in (heads, *rows)) for at in range(len(heads) - 1)]
        left = self._console.width - sum(widths) - _APART * len(widths)
        for row in (heads, *rows):
            cells = [set_cell_size(cell, width) for cell, width in zip(row, widths, strict=False)]
            last = row[-1] if self._is_plain else _cut(row[-1], max(left, _SHORTEST_LAST))
            line = (" " * _APART).join((*cells, last)).rstrip()
            self.write((line, DIM) if row is heads else line)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"
