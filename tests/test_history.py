"""Pace history: what a person can list, search, read and let go of."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from journal.made import BEGAN, ONE, TWO, fill, found, made, opened, said
from pace.doors.cli.history.days import moment, period_of, shown_time
from pace.errors import NotInHistoryError, SettingsError
from pace.history import PaceHistory
from pace.journal.rows import Period, TurnSource, TurnStatus
from pace.memory.turn import SessionId

PACIFIC = timezone(timedelta(hours=-7))


@pytest.fixture
async def history(tmp_path: Path):
    async with opened(tmp_path / "history.db") as history:
        yield history


@pytest.fixture
def los_angeles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose wall clock is that of Los Angeles."""
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def test_turn_is_read_as_it_was_written(history: PaceHistory) -> None:
    """Every field comes back, the words to the last character and the time with its offset."""
    turn = made(
        " Tabs\t, lines\r\n\n and 北京 🔥 \x1b[2K'\"; -- ",
        "",
        at=datetime(2026, 7, 5, 17, 29, 3, 7, tzinfo=PACIFIC),
        status=TurnStatus.FAILED,
        source=TurnSource.VOICE,
    )
    number = await history.append(turn)
    entry = await history.entry(number)
    assert entry.turn == turn
    assert entry.turn.said_at.utcoffset() == timedelta(hours=-7)


async def test_replaced_turn_stays_and_is_marked(history: PaceHistory) -> None:
    """What took a turn's place stands after it, and the old one keeps its words."""
    await history.append(made("Old.", turn="old"))
    await history.append(made("New.", turn="new"), replaces="old")
    await history.take_back("new")
    await history.take_back("never said")
    marks = [(each.turn.user_text, each.turn.status) async for each in history.entries()]
    assert marks == [("Old.", TurnStatus.REPLACED), ("New.", TurnStatus.TAKEN_BACK)]


async def test_session_ends_once(history: PaceHistory) -> None:
    """A session has one line for its end, the first one; one without turns has none."""
    await history.append(made())
    await history.end_session(ONE, "idle", BEGAN)
    await history.end_session(ONE, "closed", BEGAN + timedelta(hours=1))
    await history.end_session(TWO, "closed", BEGAN)
    (talk,) = await history.conversations()
    assert (talk.session_id, talk.cause, talk.ended_at) == (ONE, "idle", BEGAN)


async def test_conversations_are_listed_by_their_newest_turn(history: PaceHistory) -> None:
    """The one spoken in last comes first, with its first words, its times and its count."""
    await history.append(made("First of one.", session=ONE, at=BEGAN))
    await history.append(made("First of two.", session=TWO, at=BEGAN + timedelta(minutes=1)))
    await history.append(made("Second of one.", session=ONE, at=BEGAN + timedelta(minutes=2)))
    one, two = await history.conversations()
    assert (one.first_words, one.turns, one.last_number) == ("First of one.", 2, 3)
    assert (one.began_at, one.last_at) == (BEGAN, BEGAN + timedelta(minutes=2))
    assert (two.first_words, two.turns, two.cause) == ("First of two.", 1, None)


async def test_conversations_come_in_pages(history: PaceHistory) -> None:
    """Page by page, each conversation is listed once."""
    for number in range(7):
        await history.append(made(f"{number}", session=SessionId(f"session {number}")))
    listed: list[str] = []
    before = None
    while page := await history.conversations(limit=3, before_number=before):
        listed += [each.first_words for each in page]
        before = page[-1].last_number
    assert listed == ["6", "5", "4", "3", "2", "1", "0"]


async def test_all_entries_come_in_order(history: PaceHistory) -> None:
    """However many there are, each is read once, in the order of its number."""
    texts = [f"{number}" for number in range(1201)]
    await fill(history.path, *texts)
    assert await said(history) == texts


