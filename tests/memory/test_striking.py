"""What is forgotten when a person has something forgotten, and what is not."""

import pytest

from memory.plain import folded, names, said, thread, update
from pace.memory.summary import Clause, Speaker, SummaryOutcome, render_clauses
from pace.memory.thread import ThreadMemory


def clause(text: str, speaker: Speaker = Speaker.USER) -> Clause:
    return Clause(speaker=speaker, text=text, number=1)


def with_clauses(*texts: str) -> ThreadMemory:
    clauses = tuple(clause(text) for text in texts)
    memory = said(thread(window_size=1), "1", "2")
    return folded(memory, render_clauses(clauses), clauses=clauses)


def left_after(strike: str, *texts: str) -> list[str]:
    return [clause.text for clause in with_clauses(*texts).strike(strike).summary.clauses]


def test_struck_words_leave_window_and_pending() -> None:
    """Every pair that holds them goes, in whatever letter case and spacing, and no other."""
    memory = said(thread(window_size=2), "1", user_text="My bike\ncode is 7301")
    memory = said(memory, "2", reply_text="Your BIKE  CODE, yes")
    memory = said(memory, "3", user_text="My bicycle code")
    struck = memory.strike("bike code")
    assert names((*struck.pending, *struck.window)) == ["3"]
    assert struck.next_number == 4


def test_a_strike_drops_folds_in_flight() -> None:
    """What a summarizer was given before cannot bring the struck words back."""
    memory = said(thread(window_size=1), "1", "2", "3")
    late = update(memory, "words of 1, words of 2")
    memory = memory.stamp_fold()[0].strike("words of 1")
    assert memory.apply_summary_update(late) == (memory, SummaryOutcome.STALE)
    assert names(memory.pending) == ["2"]


def test_a_models_summary_is_dropped_whole() -> None:
    """It may say the struck thing in other words."""
    memory = folded(said(thread(window_size=1), "1", "2"), "One is here.").strike("anything")
    assert (memory.summary.text, memory.summary.made_by, memory.summary.covers) == ("", "", 1)
    assert memory.summary.version == memory.last_version == 2


def test_a_summary_in_which_a_model_wrote_is_dropped_with_its_clauses() -> None:
    """Whatever clauses were given back to it."""
    clauses = (clause("likes oolong tea"),)
    text = f"They spoke of a code. {render_clauses(clauses)}"
    memory = folded(said(thread(window_size=1), "1", "2"), text, clauses=clauses)
    struck = memory.strike("bike code 7301").summary
    assert (struck.text, struck.clauses, struck.made_by) == ("", (), "")


def test_clauses_that_hold_it_leave_an_extractive_summary() -> None:
    """The others stay, and the text is theirs alone."""
    memory = with_clauses("bike code 7301", "likes oolong tea").strike("my bike code is 7301")
    assert memory.summary.text == render_clauses((clause("likes oolong tea"),))
    assert memory.summary.made_by == "test"


@pytest.mark.parametrize(
    ("struck", "clause_text"),
    [
        ("My bike code is 7301.", "code 7301"),  # words dropped for space
        ("My bike code is 7301.", "7301"),  # the number alone
        ("Ruth moved to Bergen, where it rains", "moved to Bergen"),  # cut short
        ("Ruth moved to Bergen", "Bergen: Ruth's city"),  # in other order
        ("我的自行车密码是七三零一", "自行车密码七三零一"),  # no spaces to go by
        ("Ｂｅｒｇｅｎ", "lives in ber\u200bgen"),  # other forms of the same letters
        ("a b c", "b"),  # a piece of it
        ("gate 9", "gate 9 opens"),
    ],
)
def test_a_clause_that_lost_words_is_still_found(struck: str, clause_text: str) -> None:
    """To forget a clause too many is the smaller harm."""
    assert left_after(struck, clause_text) == []


@pytest.mark.parametrize(
    ("struck", "clause_text"),
    [
        ("My bike code is 7301.", "likes oolong tea"),
        ("gate 9", "invoice 99 is paid"),  # a 9 is not in 99 by meaning
        ("...", "etc"),
        ("I am", "tea"),
    ],
)
def test_a_clause_about_something_else_stays(struck: str, clause_text: str) -> None:
    """Striking is not a reset."""
    assert left_after(struck, clause_text) == [clause_text]


def test_nothing_cannot_be_struck() -> None:
    """A blank text stands in everything."""
    with pytest.raises(ValueError, match="not blank"):
        thread().strike(" \u200b")
