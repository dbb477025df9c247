"""Breaks text into lines by the cells it takes, wide characters and emoji counted as two."""

import io
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

_NARROWEST = 16
_GAP = "   "
# Rich asks a console only for its defaults when it wraps.
_CONSOLE = Console(file=io.StringIO(), width=80, _environ={})


def wrapped(text: Text, width: int) -> list[Text]:
    """Lines broken between words; a word that is too long is folded."""
    lines = list(text.wrap(_CONSOLE, max(width, 2), overflow="fold", tab_size=4))
    for line in lines:
        line.rstrip()
    return lines or [Text()]


def labelled(label: str, value: Text, *, cells: int, width: int, style: str) -> list[Text]:
    """A label in a column of so many cells, and beside it a text broken to what is left."""
    lines = wrapped(value, max(width - cells, _NARROWEST))
    return [
        Text.assemble((" " * cells if number else f"{label:<{cells}}", style), line)
        for number, line in enumerate(lines)
    ]


def flowed(entries: Sequence[Text], width: int) -> list[Text]:
    """Entries beside each other, none broken, as many lines as they need."""
    lines: list[Text] = []
    for entry in entries:
        if lines and lines[-1].cell_len + len(_GAP) + entry.cell_len <= width:
            lines[-1] = lines[-1] + _GAP + entry
        else:
            lines.append(entry)
    return lines


def folded(text: Text, width: int) -> list[Text]:
    """Lines broken where the width ends, white space kept: for code."""
    width = max(width, 2)
    text = text.copy()
    text.expand_tabs(4)
    if text.cell_len <= width:
        return [text]
    cuts, cells = [], 0
    for at, character in enumerate(text.plain):
        size = Text(character).cell_len
        if cells + size > width:
            cuts.append(at)
            cells = 0
        cells += size
    return list(text.divide(cuts))
