"""What is deleted is gone: from rows, index, free pages and log, in every file and any writing."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from journal.made import (
    BEGAN,
    ONE,
    TWO,
    everything_in,
    fill,
    found,
    made,
    opened,
    program,
    said,
)
from pace.errors import HistoryError, NotInHistoryError
from pace.history import PaceHistory
from pace.journal.deleting import delete, purge
from pace.journal.file import connect
from pace.journal.rows import Period

# Of letters that no other text of these tests has side by side.
PLANTED = "Quvyxzjekk"
SECRET = (
    f"The password is {PLANTED}, and {PLANTED.lower()}ish things; naïve Zürich, 北京 and C++ too."
)
COMMON = [f"Common words of turn {number}, at length. {'And more. ' * 30}" for number in range(60)]


def pieces() -> list[bytes]:
    """Every four letters of the planted word, so that half of it counts as a trace."""
    word = PLANTED.upper().encode()
    return [word[at : at + 4] for at in range(len(word) - 3)]


def traces(folder: Path) -> list[bytes]:
    data = everything_in(folder)
    return [piece for piece in pieces() if piece in data]


def terms(path: Path) -> set[str]:
    """Every word of the index, those by beginnings too."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, 'row')")
        return {term for (term,) in connection.execute("SELECT term FROM temp.terms")}


async def plant(path: Path) -> int:
    """A journal with a secret in its midst, in a conversation with a name; the number."""
    await fill(path, *COMMON[:30])
    async with opened(path) as history:
        await history.append(made("An ordinary turn.", session=TWO, at=BEGAN - timedelta(days=3)))
        number = await history.append(
            made(SECRET, f"I keep {PLANTED.upper()}.", session=TWO, at=BEGAN - timedelta(days=2))
        )
        await history.rename(TWO, f"About {PLANTED}")
    await fill(path, *COMMON[30:])
    return number


async def by_turn(history: PaceHistory, number: int) -> int:
    await history.rename(TWO, "About nothing")
    return await history.delete_turn(number)


async def by_conversation(history: PaceHistory, number: int) -> int:  # noqa: ARG001
    return await history.delete_conversation(TWO)


async def by_period(history: PaceHistory, number: int) -> int:  # noqa: ARG001
    return await history.delete_period(Period(before=BEGAN - timedelta(days=1)))


async def by_age(history: PaceHistory, number: int) -> int:  # noqa: ARG001
    return await history.let_go_of_old(1, now=BEGAN)


async def all_of_it(history: PaceHistory, number: int) -> int:  # noqa: ARG001
    return await history.delete_all()


WAYS: dict[str, tuple[Callable[[PaceHistory, int], Awaitable[int]], int]] = {
    "a turn": (by_turn, 1),
    "a conversation": (by_conversation, 2),
    "a period": (by_period, 2),
    "by age": (by_age, 2),
    "all": (all_of_it, 62),
}


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_is_left(tmp_path: Path, way: str) -> None:
    """No byte is left of what was deleted, and what was not deleted is there and found."""
    delete, count = WAYS[way]
    path = tmp_path / "history.db"
    number = await plant(path)
    assert traces(tmp_path) == pieces()
    before = terms(path)
    async with opened(path) as history:
        assert await delete(history, number) == count
        # While the file is open, its log stands beside it.
        assert traces(tmp_path) == []
        assert await found(history, PLANTED) == []
        assert await found(history, "password") == []
        kept = [text for text in await said(history) if text in COMMON]
        assert kept == (COMMON if way != "all" else [])
        assert len(await history.search("common words", limit=100)) == len(kept)
    assert traces(tmp_path) == []
    gone = before - terms(path)
    assert {"password", "zurich", "北", PLANTED.lower()} <= gone
    assert not any(term.startswith(PLANTED.lower()[:2]) for term in terms(path))


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_is_left_while_others_have_it_open(tmp_path: Path, way: str) -> None:
    """The same holds if another process has the file open and has read the words."""
    delete, count = WAYS[way]
    path = tmp_path / "history.db"
    number = await plant(path)
    lines = (
        "h = PaceHistory(path)\nawait h.append(made('Other.', session=SessionId('3333')))\n"
        "tell(len(await said(h)))\nhear()\ntell(len(await said(h)))\nawait h.aclose()"
    )
    async with program(path, lines) as other:
        held = await other.told()
        async with opened(path) as history:
            deleted = await delete(history, number)
            assert deleted == count + (way == "all")
            assert traces(tmp_path) == []
        await other.tell()
        assert await other.told() == held - deleted
        assert await other.end() == 0
    assert traces(tmp_path) == []


READ = (
    "from pace.journal.file import connect\n"
    "db = connect(path)\ndb.execute('BEGIN')\n"
    "db.execute('SELECT * FROM turns').fetchall()\ntell(1)\nhear()\ndb.execute('ROLLBACK')"
)


async def test_reader_that_is_in_the_way_is_said_and_made_up_for(tmp_path: Path) -> None:
    """If another program reads the old state on and on, that is said; the next to open finishes."""
    path = tmp_path / "history.db"
    number = await plant(path)
    async with opened(path, patience=timedelta(milliseconds=1)) as history:
        await history.rename(TWO, "About nothing")
        async with program(path, READ) as reading:
            await reading.told()
            with pytest.raises(HistoryError, match="traces are still in the file"):
                await history.delete_turn(number)
            assert await found(history, PLANTED) == []
            await reading.tell()
            assert await reading.end() == 0
    async with opened(path) as history:
        with pytest.raises(NotInHistoryError):
            await history.entry(number)
    assert traces(tmp_path) == []


