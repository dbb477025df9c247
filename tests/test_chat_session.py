"""The transcript on screen: one row a turn from its first moment to its last."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from pace.chat import Change, ChangeKind, ChatSession, Divider, Line, Row, RowStatus
from pace.journal.rows import Entry, JournalTurn, TurnSource, TurnStatus
from pace.memory.turn import SessionId, ThreadId, TurnId
from pace.ports import Reading, Reasoned, TextDelta, Thinking
from pace.threads import EndCause, SessionEnded
from turns import THREAD

NOON = datetime(2026, 7, 5, 12, 0, tzinfo=timezone(timedelta(hours=-7)))


def row(turn: str, text: str = "Hello", **more: object) -> Row:
    return Row(
        turn_id=TurnId(turn),
        source=TurnSource.CHAT,
        said_at=NOON,
        user_text=text,
        **more,  # type: ignore[arg-type]
    )


def ended(cause: EndCause) -> SessionEnded:
    return SessionEnded(thread_id=THREAD, session_id=SessionId("s"), cause=cause)


def shown(session: ChatSession) -> list[tuple[str, str, str]]:
    """Words, reply and status of each row."""
    return [
        (line.user_text, line.reply_text, line.status)
        for line in session.lines
        if isinstance(line, Row)
    ]


def entry(number: int, status: TurnStatus, text: str = "Before") -> Entry:
    return Entry(
        number,
        JournalTurn(
            turn_id=TurnId(f"past {number}"),
            thread_id=ThreadId("past"),
            session_id=SessionId("past"),
            source=TurnSource.VOICE,
            planner="embedded",
            model="tiny",
            said_at=NOON,
            status=status,
            user_text=text,
            reply_text="" if status is TurnStatus.FAILED else "Then.",
        ),
    )


@pytest.fixture
def session() -> ChatSession:
    return ChatSession()


def test_words_stand_on_the_screen_before_anybody_accepts_them(session: ChatSession) -> None:
    """A submitted row is there at once, and waits."""
    assert session.submit(row("1"))
    assert shown(session) == [("Hello", "", RowStatus.WAITING)]
    assert session.open_row == row("1")


def test_a_reply_grows_in_its_row_and_the_pair_takes_its_place(session: ChatSession) -> None:
    """From the first words to the committed pair it is one row under one id."""
    changes: list[Change] = []
    session.subscribe(changes.append)
    session.submit(row("1"))
    session.hear(TurnId("1"), TextDelta("Good "))
    session.hear(TurnId("1"), TextDelta("day."))
    assert shown(session) == [("Hello", "Good day.", RowStatus.REPLYING)]
    session.commit(TurnId("1"), "Good day.", interrupted=False, cut_off=False)
    assert shown(session) == [("Hello", "Good day.", RowStatus.ANSWERED)]
    kinds = [change.kind for change in changes]
    assert kinds == [ChangeKind.ADDED, *[ChangeKind.CHANGED] * 3]
    assert {changed_id(change.line) for change in changes} == {"1"}


def changed_id(line: Line | None) -> str:
    assert isinstance(line, Row)
    return line.turn_id


def test_what_the_planner_does_before_its_words_is_shown_until_they_come(
    session: ChatSession,
) -> None:
    """Reading and thinking are signs of life, not words."""
    session.submit(row("1"))
    session.hear(TurnId("1"), Reading(64, 128))
    assert session.lines == (row("1", activity=Reading(64, 128), status=RowStatus.REPLYING),)
    session.hear(TurnId("1"), Thinking())
    session.hear(TurnId("1"), TextDelta("Yes."))
    held = session.row(TurnId("1"))
    assert held is not None
    assert (held.activity, held.reply_text) == (None, "Yes.")


def test_a_turn_that_was_submitted_before_is_not_shown_again(session: ChatSession) -> None:
    """One id is one row, whatever its text; two ids with one text are two."""
    assert session.submit(row("1", "ok"))
    assert not session.submit(row("1", "ok"))
    assert session.submit(row("2", "ok"))
    assert [text for text, _, _ in shown(session)] == ["ok", "ok"]


def test_typed_and_spoken_words_stand_in_order_of_acceptance(session: ChatSession) -> None:
    """One list, whichever way words came."""
    session.submit(row("1", "typed"))
    spoken = Row(turn_id=TurnId("2"), source=TurnSource.VOICE, said_at=NOON, user_text="spoken")
    session.submit(spoken)
    session.commit(TurnId("2"), "Heard.", interrupted=False, cut_off=False)
    session.commit(TurnId("1"), "Read.", interrupted=False, cut_off=False)
    assert [text for text, _, _ in shown(session)] == ["typed", "spoken"]


def test_a_replacing_turn_takes_the_old_ones_place_only_when_it_is_recorded(
    session: ChatSession,
) -> None:
    """The old pair makes way while the new reply comes, and is back if that fails."""
    session.submit(row("1", "Colour?"))
    session.commit(TurnId("1"), "Teal.", interrupted=False, cut_off=False)
    session.submit(row("2", "Colour, please?", replaces=TurnId("1")))
    assert [text for text, _, _ in shown(session)] == ["Colour, please?"]
    session.fail(TurnId("2"), "The model went away.")
    assert shown(session) == [
        ("Colour?", "Teal.", RowStatus.ANSWERED),
        ("Colour, please?", "", RowStatus.FAILED),
    ]
    session.remove(TurnId("2"))
    session.submit(row("3", "Colour, please?", replaces=TurnId("1")))
    session.commit(TurnId("3"), "Green.", interrupted=False, cut_off=False)
    assert shown(session) == [("Colour, please?", "Green.", RowStatus.ANSWERED)]
    assert session.row(TurnId("1")) is None


def test_a_failed_turn_is_no_reply(session: ChatSession) -> None:
    """Its trouble is a sentence beside the row, and what was heard of the reply is gone."""
    session.submit(row("1"))
    session.hear(TurnId("1"), TextDelta("Half a"))
    session.fail(TurnId("1"), "Nothing answers there.")
    held = session.row(TurnId("1"))
    assert held == row("1", status=RowStatus.FAILED, trouble="Nothing answers there.")
    assert session.last_row is None


def test_late_events_of_a_turn_that_is_over_change_nothing(session: ChatSession) -> None:
    """A delta after the end is nobody's word."""
    session.submit(row("1"))
    session.commit(TurnId("1"), "Good day.", interrupted=True, cut_off=False)
    session.hear(TurnId("1"), TextDelta(" Late."))
    session.hear(TurnId("nobody"), TextDelta("Stray."))
    assert shown(session) == [("Hello", "Good day.", RowStatus.INTERRUPTED)]


