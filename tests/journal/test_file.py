"""The journal's file is its person's alone, and what is in its way is one sentence."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from journal.disks import read_only, room_on, small
from journal.made import everything_in, fill, made, mode, opened, program, said
from pace.errors import HistoryError
from pace.history import PaceHistory

SHARED_MEMORY = 32_768
LONG = "Words that fill a disk. " * 400


@pytest.fixture
def open_mask() -> Iterator[None]:
    """As where files are made for everybody to read."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_mask")
async def test_only_its_person_may_read_it(tmp_path: Path) -> None:
    """File, log and shared memory are private from their first moment, and so is the folder."""
    path = tmp_path / "data" / "history.db"
    async with opened(path) as history:
        await history.append(made())
        names = sorted(each.name for each in path.parent.glob("history.db*"))
        assert names == ["history.db", "history.db-shm", "history.db-wal", "history.db.lock"]
        for name in names[:3]:
            assert mode(path.with_name(name)) == 0o600
    assert mode(path.parent) == 0o700


def let_all_read(path: Path) -> None:
    path.chmod(0o644)


@pytest.mark.usefixtures("open_mask")
async def test_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    """A file that came from elsewhere is its person's alone once it was opened."""
    path = tmp_path / "history.db"
    await fill(path, "Hello.")
    let_all_read(path)
    async with opened(path) as history:
        await said(history)
        assert mode(path) == 0o600


async def test_nothing_is_made_before_the_first_turn(tmp_path: Path) -> None:
    """Reading, searching and deleting what is not there leaves no file."""
    path = tmp_path / "data" / "history.db"
    async with opened(path) as history:
        assert await history.conversations() == []
        assert await history.search("anything") == []
        assert await history.delete_all() == 0
        assert await history.let_go_of_old(30, now=made().said_at) == 0
    assert not path.parent.exists()


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nothing.db"))


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def folder_that_is_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("")


def folder_that_is_a_link_to_nothing(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parent.with_name("nothing"))