CHECKPOINT = (
    "import fcntl\nfrom pace.journal.file import connect\n"
    "db = connect(path)\ndb.execute('SELECT count(*) FROM turns').fetchone()\n"
    "lock = path.with_name('history.db-shm').open('r+b')\n"
    "fcntl.lockf(lock, fcntl.LOCK_EX, 1, 121)\ntell(1)\nhear()\n"
    "fcntl.lockf(lock, fcntl.LOCK_UN, 1, 121)"
)


async def test_checkpoint_of_another_is_waited_for(tmp_path: Path) -> None:
    """If others just take the log into the file, as busy writers do, it is tried again after them.

    Theirs is the lock that SQLite does not wait for; here it is held until the second try.
    """
    path = tmp_path / "history.db"
    number = await plant(path)
    loop, tries, again = asyncio.get_running_loop(), [], asyncio.Event()

    def heard(statement: str) -> None:
        if "wal_checkpoint" in statement:
            tries.append(statement)
        if len(tries) == 2:
            loop.call_soon_threadsafe(again.set)

    with closing(connect(path)) as connection:
        delete(connection, "number = ?", (number,))
        connection.execute("UPDATE sessions SET name = NULL")
        connection.set_trace_callback(heard)
        async with program(path, CHECKPOINT) as other:
            await other.told()
            purging = asyncio.create_task(asyncio.to_thread(purge, connection))
            trying = asyncio.create_task(again.wait())
            await asyncio.wait({purging, trying}, return_when=asyncio.FIRST_COMPLETED)
            await other.tell()
            assert await purging
            trying.cancel()
            assert traces(tmp_path) == []


async def test_deletion_that_was_killed_is_finished(tmp_path: Path) -> None:
    """A process that was killed before it had purged leaves that to whoever opens the file next."""
    path = tmp_path / "history.db"
    number = await plant(path)
    lines = (
        "import os\nfrom pace.journal.deleting import delete\n"
        "from pace.journal.file import connect\n"
        f"delete(connect(path), 'session_id = ?', ('{TWO}',))\nos._exit(9)"
    )
    async with program(path, lines) as killed:
        assert await killed.end() == 9
    assert traces(tmp_path) != []
    async with opened(path) as history:
        with pytest.raises(NotInHistoryError):
            await history.entry(number)
        assert traces(tmp_path) == []


async def test_row_that_was_indexed_by_other_rules(tmp_path: Path) -> None:
    """A row whose words an older version made leaves no word in the index, either."""
    path = tmp_path / "history.db"
    number = await plant(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE turns SET indexed_by = '0/1.0'")
        connection.execute(
            "INSERT INTO words (words, rowid, said, reply) VALUES ('delete', ?, '', '')", (number,)
        )
        connection.execute(
            "INSERT INTO words (rowid, said, reply) VALUES (?, ?, '')",
            (number, f"{PLANTED.lower()}-by-other-rules"),
        )
    async with opened(path) as history:
        await history.delete_conversation(TWO)
        assert len(await history.search("common words", limit=100)) == 60
    assert traces(tmp_path) == []
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM turns WHERE indexed_by = '0/1.0'")


async def test_damaged_file_that_was_kept_goes_with_everything(tmp_path: Path) -> None:
    """Deleting everything, or all of a damaged file's time, deletes that file, too."""
    path = tmp_path / "history.db"
    await plant(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE words_data SET block = x'00' WHERE id > 10")
    async with opened(path) as history:
        await history.search("words")
        assert len(history.notices) == 1
        await history.delete_all()
    assert traces(tmp_path) == []


async def test_damaged_file_that_may_hold_it_is_named(tmp_path: Path) -> None:
    """Who deletes a turn is told of the damaged file that may hold it still, and its name."""
    path = tmp_path / "history.db"
    number = await plant(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE words_data SET block = x'00' WHERE id > 10")
    async with opened(path) as history:
        await history.search("words")
        history.notices.clear()
        await history.delete_turn(number)
        (notice,) = history.notices
    assert f"{path}.broken-1" in notice


async def test_numbers_are_never_used_again(tmp_path: Path) -> None:
    """After everything was deleted, the next turn has a number that no turn had."""
    path = tmp_path / "history.db"
    await fill(path, "One.", "Two.")
    async with opened(path) as history:
        await history.delete_all()
        assert await history.append(made("Three.")) == 3
        assert (await history.conversation(ONE)).turns == 1


async def test_what_is_not_there_cannot_be_deleted(tmp_path: Path) -> None:
    """A number or a conversation that is not there is said, and nothing changes."""
    path = tmp_path / "history.db"
    await fill(path, "One.")
    async with opened(path) as history:
        for number in (0, 7, 10**30):
            with pytest.raises(NotInHistoryError, match=f"no turn {number}"):
                await history.delete_turn(number)
        with pytest.raises(NotInHistoryError, match="no conversation"):
            await history.delete_conversation(TWO)
        assert await said(history) == ["One."]
