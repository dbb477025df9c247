"""Damage that SQLite's driver trips over, or has no eye for, is damage all the same."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from journal.made import ONE, TWO, contents, fill, found, made, opened, program, said
from journal.spoiled import PAGE, fill_page, put, put_at
from pace.errors import HistoryError
from pace.journal.schema import APPLICATION, STEPS

LONG = "Words of some length. " * 300
TEXTS = [f"Turn {number}. {LONG if number % 10 == 0 else ''}" for number in range(120)]


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "history.db"
    await fill(path, *TEXTS)
    async with opened(path) as history:
        await history.rename(ONE, "Long talk")
        await history.end_session(ONE, "closed", made().said_at)
        await history.append(made("Goes again."))
        await history.delete_turn(len(TEXTS) + 1)
    return path


def not_utf8(path: Path) -> None:
    put_at(path, b"CREATE TABLE turns", b"CREATE T\xffBLE")


def other_column(path: Path) -> None:
    put_at(path, b"user_text TEXT NOT NULL", b"user_uext")


def first_page(path: Path) -> None:
    fill_page(path, 1)


def schema_of_first_page(path: Path) -> None:
    put(path, 100, b"\xff" * (PAGE - 100))


def no_tables(path: Path) -> None:
    put(path, 103, b"\0\0")


def version_gone(path: Path) -> None:
    put(path, 60, b"\0\0\0\0")


def version_too_high(path: Path) -> None:
    put(path, 60, b"\x40")


ODDITIES: dict[str, Callable[[Path], None]] = {
    "a byte that is no text": not_utf8,
    "a column of another name": other_column,
    "the first page": first_page,
    "all of the schema": schema_of_first_page,
    "no tables": no_tables,
    "no version": version_gone,
    "a version that never was": version_too_high,
}


@pytest.mark.parametrize("oddity", ODDITIES)
async def test_no_turn_is_lost_with_the_schema(path: Path, oddity: str) -> None:
    """All rows are intact and all are kept, with names, ends and numbers; it is said once."""
    ODDITIES[oddity](path)
    async with opened(path) as history:
        assert await said(history) == TEXTS
        assert len(history.notices) == 1
        assert f"{len(TEXTS)} turns" in history.notices[0]
        assert len(await found(history, "words of some")) == 12
        talk = await history.conversation(ONE)
        assert (talk.name, talk.cause, talk.turns) == ("Long talk", "closed", len(TEXTS))
        assert await history.append(made("After.", session=TWO)) == len(TEXTS) + 2
        assert len(history.notices) == 1


@pytest.mark.parametrize("oddity", ODDITIES)
async def test_deleting_and_writing_meet_it_first(path: Path, oddity: str) -> None:
    """Whatever is done first, it is mended for it."""
    ODDITIES[oddity](path)
    async with opened(path) as history:
        assert await history.delete_turn(5) == 1
        assert len(await said(history)) == len(TEXTS) - 1


async def test_what_is_only_in_the_log_is_kept(tmp_path: Path) -> None:
    """Turns that were written ahead are read, too, if the file's first page is gone."""
    path = tmp_path / "history.db"
    await fill(path, "In the file.")
    async with program(
        path, "h = PaceHistory(path)\nawait h.append(made('In the log.'))\ntell(1)\nhear()"
    ) as other:
        await other.told()
        file, log = contents(path), contents(path.with_name("history.db-wal"))
    path.write_bytes(file)
    path.with_name("history.db-wal").write_bytes(log)
    fill_page(path, 1)
    async with opened(path) as history:
        assert await said(history) == ["In the file.", "In the log."]


async def test_deleted_turns_do_not_come_back(path: Path) -> None:
    """Reading page by page finds no turn that was deleted, nor one that was never there."""
    async with opened(path) as history:
        for number in range(1, 100, 3):
            await history.delete_turn(number)
        left = await said(history)
    first_page(path)
    async with opened(path) as history:
        assert await said(history) == left


def make_foreign_log(path: Path) -> None:
    """The log of another database beside ours, as after a mistaken copy."""
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE letters (text)")
        for _ in range(20):
            connection.execute("INSERT INTO letters VALUES (randomblob(3000))")
        shutil.copy(other.with_name("other.db-wal"), path.with_name("history.db-wal"))


async def test_log_of_another_database_is_kept_out(path: Path) -> None:
    """It is kept aside and said, no turn is lost, and what is written next is there."""
    make_foreign_log(path)
    log = contents(path.with_name("history.db-wal"))
    async with opened(path) as history:
        assert await said(history) == TEXTS
        (notice,) = history.notices
        assert f"{len(TEXTS)} turns" in notice
        await history.append(made("After."))
    assert contents(path.with_name("history.db.broken-1")) == log
    async with opened(path) as history:
        assert await history.count() == len(TEXTS) + 1
        assert history.notices == []


async def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """It is not mended and not written to, and a sentence names it."""
    path = tmp_path / "history.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE turns (x)")
    before = contents(path)
    async with opened(path) as history:
        for _ in range(2):
            with pytest.raises(HistoryError, match=f"{path}: it is a database of another"):
                await history.append(made())
    assert contents(path).count(b"CREATE TABLE") == before.count(b"CREATE TABLE") == 1


async def test_file_says_that_it_is_a_journal(path: Path) -> None:
    """Its head names it; one that was made before heads did is named when it is opened."""
    for _ in range(2):
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
            assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS),)
            connection.execute("PRAGMA application_id = 0")
        async with opened(path) as history:
            assert await said(history) == TEXTS
            assert history.notices == []


async def test_mistake_is_no_damage(path: Path) -> None:
    """A fault of the program itself is raised as what it is, and the file stays as it is."""

    def mistaken(_: sqlite3.Connection) -> None:
        raise TypeError("no such thing")

    async with opened(path) as history:
        with pytest.raises(TypeError, match="no such thing"):
            await history._journal.use(mistaken)
        assert await said(history) == TEXTS
        assert history.notices == []
    assert not path.with_name("history.db.broken-1").exists()


async def test_row_that_its_index_does_not_know(tmp_path: Path) -> None:
    """What SQLite finds only while it deletes is mended for it, and then it is deleted."""
    path = tmp_path / "history.db"
    async with opened(path) as history:
        for number in range(5):
            await history.append(made(f"Turn {number}.", turn=f"id-of-turn-{number}"))
    put_at(path, b"id-of-turn-2", b"id-of-turm-2")
    async with opened(path) as history:
        assert await history.delete_turn(3) == 1
        assert await said(history) == ["Turn 0.", "Turn 1.", "Turn 3.", "Turn 4."]
        assert len(history.notices) == 2
        assert await history.delete_all() == 4
