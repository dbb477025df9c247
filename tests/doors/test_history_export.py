"""`pace history export` takes nothing away: not the history, not a file, not a device."""

import asyncio
import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from doors.running import run_pace
from journal.disks import small
from journal.made import BEGAN, contents, made, mode, opened
from journal.spoiled import change
from pace.doors.cli.history.output import output_file
from pace.errors import SettingsError


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    async with opened(home / "data" / "history.db") as history:
        for number in range(20):
            at = BEGAN + timedelta(minutes=number)
            await history.append(made(f"Kettle {number}. {'More. ' * 200}", at=at))
    return home


def texts_in(folder: Path) -> dict[str, str]:
    """What stands in the files of a folder, by their names."""
    return {each.name: each.read_text() for each in folder.iterdir() if each.is_file()}


def is_it(path: Path, _: Path) -> Path:
    return path


def by_a_link(path: Path, folder: Path) -> Path:
    (folder / "link.jsonl").symlink_to(path)
    return folder / "link.jsonl"


def by_a_second_name(path: Path, folder: Path) -> Path:
    (folder / "name.jsonl").hardlink_to(path)
    return folder / "name.jsonl"


def by_a_linked_folder(path: Path, folder: Path) -> Path:
    (folder / "data").symlink_to(path.parent)
    return folder / "data" / path.name


def beside_it(path: Path, _: Path) -> Path:
    return path.with_name("history.db-wal")


def kept_beside_it(path: Path, _: Path) -> Path:
    return path.with_name("history.db.broken-1")


def its_lock(path: Path, _: Path) -> Path:
    return path.with_name("history.db.lock")


@pytest.mark.parametrize(
    "way",
    [
        *(is_it, by_a_link, by_a_second_name, by_a_linked_folder),
        *(beside_it, kept_beside_it, its_lock),
    ],
)
async def test_history_is_never_written_over(
    home: Path, tmp_path: Path, way: Callable[[Path, Path], Path]
) -> None:
    """Neither its file nor what stands beside it, also through links and with --force."""
    path = home / "data" / "history.db"
    before = contents(path)
    output = way(path, tmp_path)
    ended = await run_pace(home, "history", "export", "--output", str(output), "--force")
    assert (ended.status, ended.out) == (2, "")
    assert "part of the history itself" in ended.err
    assert contents(path) == before


async def test_file_stays_if_an_export_fails(home: Path, tmp_path: Path) -> None:
    """What was there is there still, and nothing is left beside it."""
    file = tmp_path / "talk.jsonl"
    file.write_text("precious")
    path = home / "data" / "history.db"
    path.unlink()
    path.mkdir()
    ended = await run_pace(home, "history", "export", "--output", str(file), "--force")
    assert ended.status == 1
    assert texts_in(tmp_path) == {"talk.jsonl": "precious"}


async def test_file_stays_on_a_full_disk(home: Path, tmp_path: Path) -> None:
    """A disk that takes no more leaves what was there, and a sentence names the file."""
    with small(tmp_path / "disk", "16k") as disk:
        (disk / "talk.md").write_text("precious")
        ended = await run_pace(
            home, "history", "export", "--output", str(disk / "talk.md"), "--force"
        )
        assert ended.status == 1
        assert f"{disk / 'talk.md'} cannot be written" in ended.err
        assert texts_in(disk) == {"talk.md": "precious"}


async def test_file_is_replaced_through_its_link(home: Path, tmp_path: Path) -> None:
    """With --force a link goes on leading to the file, which is the person's alone."""
    file, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    file.write_text("old")
    link.symlink_to(file)
    ended = await run_pace(home, "history", "export", "--output", str(link), "--force")
    assert ended.status == 0
    assert link.is_symlink()
    assert mode(file) == 0o600
    assert len(file.read_text().splitlines()) == 20


