"""Reads rows from a database file's pages without asking SQLite, which needs more of a file whole.

Every leaf page of a table is read, whether anything leads to it or not. What is deleted is
overwritten, so that no deleted row is met. The format is SQLite's own
(www.sqlite.org/fileformat2.html).
"""

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from pace.journal.log import Log

Value = int | float | str | bytes | None
Row = tuple[int, list[Value]]

_MAGIC = b"SQLite format 3\0"
_USUAL_SIZE = 4096
_LEAF = 0x0D
_CELLS_AT = 8
# SQLite's own limit for a row.
_LONGEST = 2**31
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12


class RawPages:
    """The pages of a file, with what was written ahead of it.

    To be closed after every connection to the file: closing it undoes SQLite's locks.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._log_file = None
        log = Log.of(path)
        self._logged = {} if log is None else log.pages
        if self._logged:
            self._log_file = path.with_name(f"{path.name}-wal").open("rb")
        head = self._file.read(100)
        self._size, reserved = _sizes(head, log)
        self._usable = self._size - reserved
        on_disk = os.fstat(self._file.fileno()).st_size // self._size
        self._count = max(on_disk, *self._logged, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if self._log_file is not None:
            self._log_file.close()

    def rows(self) -> Iterator[Row]:
        """Every row of every table that can be made out: its number, and its values in order."""
        for number in range(2, self._count + 1):
            page = self._page(number)
            if page[:1] != bytes([_LEAF]):
                continue
            for cell in range(int.from_bytes(page[3:5], "big")):
                at = _CELLS_AT + 2 * cell
                with suppress(IndexError, ValueError, struct.error):
                    yield self._row(page, int.from_bytes(page[at : at + 2], "big"))

    def _page(self, number: int) -> bytes:
        if number in self._logged and self._log_file is not None:
            self._log_file.seek(self._logged[number])
            return self._log_file.read(self._size)
        self._file.seek((number - 1) * self._size)
        return self._file.read(self._size)

    def _row(self, page: bytes, at: int) -> Row:
        length, at = _number(page, at)
        row, at = _number(page, at)
        if not 0 < length < _LONGEST or not 0 < row < 2**63:
            raise ValueError("no row")
        here = self._length_here(length)
        record = page[at : at + here]
        if here < length:
            record += self._overflow(page[at + here : at + here + 4], length - here)
        return row, _values(record)

    def _length_here(self, length: int) -> int:
        """How much of a row stands on its own page."""
        most = self._usable - 35
        if length <= most:
            return length
        least = (self._usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (self._usable - 4)
        return here if here <= most else least

    def _overflow(self, first: bytes, length: int) -> bytes:
        """The rest of a row, as far as its pages lead."""
        rest = bytearray()
        number = int.from_bytes(first, "big")
        # Not more pages than there are: damage may lead in a circle.
        for _ in range(self._count):
            if len(rest) >= length or not 1 < number <= self._count:
                break
            page = self._page(number)
            rest += page[4 : self._usable]
            number = int.from_bytes(page[:4], "big")
        return bytes(rest[:length])


def _sizes(head: bytes, log: Log | None) -> tuple[int, int]:
    """The size of a page, and what of it is not used; the usual, if the file does not say it."""
    written = int.from_bytes(head[16:18], "big")
    size = 65536 if written == 1 else written
    if head.startswith(_MAGIC) and 512 <= size <= 65536 and not size & (size - 1):  # noqa: PLR2004
        return size, head[20] if head[20] <= 32 else 0  # noqa: PLR2004
    return (_USUAL_SIZE if log is None else log.page_size), 0


def _values(record: bytes) -> list[Value]:
    """The values of a record; of what is missing at its end, as much as is there."""
    ends, at = _number(record, 0)
    if ends > len(record):
        raise ValueError("no record")
    values: list[Value] = []
    begins = ends
    while at < ends:
        kind, at = _number(record, at)
        value, begins = _value(record, kind, begins)
        values.append(value)
    return values


def _value(record: bytes, kind: int, at: int) -> tuple[Value, int]:
    """A value of a kind that begins somewhere, and where the next one begins."""
    if kind in _INTEGERS:
        end = at + _INTEGERS[kind]
        return int.from_bytes(record[at:end], "big", signed=True), end
    if kind == _REAL:
        return struct.unpack(">d", record[at : at + 8])[0], at + 8
    if kind < _FIRST_BLOB:
        return {_ZERO: 0, _ONE: 1}.get(kind), at
    end = at + (kind - _FIRST_BLOB) // 2
    found = record[at:end]
    return (found.decode("utf-8", "replace") if kind % 2 else found), end


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's variable length, and where it ends."""
    value = 0
    for end in range(at, at + 8):
        value = value << 7 | data[end] & 0x7F
        if data[end] < 0x80:  # noqa: PLR2004
            return value, end + 1
    return value << 8 | data[at + 8], at + 9