async def test_conversation_is_named(history: PaceHistory) -> None:
    """A name is kept, an empty one takes it away, and a conversation that is not there has none."""
    await history.append(made())
    await history.rename(ONE, "  Kettles ")
    assert (await history.conversation(ONE)).name == "Kettles"
    await history.rename(ONE, " ")
    assert (await history.conversation(ONE)).name is None
    with pytest.raises(NotInHistoryError):
        await history.rename(TWO, "Nobody")


async def test_conversation_is_meant_by_the_beginning_of_its_id(history: PaceHistory) -> None:
    """Four characters are enough if they are one's alone; signs of a pattern mean themselves."""
    await history.append(made(session=SessionId("abcdef-1")))
    await history.append(made(session=SessionId("abcdxx-2")))
    assert await history.session_id("abcde") == "abcdef-1"
    for wrong, why in (("abcd", "More than one"), ("abc", "too short"), ("ab%d", "holds no")):
        with pytest.raises(NotInHistoryError, match=why):
            await history.session_id(wrong)


async def test_search_ranks_and_shows_why(history: PaceHistory) -> None:
    """Where a word says most about a turn, that turn comes first, and the word is marked."""
    await history.append(made("Tea is fine.", f"A kettle. {'Many other words follow. ' * 30}"))
    await history.append(made("A kettle, a teal kettle!", "A kettle indeed."))
    await history.append(made("Nothing of it.", "Nor here."))
    first, second = await history.search("kettle")
    assert first.entry.turn.user_text == "A kettle, a teal kettle!"
    assert [first.said.text[start:end] for start, end in first.said.found] == ["kettle"] * 2
    assert second.said.found == ()
    assert second.reply.text.startswith("A kettle. Many")


async def test_search_within_a_period(history: PaceHistory) -> None:
    """Only what was said in the time that was asked for is found."""
    for day in range(5):
        await history.append(made(f"Kettle {day}.", at=BEGAN + timedelta(days=day)))
    period = Period(since=BEGAN + timedelta(days=1), before=BEGAN + timedelta(days=3))
    hits = await history.search("kettle", period=period)
    assert [hit.entry.turn.user_text for hit in hits] == ["Kettle 2.", "Kettle 1."]
    assert await history.search("kettle", period=Period(before=BEGAN)) == []
    assert await history.count(period=period) == 2
    assert await found(history, "kettle") == [f"Kettle {day}." for day in range(5)]


async def test_retention_goes_by_days(history: PaceHistory) -> None:
    """What was said on a day that is longer ago than wished is gone, and nothing of a later day."""
    now = datetime(2026, 7, 5, 17, 29, tzinfo=PACIFIC)
    for days, hours in ((31, 0), (30, 16), (30, 18), (29, 0), (0, 0)):
        at = now - timedelta(days=days, hours=hours)
        await history.append(made(f"{days} days, {hours} hours", at=at))
    assert await history.let_go_of_old(30, now=now) == 2
    assert await history.let_go_of_old(30, now=now) == 0
    assert await said(history) == ["30 days, 16 hours", "29 days, 0 hours", "0 days, 0 hours"]


@pytest.mark.usefixtures("los_angeles")
async def test_today_is_the_day_on_the_wall(history: PaceHistory) -> None:
    """What was said in the evening is of that day, though elsewhere the next one had begun."""
    now = datetime(2026, 7, 5, 17, 29, tzinfo=PACIFIC)
    await history.append(made("In the evening.", at=now))
    await history.append(made("The evening before.", at=now - timedelta(days=1)))
    today = period_of("today", None, now=now)
    yesterday = period_of("yesterday", "today", now=now)
    (entry,) = [each async for each in history.entries(period=today)]
    assert (entry.turn.user_text, shown_time(entry.turn.said_at)) == (
        *("In the evening.", "2026-07-05 17:29"),
    )
    (entry,) = [each async for each in history.entries(period=yesterday)]
    assert entry.turn.user_text == "The evening before."


