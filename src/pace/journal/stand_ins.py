"""Takes a row's values as they come, and puts something in the place of what cannot be read.

SQLite sees no damage in a changed letter of a text; one such row must not hide all others.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

Kind = TypeVar("Kind", bound=StrEnum)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Beyond these the clock on the wall cannot be worked out everywhere.
_YEARS = range(1970, 9999)


class Reader:
    """Reads the values of one row; `is_damaged` says whether one of them was no good."""

    def __init__(self) -> None:
        self.is_damaged = False

    def text(self, value: object) -> str:
        """A text, whatever its column holds now."""
        self.is_damaged |= not isinstance(value, str)
        return text_of(value)

    def optional(self, value: object) -> str | None:
        """A text that may be missing."""
        return None if value is None else self.text(value)

    def kind(self, value: object, unknown: Kind) -> Kind:
        """One of a few words, or else that which says that it is none of them."""
        try:
            return type(unknown)(text_of(value))
        except ValueError:
            self.is_damaged = True
            return unknown

    def moment(self, written: object, seconds: object) -> datetime:
        """A time as it was written, or from its seconds, or the beginning of all times."""
        found = _written(written)
        if found is not None:
            return found
        self.is_damaged = True
        try:
            found = _EPOCH + timedelta(seconds=float(str(seconds)))
        except (ValueError, OverflowError):
            return _EPOCH
        return found if found.year in _YEARS else _EPOCH

    def optional_moment(self, written: object) -> datetime | None:
        """A time that may be missing; it is, too, if it cannot be read."""
        found = _written(written)
        self.is_damaged |= found is None and written is not None
        return found


def text_of(value: object) -> str:
    """A value as a text; nothing if there is none."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _written(value: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(text_of(value))
    except ValueError:
        return None
    return found if found.tzinfo is not None and found.year in _YEARS else None
