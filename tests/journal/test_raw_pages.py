"""Rows are read from pages as SQLite writes them: long ones, short ones, numbers of every size."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from journal.spoiled import put
from pace.journal.log import Log, has_foreign_log
from pace.journal.raw_pages import RawPages

VALUES = [
    (None, 0, 1, -1, 200, 70_000, -(2**23), 2**31, 2**47, -(2**63), 1.5, "", "né", b"\x00\xff"),
    *((f"{length}", "x" * length, *[None] * 12) for length in (1, 120, 130, 480, 4000, 4100, 9000)),
    ("long", "ä" * 200_000, *[7] * 12),
]


def made(path: Path, size: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {size}")
        with connection:
            columns = ", ".join(f"c{number}" for number in range(14))
            connection.execute(f"CREATE TABLE things ({columns})")
            for values in VALUES:
                connection.execute(f"INSERT INTO things VALUES ({', '.join('?' * 14)})", values)  # noqa: S608


def rows(path: Path) -> dict[int, list[object]]:
    with RawPages(path) as raw:
        return {number: list(values) for number, values in raw.rows() if len(values) == 14}


@pytest.mark.parametrize("size", [512, 1024, 4096, 65536])
def test_every_value_is_read(tmp_path: Path, size: int) -> None:
    """Whatever the size of a page and of a row, and wherever it goes on."""
    path = tmp_path / "some.db"
    made(path, size)
    assert rows(path) == {number: list(values) for number, values in enumerate(VALUES, start=1)}


def test_nothing_leads_to_them(tmp_path: Path) -> None:
    """No first page is needed for pages of the usual size."""
    path = tmp_path / "some.db"
    made(path, 4096)
    put(path, 0, b"\xff" * 4096)
    assert len(rows(path)) == len(VALUES)


def test_torn_row_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Of a row whose end nothing leads to, the beginning is there."""
    path = tmp_path / "some.db"
    made(path, 4096)
    put(path, path.stat().st_size - 20 * 4096, b"\0" * 4)
    found = rows(path)
    assert found[1] == list(VALUES[0])
    torn = str(found[len(VALUES)][1])
    assert 100_000 < len(torn) < 200_000
    assert set(torn[:-1]) == {"ä"}


def test_anything_may_stand_in_a_page(tmp_path: Path) -> None:
    """However a page was changed, reading ends, with rows or without."""
    path = tmp_path / "some.db"
    made(path, 512)
    whole = path.read_bytes()
    for at in range(0, 6000, 7):
        path.write_bytes(whole)
        put(path, at, bytes([whole[at] ^ (1 << at % 8), 0xFF, at % 256]))
        assert len(rows(path)) <= len(VALUES) + 60


def written_ahead(path: Path) -> tuple[bytes, bytes]:
    """A database and its log, of which the last part was not committed."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE things (a, b)")
        connection.executemany(
            "INSERT INTO things VALUES (?, 'committed')", [(n,) for n in range(9)]
        )
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE things SET b = zeroblob(20000)")
        return path.read_bytes(), path.with_name("some.db-wal").read_bytes()


def test_log_counts_as_far_as_it_was_committed(tmp_path: Path) -> None:
    """Rows come from the log, without what was begun and not committed, or torn."""
    file, log = written_ahead(tmp_path / "some.db")
    other = tmp_path / "other.db"
    for kept in (log, log + b"torn", log[:-100]):
        other.write_bytes(file)
        other.with_name("other.db-wal").write_bytes(kept)
        with RawPages(other) as raw:
            found = [values for _, values in raw.rows()]
        assert [each for each in found if each[1:] == ["committed"]] == [
            [number, "committed"] for number in range(9)
        ]
    # SQLite itself reads the same.
    with closing(sqlite3.connect(other)) as connection:
        assert connection.execute(
            "SELECT count(*) FROM things WHERE b = 'committed'"
        ).fetchone() == (9,)


@pytest.mark.parametrize("log", [b"", b"short", b"\xff" * 5000, b"\0" * 5000])
def test_what_is_no_log_does_not_count(tmp_path: Path, log: bytes) -> None:
    """Nothing is read from it, and it is nobody's."""
    path = tmp_path / "some.db"
    made(path, 4096)
    path.with_name("some.db-wal").write_bytes(log)
    assert Log.of(path) is None
    assert not has_foreign_log(path)
    assert len(rows(path)) == len(VALUES)