@pytest.mark.parametrize(
    "put",
    [link_to_nothing, link_to_itself, folder_that_is_a_file, folder_that_is_a_link_to_nothing],
)
async def test_what_is_in_the_way_is_not_an_empty_history(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    """Where something else has the file's or its folder's name, reading says so."""
    path = tmp_path / "data" / "history.db"
    path.parent.mkdir()
    put(path)
    async with opened(path) as history:
        for read in (history.count, history.conversations, history.delete_all):
            with pytest.raises(HistoryError, match=r"history\.db"):
                await read()


async def test_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    """What cannot be opened is one sentence that names it."""
    path = tmp_path / "history.db"
    path.mkdir()
    async with opened(path) as history:
        with pytest.raises(HistoryError, match=r"history\.db cannot be used"):
            await history.append(made())
        with pytest.raises(HistoryError, match=r"history\.db cannot be used"):
            await said(history)


async def test_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    """A folder that cannot be made is one sentence, too."""
    (tmp_path / "data").write_text("")
    async with opened(tmp_path / "data" / "history.db") as history:
        with pytest.raises(HistoryError, match="cannot be used"):
            await history.append(made())


async def test_folder_that_may_only_be_read(tmp_path: Path) -> None:
    """Where nothing can be written, a turn is refused in a sentence, and the next one is, too."""
    folder = tmp_path / "data"
    folder.mkdir()
    with read_only(folder):
        async with opened(folder / "history.db") as history:
            for _ in range(2):
                with pytest.raises(HistoryError, match="cannot be used"):
                    await history.append(made())
            assert await said(history) == []


async def test_history_on_a_disk_that_may_only_be_read(tmp_path: Path) -> None:
    """It is read in every way, writing is refused in a sentence, and then it is read on."""
    path = tmp_path / "data" / "history.db"
    path.parent.mkdir()
    await fill(path, "One kettle.", "Two kettles.")
    with read_only(path.parent):
        async with opened(path) as history:
            assert await said(history) == ["One kettle.", "Two kettles."]
            assert len(await history.search("kettle")) == 2
            assert [each.turns for each in await history.conversations()] == [2]
            for write in (lambda: history.append(made()), history.delete_all):
                with pytest.raises(HistoryError, match="cannot be used"):
                    await write()
            assert await history.count() == 2
            assert history.notices == []


async def test_newest_turns_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    """What is in a log that nobody can take in is missing, and a sentence says so, once."""
    path = tmp_path / "data" / "history.db"
    path.parent.mkdir()
    await fill(path, "In the file.")
    async with program(
        path, "h = PaceHistory(path)\nawait h.append(made('In the log.'))\ntell(1)\nhear()"
    ) as other:
        await other.told()
        log = path.with_name("history.db-wal").read_bytes()
    path.with_name("history.db-shm").unlink()
    path.with_name("history.db-wal").write_bytes(log)
    with read_only(path.parent):
        async with opened(path) as history:
            assert (await said(history))[0] == "In the file."
            assert await history.count() == 2 or "newest turns" in " ".join(history.notices)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    with small(tmp_path / "disk", "1m") as folder:
        yield folder


async def fill_disk(history: PaceHistory) -> int:
    """Append until the disk is full; gives how many turns were acknowledged."""
    for number in range(1000):
        try:
            await history.append(made(LONG, turn=f"turn {number}"))
        except HistoryError:
            return number
    raise AssertionError("the disk took everything")


async def test_full_disk_loses_nothing_that_was_written(small_disk: Path) -> None:
    """A turn that does not fit is refused, those before it stay, and with room it goes on."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * 400_000)
    path = small_disk / "history.db"
    async with opened(path) as history:
        written = await fill_disk(history)
        assert written > 0
        with pytest.raises(HistoryError, match="the disk is full"):
            await history.append(made(LONG, turn=f"turn {written}"))
        assert await history.count() == written
        ballast.unlink()
        await history.append(made(LONG, turn=f"turn {written}"))
        assert await history.count() == written + 1
        assert len(await history.search("fill a disk", limit=300)) == written + 1


async def test_everything_can_be_deleted_on_a_full_disk(small_disk: Path) -> None:
    """If there is no room to delete row by row, the file goes, and its numbers go on."""
    path = small_disk / "history.db"
    await fill(path, *[LONG] * 5)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (room_on(small_disk) - SHARED_MEMORY))
    async with opened(path) as history:
        assert await history.delete_all() == 5
        assert await history.count() == 0
        assert b"FILL A DISK" not in everything_in(small_disk)
        assert await history.append(made("Anew.")) == 6


async def test_turn_that_cannot_be_deleted_on_a_full_disk(small_disk: Path) -> None:
    """It is said, with what may be done by hand; it is still there, and goes once there is room."""
    path = small_disk / "history.db"
    await fill(path, *[LONG] * 5)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (room_on(small_disk) - SHARED_MEMORY))
    async with opened(path) as history:
        with pytest.raises(HistoryError, match=rf"remove the whole history by hand: {path}"):
            await history.delete_turn(1)
        assert await history.count() == 5
        ballast.unlink()
        assert await history.delete_turn(1) == 1


async def test_turn_is_deleted_where_a_rewrite_has_no_room(small_disk: Path) -> None:
    """The row goes if its own pages have room; the rest is said, and made up for later."""
    path = small_disk / "history.db"
    await fill(path, *[LONG] * 6, "Planted vocabulary.")
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * (room_on(small_disk) - SHARED_MEMORY - 100_000))
    async with opened(path) as history:
        with pytest.raises(HistoryError, match="1 turn is deleted, but traces"):
            await history.delete_turn(7)
        assert await history.search("vocabulary") == []
    ballast.unlink()
    async with opened(path) as history:
        assert await history.count() == 6
    assert b"VOCABULARY" not in everything_in(small_disk)


async def test_file_that_may_not_grow(tmp_path: Path) -> None:
    """Where a file may not become larger, the same holds, without being root."""
    lines = (
        "import resource\n"
        "h = PaceHistory(path)\nawait h.append(made('Before.'))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))\n"
        "try:\n    for _ in range(100): await h.append(made('Too much. ' * 400))\n"
        "except Exception as error: tell(str(error))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)\n"
        "await h.append(made('After.'))\n"
        "tell([text for text in await said(h) if not text.startswith('Too')])\nawait h.aclose()"
    )
    path = tmp_path / "history.db"
    async with program(path, lines) as writing:
        assert "cannot be used: the disk" in await writing.told()
        assert await writing.told() == ["Before.", "After."]
        assert await writing.end() == 0


async def test_file_that_was_removed_is_begun_anew(tmp_path: Path) -> None:
    """If somebody removes the file while it is open, the next turn begins another one."""
    path = tmp_path / "history.db"
    async with opened(path) as history:
        await history.append(made("Before."))
        path.unlink()
        await history.append(made("After."))
        assert await said(history) == ["After."]
