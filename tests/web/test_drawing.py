"""How often a reply that grows is drawn, and for how long drawings are held."""

from dataclasses import replace
from datetime import UTC, datetime

from pace.chat import ChatSession, Row, RowStatus
from pace.doors.web.drawing import Drawings
from pace.journal.rows import TurnSource
from pace.memory.turn import TurnId

SAID_AT = datetime(2026, 6, 1, tzinfo=UTC)


class Watch:
    """Moves on by `pace` whenever it is looked at, as if what is done meanwhile took as long."""

    def __init__(self) -> None:
        self.at = 0.0
        self.pace = 0.0

    def now(self) -> float:
        self.at += self.pace
        return self.at


def begun(turn_id: str) -> Row:
    return Row(
        turn_id=TurnId(turn_id),
        source=TurnSource.CHAT,
        said_at=SAID_AT,
        user_text="Go on.",
        status=RowStatus.REPLYING,
    )


def test_drawing_takes_a_fifth_of_the_time_however_fast_a_reply_comes() -> None:
    """What took a second is drawn anew after four; all tabs get the same meanwhile."""
    watch = Watch()
    drawings = Drawings(ChatSession(), now=watch.now)
    row = replace(begun("one"), reply_text="a")
    watch.pace = 1.0
    drawn = drawings.html_of(row)
    watch.pace = 0.0
    grown = replace(row, reply_text="ab")
    watch.at += 3.9
    assert not drawings.is_due(grown)
    assert drawings.html_of(grown) == drawn
    watch.at += 0.2
    assert drawings.is_due(grown)
    assert "ab" in drawings.html_of(grown)


def test_a_reply_that_is_over_is_drawn_at_once() -> None:
    """However long the last drawing took; and what is drawn already is not drawn again."""
    watch = Watch()
    drawings = Drawings(ChatSession(), now=watch.now)
    row = replace(begun("one"), reply_text="a")
    watch.pace = 1.0
    drawings.html_of(row)
    over = replace(row, reply_text="abc", status=RowStatus.ANSWERED)
    assert drawings.is_due(over)
    html = drawings.html_of(over)
    assert "abc" in html
    watch.pace = 0.0
    assert drawings.html_of(over) is html


def test_a_row_that_is_gone_leaves_no_drawing() -> None:
    """Of a turn that is removed, and of a conversation that is cleared, nothing is held."""
    session = ChatSession()
    watch = Watch()
    drawings = Drawings(session, now=watch.now)
    for end in (lambda: session.remove(TurnId("one")), session.clear):
        session.submit(begun("one"))
        session.commit(TurnId("one"), "planted", interrupted=False, cut_off=False)
        row = session.row(TurnId("one"))
        assert row is not None
        watch.pace = 1.0
        assert "planted" in drawings.html_of(row)
        watch.pace = 0.0
        # One that grows would show what is held of it.
        growing = replace(row, reply_text="other", status=RowStatus.REPLYING)
        assert "planted" in drawings.html_of(growing)
        end()
        assert "other" in drawings.html_of(growing)
        session.clear()
        watch.at += 10
