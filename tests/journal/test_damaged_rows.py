"""A row with a changed letter, which SQLite does not see, hides nothing but what cannot be read."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from journal.made import BEGAN, ONE, TWO, fill, found, made, opened, said
from journal.spoiled import change
from pace.history import PaceHistory
from pace.journal.rows import Period, TurnSource, TurnStatus
from pace.memory.turn import SessionId


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "history.db"
    await fill(path, "First words.", "Second words.", "Third words.")
    return path


async def all_ways(history: PaceHistory) -> None:
    """Everything that reads turns and conversations finds what it always finds."""
    texts = ["First words.", "Second words.", "Third words."]
    assert await said(history) == texts
    assert await found(history, "words") == sorted(texts)
    assert (await history.conversation(ONE)).turns == 3
    assert [each.first_words for each in await history.conversations()] == ["First words."]
    assert (await history.entry(2)).turn.user_text == "Second words."
    assert await history.count() == 3
    page = await history.page(ONE, limit=10)
    assert [entry.turn.user_text for entry in page.entries] == texts


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("source", "'chct'"),
        ("status", "'answesed'"),
        ("said_at", "'2026%06-01T12:01:00+00:00'"),
        ("said_at", "'2026-06-01T12:01:00'"),
        ("said_at", "'0001-01-01T00:00:00+23:59'"),
        ("said_at", "x'ff00'"),
        ("source", "NULL"),
        ("status", "7"),
        ("said_seconds", "NULL"),
        ("said_seconds", "1e300"),
        ("planner", "x'ff'"),
        ("thread_id", "NULL"),
        ("turn_id", "12"),
        ("indexed_by", "x'00'"),
    ],
)
async def test_one_bad_value_hides_nothing_else(path: Path, column: str, value: str) -> None:
    """Every way to read goes on, with a stand-in for the value alone."""
    change(path, f"UPDATE turns SET {column} = {value} WHERE number = 2")  # noqa: S608
    async with opened(path) as history:
        await all_ways(history)
        assert await history.append(made("Fourth.")) == 4
        assert await history.delete_turn(2) == 1
        assert await history.delete_all() == 3


async def test_what_cannot_be_read_is_called_unknown(path: Path) -> None:
    """Source and status are unknown, a time comes from its seconds, and the words are there."""
    change(path, "UPDATE turns SET source = 'x', status = 'y', said_at = 'z' WHERE number = 2")
    async with opened(path) as history:
        entry = await history.entry(2)
    turn = entry.turn
    assert entry.is_damaged
    assert (turn.source, turn.status) == (TurnSource.UNKNOWN, TurnStatus.UNKNOWN)
    assert (turn.said_at, turn.user_text) == (BEGAN + timedelta(minutes=1), "Second words.")


async def test_time_of_which_nothing_is_left(path: Path) -> None:
    """Where no time can be read, it is the beginning of all times."""
    change(path, "UPDATE turns SET said_at = '', said_seconds = NULL WHERE number = 2")
    async with opened(path) as history:
        assert (await history.entry(2)).turn.said_at == datetime(1970, 1, 1, tzinfo=UTC)


async def test_text_that_is_none_is_nothing(path: Path) -> None:
    """A reply that cannot be read is empty, and the row can be searched for and deleted."""
    change(path, "UPDATE turns SET reply_text = NULL WHERE number = 2")
    async with opened(path) as history:
        await all_ways(history)
        assert (await history.entry(2)).turn.reply_text == ""
        assert await history.delete_turn(2) == 1


async def test_damage_of_rows_is_said_once(path: Path) -> None:
    """One sentence, however often and in however many ways it is met; none without damage."""
    async with opened(path) as history:
        await all_ways(history)
        assert history.notices == []
    change(path, "UPDATE turns SET status = 'answesed'")
    async with opened(path) as history:
        await all_ways(history)
        await all_ways(history)
        (notice,) = history.notices
    assert "damaged" in notice


async def test_turn_that_lost_its_conversation(path: Path) -> None:
    """A turn whose id of a conversation was changed is found, in a conversation of its own."""
    change(path, "UPDATE turns SET session_id = '9111-one' WHERE number = 2")
    async with opened(path) as history:
        assert len(await history.search("words")) == 3
        entry = await history.entry(2)
        assert (await history.conversation_of(entry)).first_words == "Second words."
        (notice,) = history.notices
    assert "damaged" in notice


async def test_line_that_lost_its_turns(path: Path) -> None:
    """A conversation whose id was changed is listed, without words, and the others are, too."""
    await fill(path, "Of another one.", session=TWO)
    change(
        path, "UPDATE sessions SET session_id = '9', ended_at = '?' WHERE session_id = '1111-one'"
    )
    async with opened(path) as history:
        listed = await history.conversations()
        assert [(each.turns, each.first_words) for each in listed] == [
            (1, "Of another one."),
            (0, ""),
        ]
        assert len(await said(history)) == 4


async def test_period_goes_by_what_can_be_read(path: Path) -> None:
    """A turn without a time is in no period, and in everything."""
    change(path, "UPDATE turns SET said_seconds = NULL WHERE number = 2")
    async with opened(path) as history:
        assert await history.count(period=Period(since=BEGAN)) == 2
        assert await history.count(session_id=ONE) == 3
        assert await history.count(session_id=SessionId("nobody")) == 0