@pytest.mark.usefixtures("los_angeles")
async def test_day_of_25_hours_holds_each_entry_once(history: PaceHistory) -> None:
    """When the clock goes back, every hour of the day is listed, and none on two days."""
    begin = datetime(2026, 11, 1, 7, tzinfo=UTC)  # midnight there
    for hour in range(-1, 27):
        await history.append(made(f"{hour}", at=(begin + timedelta(hours=hour)).astimezone()))
    days = {
        day: [
            each.turn async for each in history.entries(period=period_of(day, following, now=begin))
        ]
        for day, following in (
            ("2026-10-31", "2026-11-01"),
            ("2026-11-01", "2026-11-02"),
            ("2026-11-02", "2026-11-03"),
        )
    }
    assert [turn.user_text for turn in days["2026-11-01"]] == [str(hour) for hour in range(25)]
    assert sum(map(len, days.values())) == 28
    for day, turns in days.items():
        assert {shown_time(turn.said_at).split()[0] for turn in turns} == {day}


@pytest.mark.usefixtures("los_angeles")
def test_days_as_people_write_them() -> None:
    """A date is its midnight here; a time without an offset is one of the local clock."""
    now = datetime(2026, 7, 5, 23, tzinfo=PACIFIC)
    for written, meant in (
        ("2026-07-05", datetime(2026, 7, 5, tzinfo=PACIFIC)),
        (" Today ", datetime(2026, 7, 5, tzinfo=PACIFIC)),
        ("yesterday", datetime(2026, 7, 4, tzinfo=PACIFIC)),
        ("2026-07-05T08:30", datetime(2026, 7, 5, 8, 30, tzinfo=PACIFIC)),
        ("2026-07-05T08:30Z", datetime(2026, 7, 5, 8, 30, tzinfo=UTC)),
    ):
        assert moment(written, flag="--since", now=now) == meant


@pytest.mark.parametrize(
    "written",
    ["", "tuesday", "2026-13-01", "5.7.2026", "0001-01-01", "9999-12-31T23:59", "２０２６"],
)
def test_days_that_are_none(written: str) -> None:
    """What is no day is one sentence, or some day; never a fault."""
    try:
        moment(written, flag="--since", now=BEGAN)
    except SettingsError as error:
        assert "--since cannot be" in str(error)  # noqa: PT017  # some of them are days


def test_period_that_ends_before_it_begins() -> None:
    """A period the wrong way round is one sentence."""
    with pytest.raises(SettingsError, match="earlier"):
        period_of("2026-07-05", "2026-07-04", now=BEGAN)


async def test_two_closings(tmp_path: Path) -> None:
    """Closing twice does no harm, also if nothing was ever opened."""
    history = PaceHistory(tmp_path / "history.db")
    await history.aclose()
    await history.aclose()
    assert not history.path.exists()


async def test_a_page_is_a_part_of_one_conversation_and_knows_what_is_around_it(
    tmp_path: Path,
) -> None:
    """Forward from a number, and back from it; at a session's ends there is less of it."""
    await fill(tmp_path / "history.db", *"abcdef")
    await fill(tmp_path / "history.db", *"xy", session=TWO)
    async with opened(tmp_path / "history.db") as history:
        for asked, shown, earlier, later in (
            ({"limit": 2}, "ab", 0, 4),
            ({"first": 4, "before": 2, "limit": 1}, "bcd", 1, 2),
            ({"first": 3, "before": 9, "limit": 9}, "abcdef", 0, 0),
            ({"first": 3, "before": 1, "limit": 0}, "b", 1, 4),
            ({"first": 2**70, "limit": 9}, "", 0, 0),
        ):
            page = await history.page(ONE, **asked)
            words = "".join(entry.turn.user_text for entry in page.entries)
            assert (words, page.earlier, page.later) == (shown, earlier, later)
        assert not (await history.page(SessionId("nobody"), limit=9)).entries
