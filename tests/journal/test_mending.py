"""A damaged journal is kept aside and said; what can be read of it is read, and it goes on."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from journal.made import ONE, TWO, contents, fill, found, made, mode, opened, program, said
from pace.errors import HistoryError
from pace.journal.names import mended_name

TEXTS = [f"Turn {number}. {'Words of some length. ' * 12}" for number in range(200)]
PAGE = 4096


def tear(path: Path) -> None:
    os.truncate(path, path.stat().st_size * 6 // 10)


def spoil_middle(path: Path) -> None:
    spoil(path, path.read_bytes().index(b"Turn 100."))


def spoil_two(path: Path) -> None:
    spoil(path, path.read_bytes().index(b"Turn 3."))
    spoil(path, path.read_bytes().index(b"Turn 150."))


def spoil(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at // PAGE * PAGE)
        file.write(b"\xff" * PAGE)


def spoil_index(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10")


def spoil_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"This is no database at all, but somebody's letter. " * 40)


DAMAGES: dict[str, tuple[Callable[[Path], None], int]] = {
    "torn": (tear, 20),
    "a bad page in the middle": (spoil_middle, 180),
    "two bad pages": (spoil_two, 160),
    "a bad index": (spoil_index, 200),
    "no database": (spoil_header, 0),
}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "history.db"
    await fill(path, *TEXTS)
    return path


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damage_is_mended(path: Path, damage: str) -> None:
    """A new turn is written and found, whatever had happened, and what could be read is there."""
    spoil_it, least = DAMAGES[damage]
    spoil_it(path)
    async with opened(path) as history:
        await history.append(made("After it all.", session=TWO))
        kept = await said(history)
        assert kept[-1] == "After it all."
        assert len(kept) - 1 >= least
        assert [text for text in TEXTS if text in kept] == kept[:-1]
        assert await found(history, "after it all") == ["After it all."]
        assert len(await history.search("words of some length", limit=300)) == len(kept) - 1
        (notice,) = history.notices
        # Some damage is met only after the new turn was written.
        assert f"{len(kept) - 1} turns" in notice or f"{len(kept)} turns" in notice
        assert f"{path}.broken-1" in notice


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damage_is_met_while_reading(path: Path, damage: str) -> None:
    """Who only reads is given what can be read, and told."""
    spoil_it, least = DAMAGES[damage]
    spoil_it(path)
    async with opened(path) as history:
        assert len(await history.search("words of some length", limit=300)) >= least
        assert len(history.notices) == 1


async def test_damaged_file_is_kept_with_its_words(path: Path) -> None:
    """What nobody could read is still in the file that is kept aside, for its person alone."""
    spoil_middle(path)
    before = contents(path)
    async with opened(path) as history:
        await history.count()
        await history.search("words")
        await said(history)
    aside = path.with_name("history.db.broken-1")
    assert contents(aside) == before
    assert (mode(aside), mode(path)) == (0o600, 0o600)


async def test_names_ends_and_numbers_survive(path: Path) -> None:
    """Conversations keep their names and ends, turns their numbers, and no number is used again."""
    async with opened(path) as history:
        await history.rename(ONE, "Long talk")
        await history.end_session(ONE, "closed", made().said_at)
        await history.append(made("The last one.", session=ONE))
        await history.delete_turn(201)
    spoil_index(path)
    async with opened(path) as history:
        assert await history.append(made("After.", session=TWO)) == 202
        numbers = [entry.number async for entry in history.entries(session_id=ONE)]
        assert numbers == list(range(1, 201))
        talk = await history.conversation(ONE)
        assert (talk.name, talk.cause) == ("Long talk", "closed")


async def test_half_a_character_is_read_with_a_sign(tmp_path: Path) -> None:
    """A text that is no UTF-8 any more is read, with a sign in the place of what is lost."""
    path = tmp_path / "history.db"
    await fill(path, "Before.", "A café.", "After.")
    with path.open("r+b") as file:
        data = file.read()
        file.seek(data.index("é.".encode()) + 1)
        file.write(b"x")
    spoil_index(path)
    async with opened(path) as history:
        await history.search("before")
        assert await said(history) == ["Before.", "A caf\ufffdx.", "After."]


async def test_empty_file_beside_a_log_is_kept(tmp_path: Path) -> None:
    """What was written ahead of a file that lost its contents is read, and kept aside."""
    path = tmp_path / "history.db"
    async with program(
        path,
        "await fill(path, 'Hello.')\nh = PaceHistory(path)\n"
        "await h.append(made('Only in the log.'))\ntell(1)\nhear()",
    ) as other:
        await other.told()
        log = path.with_name("history.db-wal").read_bytes()
    os.truncate(path, 0)
    path.with_name("history.db-wal").write_bytes(log)
    async with opened(path) as history:
        await history.append(made("Anew."))
        assert await said(history) == ["Hello.", "Only in the log.", "Anew."]
        assert len(history.notices) == 1
    assert path.with_name("history.db.broken-1-wal").read_bytes() == log


async def test_empty_file_is_a_new_one(tmp_path: Path) -> None:
    """A file without anything in it is begun, and nothing is said."""
    path = tmp_path / "history.db"
    path.touch()
    async with opened(path) as history:
        await history.append(made("First."))
        assert await said(history) == ["First."]
        assert history.notices == []
    assert mode(path) == 0o600


def begin_to_mend(path: Path) -> None:
    path.rename(mended_name(path))


async def test_mending_that_was_killed_is_finished(path: Path) -> None:
    """A mended file that did not get its name any more gets it from whoever comes next."""
    begin_to_mend(path)
    async with opened(path) as history:
        assert await said(history) == TEXTS


async def test_what_was_begun_of_a_mended_file_is_made_anew(path: Path) -> None:
    """A mending that was killed halfway leaves nothing in the way of the next one."""
    mended_name(path).write_bytes(b"half of it")
    spoil_middle(path)
    async with opened(path) as history:
        assert len(await said(history)) >= 180
    assert not mended_name(path).exists()


async def test_two_processes_meet_the_damage_at_once(path: Path) -> None:
    """It is mended once, and what both had to say is in the new file."""
    spoil_middle(path)
    lines = (
        "h = PaceHistory(path)\ntell('ready')\nhear()\n"
        "for number in range(20): await h.append(made(f'{sys.argv[1]} {number}', session=TWO))\n"
        "await said(h)\ntell(len(h.notices))\nawait h.aclose()"
    )
    async with program(path, lines) as one, program(path, lines) as two:
        for each in (one, two):
            assert await each.told() == "ready"
        for each in (one, two):
            await each.tell()
        notices = [await each.told() for each in (one, two)]
        assert [await each.end() for each in (one, two)] == [0, 0]
    assert sorted(notices) == [0, 1]
    async with opened(path) as history:
        assert await history.count(session_id=TWO) == 40
        assert await history.count(session_id=ONE) >= 180
    assert not path.with_name("history.db.broken-2").exists()


async def test_process_that_had_the_file_open_writes_to_the_new_one(path: Path) -> None:
    """What another process says after the file was replaced is in the file that has its name."""
    lines = (
        "h = PaceHistory(path)\nawait h.append(made('Before.', session=TWO))\ntell(1)\nhear()\n"
        "await h.append(made('After.', session=TWO))\nawait h.aclose()"
    )
    async with program(path, lines) as other:
        await other.told()
        async with opened(path) as history:
            await history.count()
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute("UPDATE words_data SET block = x'00' WHERE id > 10")
            await history.search("turn")
            assert len(history.notices) == 1
            await other.tell()
            assert await other.end() == 0
            assert (await said(history))[-2:] == ["Before.", "After."]


async def test_damage_that_cannot_be_mended_is_said(path: Path) -> None:
    """If nothing can be put in the place of a damaged file, it stays, and a sentence says so."""
    spoil_header(path)
    before = contents(path)
    mended_name(path).mkdir()
    async with opened(path) as history:
        with pytest.raises(HistoryError, match="cannot be mended"):
            await history.count()
    assert contents(path) == before