def test_a_divider_ends_what_can_be_copied_or_taken_up(session: ChatSession) -> None:
    """Above a divider stands what is not remembered any more."""
    session.submit(row("1"))
    session.commit(TurnId("1"), "Good day.", interrupted=False, cut_off=False)
    assert session.last_row is not None
    session.divide(ended(EndCause.IDLE))
    assert session.lines[-1] == Divider(SessionId("s"), EndCause.IDLE)
    assert session.last_row is None


def test_turns_of_the_journal_stand_ahead_of_what_is_said_now(session: ChatSession) -> None:
    """Earlier turns are loaded as they were said; replaced and taken back ones are left out."""
    session.submit(row("1"))
    session.load(
        [
            entry(1, TurnStatus.ANSWERED, "First"),
            entry(2, TurnStatus.REPLACED),
            entry(3, TurnStatus.TAKEN_BACK),
            entry(4, TurnStatus.INTERRUPTED, "Second"),
            entry(5, TurnStatus.FAILED, "Third"),
        ]
    )
    assert shown(session) == [
        ("First", "Then.", RowStatus.ANSWERED),
        ("Second", "Then.", RowStatus.INTERRUPTED),
        ("Third", "", RowStatus.FAILED),
        ("Hello", "", RowStatus.WAITING),
    ]
    session.load([entry(1, TurnStatus.ANSWERED, "First")])
    assert len(session.lines) == 4


def test_a_filter_finds_words_and_replies_in_any_letter_case(session: ChatSession) -> None:
    """Rows hold the text in either half; dividers are no rows."""
    for turn, said, reply in (("1", "My KETTLE", "Nice."), ("2", "Tea?", "From the kettle.")):
        session.submit(row(turn, said))
        session.commit(TurnId(turn), reply, interrupted=False, cut_off=False)
    session.divide(ended(EndCause.RESET))
    assert [found.turn_id for found in session.filtered("kettle")] == ["1", "2"]
    assert [found.turn_id for found in session.filtered("tea")] == ["2"]
    assert len(session.filtered("")) == 2


def test_a_cleared_screen_keeps_what_is_not_over(session: ChatSession) -> None:
    """A turn that waits while the screen is cleared is still shown."""
    session.submit(row("1"))
    session.commit(TurnId("1"), "Good day.", interrupted=False, cut_off=False)
    session.submit(row("2", "Waiting"))
    session.clear()
    assert shown(session) == [("Waiting", "", RowStatus.WAITING)]


def test_whoever_unsubscribes_hears_no_more(session: ChatSession) -> None:
    """A screen that is gone is told nothing; the others go on hearing."""
    heard: list[ChangeKind] = []
    gone: list[ChangeKind] = []
    session.subscribe(lambda change: heard.append(change.kind))
    leave = session.subscribe(lambda change: gone.append(change.kind))
    leave()
    session.submit(row("1"))
    assert (heard, gone) == ([ChangeKind.ADDED], [])


def test_silence_is_a_wish_of_this_session_alone() -> None:
    """Muted speech is not stored: every session begins with sound."""
    session = ChatSession()
    session.is_muted = True
    assert not ChatSession().is_muted


def test_rows_know_the_local_time_at_which_they_were_said() -> None:
    """The time is the person's own, with its offset."""
    assert row("1").said_at.utcoffset() == timedelta(hours=-7)
    assert row("1").said_at.astimezone(UTC).hour == 19


def test_words_that_were_reasoning_leave_the_reply(session: ChatSession) -> None:
    """B60: what is taken back stands with the thoughts, and what was kept in the reply."""
    session.submit(row("a"))
    for event in (TextDelta("Done.\n\n"), TextDelta("secret991"), Reasoned("Done.\n\n")):
        session.hear(TurnId("a"), event)
    session.hear(TurnId("a"), TextDelta("Teal."))
    grown = session.row(TurnId("a"))
    assert grown is not None
    assert (grown.reply_text, grown.reasoning) == ("Done.\n\nTeal.", "secret991")
