"""`pace history`, given what is no text, and a history that is damaged, missing or locked."""

import os
from pathlib import Path

import pytest

from doors.running import run_pace
from journal.disks import read_only
from journal.made import fill
from journal.spoiled import change


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    await fill(history_of(home), "Kettle, please.", "And a lid.")
    return home


def history_of(home: Path) -> Path:
    return home / "data" / "history.db"


NO_TEXT = os.fsdecode(b"\xff\xfe12")


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", NO_TEXT),
        ("rename", NO_TEXT, "Name"),
        ("rename", "1111", NO_TEXT),
        ("delete", "--conversation", NO_TEXT, "--yes"),
        ("delete", "--turn", NO_TEXT, "--yes"),
        ("delete", "--before", NO_TEXT, "--yes"),
        ("export", NO_TEXT),
        ("export", "--format", NO_TEXT),
        ("--limit", NO_TEXT),
    ],
    ids=lambda arguments: " ".join(arguments).replace(NO_TEXT, "no text"),
)
async def test_bytes_that_are_no_text(home: Path, arguments: tuple[str, ...]) -> None:
    """They are asked wrongly, in one sentence, and nothing changes."""
    ended = await run_pace(home, "history", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert "fault" not in ended.err
    assert (await run_pace(home, "history", "export")).out.count("\n") == 2


async def test_link_to_nothing_is_no_empty_history(tmp_path: Path) -> None:
    """Whoever lost the disk that a link leads to is told so."""
    history_of(tmp_path).parent.mkdir()
    history_of(tmp_path).symlink_to(tmp_path / "unplugged" / "history.db")
    for arguments in ((), ("export",), ("search", "kettle"), ("delete", "--all", "--yes")):
        ended = await run_pace(tmp_path, "history", *arguments)
        assert (ended.status, ended.out) == (1, "")
        assert "is a link to nothing" in ended.err


async def test_damaged_row_stops_no_command(home: Path) -> None:
    """Every command that reads goes on, and says that something is damaged."""
    change(
        history_of(home),
        "UPDATE turns SET status = 'x', source = 'y', said_at = 'z', session_id = '9' "
        "WHERE number = 1",
    )
    for arguments in ((), ("search", "kettle"), ("show", "1"), ("export",)):
        ended = await run_pace(home, "history", *arguments)
        assert ended.status == 0
        assert ended.err.count("damaged") == (arguments != ())
    assert (await run_pace(home, "history", "delete", "--turn", "1", "--yes")).status == 0


async def test_reading_where_old_turns_cannot_be_deleted(home: Path) -> None:
    """A history that can only be read is read, and it is said that old turns are still there."""
    with read_only(history_of(home).parent):
        ended = await run_pace(home, "history", env={"PACE_HISTORY__RETENTION_DAYS": "1"})
    assert ended.status == 0
    assert "Kettle" in ended.out
    assert "is still there" in ended.err
