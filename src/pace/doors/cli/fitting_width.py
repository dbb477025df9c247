"""Sentences and tables for whoever reads them: within a terminal's width, whole for a program.

One home for it, so that no command of Pace's breaks a word where a screen ends.
"""

import shutil
import sys
from collections.abc import Sequence
from typing import TextIO

import click

_GAP = 2
_INDENT = "  "
# A screen narrower than this breaks words whatever is done.
_NARROWEST = 20


def say(sentence: str, *, err: bool = False) -> None:
    """Write a sentence, broken between its words where a terminal ends."""
    for line in sentence_lines(sentence, _width_of(sys.stderr if err else sys.stdout)):
        click.echo(line, err=err)


def show_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Write a table."""
    for line in table_lines(heads, rows, _width_of(sys.stdout)):
        click.echo(line)


def sentence_lines(sentence: str, width: int | None) -> list[str]:
    """The lines of a text, its own line ends kept."""
    if width is None or len(sentence) < width // 2:
        return [sentence]
    return [line for part in sentence.split("\n") for line in _wrapped(part, width)]


def table_lines(
    heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int | None
) -> list[str]:
    """Columns as wide as they have to be; narrowed to a width, or, where words do not fit, none."""
    columns = [max(len(row[at]) for row in (heads, *rows)) for at in range(len(heads))]
    if width is not None and sum(columns) + _GAP * (len(heads) - 1) > width:
        narrow = _narrowed(columns, (heads, *rows), width)
        if narrow is None:
            return _entries(heads, rows, width)
        columns = narrow
        return [line for row in (heads, *rows) for line in _row(row, columns)]
    return [_joined(row, columns) for row in (heads, *rows)]


def _width_of(stream: TextIO) -> int | None:
    """The cells of a terminal; None for a file or another program, which break lines by themselves.

    One fewer than there are: some terminals go to the next line at the last one.
    """
    if not stream.isatty():
        return None
    return max(shutil.get_terminal_size().columns - 1, _NARROWEST)


def _narrowed(
    columns: Sequence[int], rows: Sequence[tuple[str, ...]], width: int
) -> list[int] | None:
    """The widest columns made narrower until all fit; None if one would break a word."""
    least = [
        max(len(word) for row in rows for word in (row[at].split() or [""]))
        for at in range(len(columns))
    ]
    room = width - _GAP * (len(columns) - 1)
    if sum(least) > room:
        return None
    narrow = list(columns)
    while sum(narrow) > room:
        can = [at for at, cells in enumerate(narrow) if cells > least[at]]
        narrow[max(can, key=narrow.__getitem__)] -= 1
    return narrow


def _row(cells: tuple[str, ...], columns: Sequence[int]) -> list[str]:
    stacks = [_wrapped(cell, column) for cell, column in zip(cells, columns, strict=True)]
    height = max(map(len, stacks))
    parts = [[*stack, *[""] * (height - len(stack))] for stack in stacks]
    return [_joined(line, columns) for line in zip(*parts, strict=True)]


def _joined(cells: Sequence[str], columns: Sequence[int]) -> str:
    padded = (cell.ljust(column) for cell, column in zip(cells, columns, strict=True))
    return (" " * _GAP).join(padded).rstrip()


def _entries(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Each row as a paragraph: its name, and what is to be said of it below."""
    named = next(at for at, head in enumerate(heads) if head)
    lines: list[str] = []
    for row in rows:
        lines += _wrapped(" ".join(filter(None, row[: named + 1])), width)
        told = [
            f"{head.lower()}: {cell}" if head else cell
            for head, cell in zip(heads[named + 1 :], row[named + 1 :], strict=True)
            if cell
        ]
        lines += [f"{_INDENT}{line}" for line in _wrapped("; ".join(told), width - len(_INDENT))]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    from rich.text import Text  # noqa: PLC0415  # slow

    from pace.doors.cli.terminal.wrapping import wrapped  # noqa: PLC0415  # slow

    return [line.plain for line in wrapped(Text(text), max(width, 1))]
