"""Sets a table's cells in columns that fit, or, where there is no room, as one entry per row."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.text import Text

from pace.doors.cli.terminal.look import DIM, STRONG, Look
from pace.doors.cli.terminal.wrapping import wrapped

_GAP = 2
# A column narrower than this breaks almost every word.
_NARROWEST = 6


def table_lines(rows: Sequence[Sequence[Text]], width: int, look: Look) -> list[Text]:
    """Lines for a table whose first row is its head."""
    head, *body = rows
    columns = _column_widths(rows, width)
    if columns is None:
        return _entries(head, body, width)
    for cell in head:
        cell.stylize(STRONG)
    rule = Text((" " * _GAP).join(look.signs.rule * column for column in columns), DIM)
    lines = [*_row(head, columns), rule]
    for cells in body:
        lines += _row(cells, columns)
    return lines


def _column_widths(rows: Sequence[Sequence[Text]], width: int) -> list[int] | None:
    """Each column's cells, the widest ones narrowed until all fit; None if they cannot."""
    natural = [
        max((cell.cell_len for cell in column if cell is not None), default=1) or 1
        for column in zip_longest(*rows)
    ]
    room = width - _GAP * (len(natural) - 1)
    if room < sum(min(cells, _NARROWEST) for cells in natural):
        return None
    while sum(natural) > room:
        widest = natural.index(max(natural))
        natural[widest] -= 1
    return natural


def _row(cells: Sequence[Text], columns: Sequence[int]) -> list[Text]:
    stacks = [wrapped(cell, column) for cell, column in zip(cells, columns, strict=False)]
    lines = []
    for parts in zip_longest(*stacks):
        line = Text()
        for part, column in zip(parts, columns, strict=False):
            cell = part or Text()
            line += cell + " " * (column - cell.cell_len + _GAP)
        line.rstrip()
        lines.append(line)
    return lines


def _entries(head: Sequence[Text], body: Sequence[Sequence[Text]], width: int) -> list[Text]:
    lines: list[Text] = []
    for cells in body or [[Text()] * len(head)]:
        if lines:
            lines.append(Text())
        for name, cell in zip(head, cells, strict=False):
            label = name.copy()
            label.stylize(STRONG)
            lines += wrapped(label + ": " + cell, width)
    return lines
