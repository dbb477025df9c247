"""Damaged files that were kept: they may hold what nobody could read, and what is deleted later."""

from pathlib import Path

from pace.errors import HistoryError
from pace.journal.names import beside, remove
from pace.journal.rows import Period

_ASIDE = ".broken-"
_MOST_ASIDE = 1000


def kept_aside(path: Path) -> list[Path]:
    """The damaged files that were kept, without what SQLite put beside them."""
    return sorted(
        found
        for found in path.parent.glob(f"{path.name}{_ASIDE}*")
        if found.name.removeprefix(f"{path.name}{_ASIDE}").isdecimal()
    )


def free_name(path: Path) -> Path:
    """A name for the next damaged file. Raises FileExistsError if there are too many."""
    for number in range(1, _MOST_ASIDE):
        aside = beside(path, f"{_ASIDE}{number}")
        if not aside.exists():
            return aside
    raise FileExistsError(f"{path.name} was damaged too often")


def aside_within(path: Path, period: Period) -> list[Path]:
    """Damaged files that hold nothing but what was said in a period."""
    since, before = period.seconds
    if since != float("-inf"):
        return []
    return [kept for kept in kept_aside(path) if kept.stat().st_mtime < before]


def clear_aside(path: Path, covers: Period | None) -> list[str]:
    """Remove the damaged files of a time that is deleted whole; gives a sentence for each other.

    Raises HistoryError.
    """
    try:
        for kept in aside_within(path, covers) if covers is not None else ():
            remove(kept)
    except OSError as error:
        raise HistoryError(
            f"A damaged file beside {path} cannot be removed ({error.strerror})."
        ) from error
    return [
        f"{kept} was damaged once and kept aside; it may still hold what you deleted. Remove it "
        "when you do not need it."
        for kept in kept_aside(path)
    ]