@pytest.mark.parametrize("force", [(), ("--force",)])
async def test_device_is_written_to_and_stays(
    home: Path, tmp_path: Path, force: tuple[str, ...]
) -> None:
    """A device takes what is written, or refuses it, and is what it was afterwards."""
    node = tmp_path / "full"
    if os.geteuid() != 0:
        pytest.skip("only root can make a device")
    os.mknod(node, 0o644 | stat.S_IFCHR, os.makedev(1, 7))
    ended = await run_pace(home, "history", "export", "--output", str(node), *force)
    assert ended.status == 1
    assert f"{node} cannot be written (No space left on device)" in ended.err
    assert stat.S_ISCHR(node.stat().st_mode)
    assert mode(node) == 0o644


async def test_pipe_is_written_to(home: Path, tmp_path: Path) -> None:
    """A pipe gets everything once somebody reads it, and stays."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    export = asyncio.create_task(run_pace(home, "history", "export", "--output", str(pipe)))
    read = await asyncio.to_thread(pipe.read_bytes)
    ended = await export
    assert ended.status == 0
    assert read.count(b"\n") == 20
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--output", ""), "--output is empty"),
        (("--output", "~nosuchperson/x"), "'~nosuchperson/x'"),
        (("--output", "nowhere/x"), "No such file"),
        (("--output", "."), "Is a directory"),
        (("--format", ""), "--format cannot be ''"),
        (("--format", "pdf"), "--format cannot be 'pdf'"),
    ],
    ids=" ".join,
)
async def test_what_cannot_be_is_one_sentence(
    home: Path, arguments: tuple[str, ...], said: str
) -> None:
    """Asked wrongly, it says what is wrong and writes nothing."""
    ended = await run_pace(home, "history", "export", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


async def test_name_that_is_no_text(home: Path, tmp_path: Path) -> None:
    """A file may have any name; it is said so that it harms no terminal."""
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")
    ended = await run_pace(home, "history", "export", "--output", name)
    assert ended.status == 0
    (text,) = texts_in(tmp_path).values()
    assert text.count("\n") == 20


async def test_damaged_rows_are_exported(home: Path) -> None:
    """What is unknown is called so, in both forms, and every turn is there; it is said."""
    change(
        home / "data" / "history.db",
        "UPDATE turns SET status = 'x', said_at = 'y', session_id = 'z' WHERE number = 3",
    )
    lines = await run_pace(home, "history", "export")
    text = await run_pace(home, "history", "export", "--format", "markdown")
    assert (lines.status, text.status) == (0, 0)
    assert lines.out.count("\n") == text.out.count("\n## ") == 20
    assert '"status": "unknown"' in lines.out
    assert "## 3 · 2026-06-01 12:02 (unknown)" in text.out
    assert "damaged" in lines.err
    assert lines.err.count("\n") == 1


async def begin(path: Path, end: type[BaseException]) -> None:
    async with output_file(path, may_replace=True, is_kept=lambda _: False) as begun:
        begun.write(b"half of it")
        raise end


@pytest.mark.parametrize("end", [KeyboardInterrupt, asyncio.CancelledError])
async def test_file_stays_if_it_is_interrupted(tmp_path: Path, end: type[BaseException]) -> None:
    """Whoever ends an export halfway has what was there before, and no half of a file."""
    file = tmp_path / "talk.jsonl"
    file.write_text("precious")
    for path in (file, tmp_path / "new.jsonl"):
        with pytest.raises(end):
            await begin(path, end)
    assert texts_in(tmp_path) == {"talk.jsonl": "precious"}


def put_there(path: Path) -> None:
    path.write_text("precious")


async def write_too(path: Path) -> None:
    async with output_file(path, may_replace=False, is_kept=lambda _: False) as begun:
        begun.write(b"ours")
        put_there(path)


async def test_file_that_came_meanwhile_stays(tmp_path: Path) -> None:
    """Without --force, a file that somebody else made during an export is not replaced, either."""
    file = tmp_path / "talk.jsonl"
    with pytest.raises(SettingsError, match="is there already"):
        await write_too(file)
    assert texts_in(tmp_path) == {"talk.jsonl": "precious"}
