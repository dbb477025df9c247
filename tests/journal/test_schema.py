"""An older file becomes a newer one, whole or not at all; a newer one is left alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from journal.made import contents, fill, made, opened, program, said
from pace.errors import HistoryError
from pace.journal.file import connect
from pace.journal.rows import append
from pace.journal.schema import STEPS, migrate

NEXT = (*STEPS, ("CREATE TABLE moods (number INTEGER)", "INSERT INTO moods VALUES (7)"))
BROKEN = (*STEPS, ("CREATE TABLE moods (number INTEGER)", "INSERT INTO nothing VALUES (7)"))


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        return int(found)


async def test_file_without_tables_gets_them(tmp_path: Path) -> None:
    """A file of version 0, as SQLite makes it, becomes a journal."""
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")
        connection.execute("VACUUM")
    await fill(path, "Hello.")
    assert version(path) == len(STEPS)


def test_older_file_is_brought_forward(tmp_path: Path) -> None:
    """A step is taken once, and what was written before is there after it."""
    path = tmp_path / "history.db"
    with closing(connect(path)) as connection:
        migrate(connection)
        append(connection, made("Before."), None)
        migrate(connection, NEXT)
        migrate(connection, NEXT)
        assert connection.execute("SELECT number FROM moods").fetchall() == [(7,)]
        assert connection.execute("SELECT user_text FROM turns").fetchall() == [("Before.",)]
    assert version(path) == len(NEXT)


def test_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    """If a part of a step fails, the file is as it was."""
    path = tmp_path / "history.db"
    with closing(connect(path)) as connection:
        migrate(connection)
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, BROKEN)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'moods'")
        assert tables.fetchall() == []
    assert version(path) == len(STEPS)


async def test_newer_file_is_refused(tmp_path: Path) -> None:
    """A file of a newer version is not touched, and a sentence says what to do."""
    path = tmp_path / "history.db"
    await fill(path, "Hello.")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    before = contents(path)
    async with opened(path) as history:
        with pytest.raises(HistoryError, match="newer version of Pace"):
            await said(history)
        with pytest.raises(HistoryError, match="newer version of Pace"):
            await history.append(made())
    assert contents(path) == before


async def test_processes_that_begin_a_file_at_once(tmp_path: Path) -> None:
    """The tables are made once, and every process writes to them."""
    path = tmp_path / "history.db"
    lines = "tell(1)\nhear()\nawait fill(path, 'Hello.')"
    async with program(path, lines) as one, program(path, lines) as two:
        for each in (one, two):
            await each.told()
        for each in (one, two):
            await each.tell()
        assert [await each.end() for each in (one, two)] == [0, 0]
    async with opened(path) as history:
        assert await history.count() == 2
