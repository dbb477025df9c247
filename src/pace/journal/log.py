"""Reads SQLite's write-ahead log: the pages in it that count, and whether it is this file's.

A log of another database would be taken in without a word, in the place of all that was kept.
The format is SQLite's own (www.sqlite.org/fileformat2.html, section 4).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pace.journal.names import beside
from pace.journal.schema import is_ours

_HEAD, _FRAME_HEAD = 32, 24
_LITTLE, _BIG = 0x377F0682, 0x377F0683
_FILE_HEAD = 100


@dataclass(frozen=True, slots=True)
class Log:
    """A log's page size, and where in it the newest committed state of a page begins."""

    page_size: int
    pages: dict[int, int]

    @classmethod
    def of(cls, path: Path) -> "Log | None":
        """The log that stands beside a database file, if there is one that counts."""
        try:
            with beside(path, "-wal").open("rb") as file:
                return _read(file)
        except (OSError, struct.error):
            return None


def has_foreign_log(path: Path) -> bool:
    """Whether the log that stands beside our file was written for another one.

    Only a log that looks so is read whole; the file itself is not opened otherwise.
    """
    try:
        with beside(path, "-wal").open("rb") as file:
            if all(is_ours(page) for page in _first_pages(file)):
                return False
            log = _read(file)
            if log is None or 1 not in log.pages:
                return False
            file.seek(log.pages[1])
            in_log = file.read(_FILE_HEAD)
        with path.open("rb") as main:
            return is_ours(main.read(_FILE_HEAD)) and not is_ours(in_log)
    except (OSError, struct.error):
        return False


class _Head(NamedTuple):
    order: str
    page_size: int
    salts: bytes
    sums: tuple[int, int]


def _head_of(file: BinaryIO) -> _Head | None:
    file.seek(0)
    head = file.read(_HEAD)
    if len(head) < _HEAD:
        return None
    magic, _, page_size, _, _, _, first, second = struct.unpack(">8I", head)
    if magic not in {_LITTLE, _BIG} or not 512 <= page_size <= 65536:  # noqa: PLR2004
        return None
    order = ">" if magic == _BIG else "<"
    sums = _summed(head[:24], order, (0, 0))
    return _Head(order, page_size, head[16:24], sums) if sums == (first, second) else None


def _first_pages(file: BinaryIO) -> Iterator[bytes]:
    """The heads of all states of a database's first page, in frames that may count."""
    head = _head_of(file)
    if head is None:
        return
    at = _HEAD
    while True:
        file.seek(at)
        frame = file.read(_FRAME_HEAD + _FILE_HEAD)
        if len(frame) < _FRAME_HEAD + _FILE_HEAD or frame[8:16] != head.salts:
            return
        if frame[:4] == b"\0\0\0\1":
            yield frame[_FRAME_HEAD:]
        at += _FRAME_HEAD + head.page_size


def _read(file: BinaryIO) -> Log | None:
    head = _head_of(file)
    if head is None:
        return None
    committed: dict[int, int] = {}
    begun: dict[int, int] = {}
    sums = head.sums
    at = _HEAD
    while True:
        file.seek(at)
        frame = file.read(_FRAME_HEAD + head.page_size)
        if len(frame) < _FRAME_HEAD + head.page_size or frame[8:16] != head.salts:
            return Log(head.page_size, committed)
        number, ends, _, _, first, second = struct.unpack(">6I", frame[:_FRAME_HEAD])
        sums = _summed(frame[_FRAME_HEAD:], head.order, _summed(frame[:8], head.order, sums))
        if sums != (first, second):
            return Log(head.page_size, committed)
        begun[number] = at + _FRAME_HEAD
        if ends:
            committed.update(begun)
            begun.clear()
        at += _FRAME_HEAD + head.page_size


def _summed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    one, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
