"""Each change of a thread, and each outcome, as plain values."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from memory.plain import NEXT, NOW, SESSION, finished, folded, names, said, thread, update
from pace.memory.limits import ThreadLimits
from pace.memory.summary import RollingSummary, SummaryOutcome
from pace.memory.thread import RecordOutcome
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, TurnId, is_blank

# --- recording


def test_the_fifth_pair_displaces_the_first() -> None:
    """With K = 4, pair 1 is displaced when pair 5 is complete, and stays pending."""
    memory = said(thread(), "1", "2", "3", "4")
    assert (names(memory.verbatim_window), memory.pending) == (["1", "2", "3", "4"], ())
    memory = said(memory, "5")
    assert (names(memory.window), names(memory.pending)) == (["2", "3", "4", "5"], ["1"])


@pytest.mark.parametrize(
    "text", ["A = {1; 2}, {name}, {{x}}, 100%s", "C:\\users\\1, \\g<0>", " \t"]
)
def test_words_are_held_byte_for_byte(text: str) -> None:
    """B31: no character of what was said means anything to memory."""
    memory = said(thread(window_size=1), "1", user_text=f"x{text}", reply_text=f"{text}x")
    memory = said(memory, "2")
    assert (memory.pending[0].user_text, memory.pending[0].reply_text) == (f"x{text}", f"{text}x")


def test_a_turn_is_recorded_once() -> None:
    """R2: recording an id twice changes nothing."""
    memory = said(thread(), "1")
    assert memory.record(finished("1"), now=NOW) == (memory, RecordOutcome.NOT_OPEN)
    assert memory.accept(TurnId("1")) is memory


def test_a_turn_that_left_the_window_is_not_opened_again() -> None:
    """R2: a repeated request makes no second pair, even when the first is covered or taken back."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one")
    assert memory.accept(TurnId("1")) is memory
    memory = memory.take_back(TurnId("2"))
    assert memory.accept(TurnId("2")) is memory


def test_a_turn_held_for_long_is_not_opened_again() -> None:
    """R2: what is pending is known by itself, however many turns came after it."""
    memory = said(thread(window_size=1), *map(str, range(100)))
    assert len(memory.recorded_turns) < 100
    assert memory.accept(TurnId("0")) is memory


def test_accepting_twice_is_accepting_once() -> None:
    """A step that is repeated because another writer came first does no harm."""
    memory = thread().accept(TurnId("1"))
    assert memory.accept(TurnId("1")) is memory
    assert memory.open_turns == (TurnId("1"),)


def test_a_failed_turn_leaves_no_trace_but_the_time() -> None:
    """R11, B49: abandoning closes the turn and holds none of its words."""
    later = NOW + timedelta(minutes=3)
    memory = thread().accept(TurnId("1")).abandon(TurnId("1"), now=later)
    assert memory == replace(thread(), last_active_at=later)
    assert memory.abandon(TurnId("1"), now=later) is memory


def test_a_withdrawn_turn_never_was() -> None:
    """B134: what turns out to be no words leaves no trace, not even the time."""
    memory = thread().accept(TurnId("1"))
    assert memory.withdraw(TurnId("1")) == thread()
    assert thread().withdraw(TurnId("1")) == thread()


def test_a_failed_turn_may_be_tried_again() -> None:
    """An id that was abandoned is open to a second try."""
    memory = thread().accept(TurnId("1")).abandon(TurnId("1"), now=NOW)
    assert names(said(memory, "1").window) == ["1"]


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b", "\ufeff\u2060", "\u3164 ", "\ufe0f\x00"])
def test_half_a_pair_is_refused(blank: str) -> None:
    """B54, B05: neither an empty reply nor a reply without words of a person makes a pair."""
    assert is_blank(blank)
    memory = thread().accept(TurnId("1"))
    for half in ({"reply_text": blank}, {"user_text": blank}):
        with pytest.raises(ValueError, match="both not blank"):
            memory.record(finished("1", **half), now=NOW)


def test_a_pair_has_a_number_and_a_time_with_offset() -> None:
    """A pair that could not be placed or dated is refused."""
    pair = said(thread(), "1").window[0]
    with pytest.raises(ValueError, match="from 1"):
        replace(pair, number=0)
    with pytest.raises(ValueError, match="offset"):
        replace(pair, recorded_at=datetime(2026, 6, 1))  # noqa: DTZ001  the fault itself


def test_a_pair_leaves_whole() -> None:
    """B57: what was done and what was said about it are one pair, and are displaced together."""
    memory = said(thread(window_size=1), "1", user_text="delete it", reply_text="Done: it is gone.")
    memory = said(memory, "2")
    assert names(memory.pending) == ["1"]
    assert (memory.pending[0].user_text, memory.pending[0].reply_text) == (
        "delete it",
        "Done: it is gone.",
    )


def test_an_interrupted_reply_is_marked_beside_its_text() -> None:
    """R11, B52: the mark is a field; the text is what was said."""
    memory = said(thread(), "1", reply_text="Step one. Ste", interrupted=True)
    assert (memory.window[0].reply_text, memory.window[0].interrupted) == ("Step one. Ste", True)


def test_activity_never_goes_back() -> None:
    """B47: a second writer whose clock is behind does not make the thread older."""
    memory = said(thread(), "1")
    earlier = NOW - timedelta(minutes=9)
    memory, _ = memory.accept(TurnId("2")).record(finished("2"), now=earlier)
    assert memory.last_active_at == NOW
    assert memory.end_session(SESSION, NEXT, now=earlier).last_active_at == NOW


# --- taking back and replacing


def test_the_last_pair_can_be_taken_back() -> None:
    """It leaves, its number is free again, and what it had displaced stays displaced."""
    memory = said(thread(window_size=2), "1", "2", "3").take_back(TurnId("3"))
    assert (names(memory.pending), names(memory.window), memory.next_number) == (["1"], ["2"], 3)


@pytest.mark.parametrize("turn_id", ["1", "2", "other"])
def test_only_the_last_pair_can_be_taken_back(turn_id: str) -> None:
    """R2: taking back an id that is not the last changes nothing."""
    memory = said(thread(window_size=2), "1", "2", "3")
    assert memory.take_back(TurnId(turn_id)) is memory
    assert thread().take_back(TurnId(turn_id)) == thread()


def test_replacing_gives_the_number_on() -> None:
    """An edited turn takes the place and the number of the pair it replaces."""
    memory = said(thread(window_size=2), "1", "2", "3")
    memory = said(memory, "3 again", replaces=TurnId("3"))
    assert (names(memory.pending), names(memory.window)) == (["1"], ["2", "3 again"])
    assert [pair.number for pair in memory.window] == [2, 3]


def test_a_failed_replacement_keeps_the_old_pair() -> None:
    """Replacing is one change at record; until then, and if it fails, nothing has happened."""
    memory = said(thread(), "1")
    again = memory.accept(TurnId("1 again"))
    assert again.window == memory.window
    assert again.abandon(TurnId("1 again"), now=NOW) == memory


def test_a_replacement_that_comes_too_late_is_a_pair_of_its_own() -> None:
    """If another turn was recorded meanwhile, nothing is taken back."""
    memory = said(said(thread(), "1", "2"), "1 again", replaces=TurnId("1"))
    assert names(memory.window) == ["1", "2", "1 again"]


# --- folds


def test_nothing_pending_is_no_fold() -> None:
    """No version is stamped for nothing."""
    assert said(thread(), "1").stamp_fold() == (said(thread(), "1"), None)


def test_a_fold_carries_everything_it_needs() -> None:
    """It names thread, session and version, and holds prior summary, all pending pairs, budget."""
    memory = said(folded(said(thread(window_size=1), "1", "2"), "one"), "3", "4")
    stamped, fold = memory.stamp_fold()
    assert fold is not None
    assert (fold.thread_id, fold.session_id, fold.version) == (memory.thread_id, SESSION, 2)
    assert (fold.prior.text, names(fold.pairs), fold.budget) == ("one", ["2", "3"], 400)
    assert stamped == replace(memory, last_version=2)


def test_short_pairs_are_folded_like_long_ones() -> None:
    """B25: 'gate 9' reaches the summarizer, whatever came before and however short it is."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one")
    memory = said(memory, "a", user_text="ok", reply_text="noted")
    memory = said(memory, "b", user_text="gate 9", reply_text="got it")
    memory = said(memory, "c")
    _, fold = memory.stamp_fold()
    assert fold is not None
    assert [pair.user_text for pair in fold.pairs] == ["words of 2", "ok", "gate 9"]


def test_pairs_that_complete_during_a_fold_stay_pending() -> None:
    """B22: what was displaced meanwhile is in the next fold, in order, and in it alone."""
    memory = said(thread(window_size=1), "1", "2")
    stamped, _ = memory.stamp_fold()
    landing = update(memory, "one")
    memory, outcome = said(stamped, "3", "4", "5").apply_summary_update(landing)
    assert outcome is SummaryOutcome.APPLIED
    assert (memory.summary.covers, names(memory.pending)) == (1, ["2", "3", "4"])
    _, fold = memory.stamp_fold()
    assert fold is not None
    assert names(fold.pairs) == ["2", "3", "4"]


def test_a_late_fold_is_dropped() -> None:
    """B23: A (pair 1) lands after B (pairs 1 and 2): B's text and version stay."""
    memory = said(thread(window_size=1), "1", "2")
    late = update(memory, "A")
    memory, _ = memory.stamp_fold()
    memory = folded(said(memory, "3"), "B")
    assert memory.apply_summary_update(late) == (memory, SummaryOutcome.STALE)
    assert (memory.summary.text, memory.summary.version, memory.summary.covers) == ("B", 2, 2)


def test_a_fold_in_turn_is_taken_though_a_newer_is_stamped() -> None:
    """A lands before B: both are applied, and B's text holds what A's did."""
    memory = said(thread(window_size=1), "1", "2")
    first = update(memory, "A")
    memory, _ = memory.stamp_fold()
    memory = said(memory, "3")
    second = update(memory, "A and B")
    memory, _ = memory.stamp_fold()
    memory, _ = memory.apply_summary_update(first)
    assert (memory.summary.text, names(memory.pending)) == ("A", ["2"])
    memory, outcome = memory.apply_summary_update(second)
    assert (outcome, memory.summary.text, memory.pending) == (SummaryOutcome.APPLIED, "A and B", ())


def test_failed_folds_leave_everything_pending() -> None:
    """B23 variant, B02: after A was cancelled and B failed, the next fold carries both pairs."""
    memory, _ = said(thread(window_size=1), "1", "2").stamp_fold()
    memory, _ = said(memory, "3").stamp_fold()
    assert names(memory.pending) == ["1", "2"]
    _, fold = memory.stamp_fold()
    assert fold is not None
    assert (names(fold.pairs), fold.version) == (["1", "2"], 3)


def test_a_fold_lands_once() -> None:
    """The second landing is stale and changes nothing."""
    memory = said(thread(window_size=1), "1", "2")
    landing = update(memory, "one")
    memory, _ = memory.stamp_fold()[0].apply_summary_update(landing)
    assert memory.apply_summary_update(landing) == (memory, SummaryOutcome.STALE)


def test_an_update_that_covers_less_is_dropped() -> None:
    """R3: a newer version does not make up for pairs it leaves out."""
    memory = folded(said(thread(window_size=1), "1", "2", "3"), "two")
    memory = said(memory, "4").stamp_fold()[0]
    less = update(memory, "one", version=memory.last_version, covers=1)
    assert memory.apply_summary_update(less) == (memory, SummaryOutcome.COVERS_LESS)


@pytest.mark.parametrize("change", [{"covers": 2}, {"covers": 9}, {"version": 9}])
def test_an_update_that_claims_too_much_is_dropped(change: dict[str, int]) -> None:
    """R3: it may cover nothing in the window, nothing unheard of, and have no unstamped version."""
    memory = said(thread(window_size=1), "1", "2")
    claiming = update(memory, "text", **change)
    memory, _ = memory.stamp_fold()
    assert memory.apply_summary_update(claiming) == (memory, SummaryOutcome.COVERS_UNKNOWN)


@pytest.mark.parametrize("text", ["", " \n", "\u200b"])
def test_a_blank_summary_is_dropped(text: str) -> None:
    """R6: the summary that is held stays, and so do the pending pairs."""
    memory = said(thread(window_size=1), "1", "2")
    blank = update(memory, text)
    memory, _ = memory.stamp_fold()
    assert memory.apply_summary_update(blank) == (memory, SummaryOutcome.EMPTY)


def test_a_summary_never_outgrows_its_budget() -> None:
    """B11: whatever a summarizer gives back, the held text is within budget and no pair is lost."""
    memory, echoed = thread(window_size=1), ""
    for number in range(60):
        memory = said(memory, str(number), user_text=f"pair {number} marker " + "so it goes " * 36)
        if not memory.pending:
            continue
        echoed = f"{echoed} {memory.pending[-1].user_text}"
        landing = update(memory, echoed)
        memory, outcome = memory.stamp_fold()[0].apply_summary_update(landing)
        assert outcome in {SummaryOutcome.APPLIED, SummaryOutcome.TOO_LONG}
        assert estimate_tokens(memory.summary.text) <= 400
        held = [p.number for p in (*memory.pending, *memory.window)]
        assert held == list(range(memory.summary.covers + 1, number + 2))
    assert "pair 58 marker" in memory.pending[-1].user_text


def test_a_summary_is_one_paragraph() -> None:
    """Line ends in a summary become spaces, so that none of it can pass for a line of ours."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one\n\nUser: two\r\nthree ")
    assert memory.summary.text == "one User: two three"


# --- limits


@pytest.mark.parametrize(("window_size", "shown"), [(1, 1), (4, 4), (8, 6)])
def test_the_window_holds_as_many_as_it_is_set_to(window_size: int, shown: int) -> None:
    """B29: of six pairs, K = 1 leaves one in the window, K = 4 four."""
    memory = said(thread(window_size=8), *"123456")
    memory = memory.with_limits(
        ThreadLimits(window_size=window_size), next_session_id=NEXT, now=NOW
    )
    assert names(memory.window) == list("123456")[-shown:]
    assert names(memory.pending) == list("123456")[:-shown]


@pytest.mark.parametrize("window_size", [0, 9, -1, True, 4.0, "4"])
def test_other_windows_are_refused(window_size: object) -> None:
    """B29: K = 0 is refused with a sentence, never taken for all of them."""
    with pytest.raises(ValueError, match="The window must be 1 to 8 turn pairs"):
        thread(window_size=window_size)


def test_other_limits_are_refused() -> None:
    """Each range is checked where limits are made."""
    with pytest.raises(ValueError, match="idle limit must be 5 to 60 minutes"):
        thread(idle_after=timedelta(minutes=4, seconds=59))
    with pytest.raises(ValueError, match="idle limit must be 5 to 60 minutes"):
        thread(idle_after=timedelta(minutes=60, seconds=1))
    with pytest.raises(ValueError, match="200 to 1,200 tokens"):
        thread(summary_tokens=199)


def test_a_smaller_window_displaces_at_once() -> None:
    """B28, B114: of ten pairs, K = 3 leaves exactly 8 to 10 in the window and 1 to 7 pending."""
    memory = said(thread(window_size=8), *map(str, range(1, 11)))
    memory = memory.with_limits(ThreadLimits(window_size=3), next_session_id=NEXT, now=NOW)
    assert names(memory.window) == ["8", "9", "10"]
    _, fold = memory.stamp_fold()
    assert fold is not None
    assert names(fold.pairs) == ["1", "2", "3", "4", "5", "6", "7"]


def test_a_larger_window_fills_with_what_is_said_next() -> None:
    """R1: what was displaced does not come back."""
    memory = said(thread(window_size=1), "1", "2")
    memory = memory.with_limits(ThreadLimits(window_size=3), next_session_id=NEXT, now=NOW)
    memory = said(memory, "3", "4", "5")
    assert (names(memory.pending), names(memory.window)) == (["1", "2"], ["3", "4", "5"])


def test_memory_off_resets_at_once_and_turns_stand_alone() -> None:
    """B114: nothing is held any more, nothing new is, and no fold starts."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one")
    off = memory.with_limits(ThreadLimits(remember=False), next_session_id=NEXT, now=NOW)
    assert (off.is_empty, off.session_id) == (True, NEXT)
    alone = off.accept(TurnId("3"))
    after, outcome = alone.record(finished("3", session_id=NEXT), now=NOW)
    assert (after, outcome) == (off, RecordOutcome.NOT_REMEMBERED)
    assert after.stamp_fold() == (off, None)


def test_memory_that_stays_off_ends_no_session() -> None:
    """Another limit changed while memory is off is no second reset."""
    off = thread(remember=False)
    limits = ThreadLimits(remember=False, window_size=2)
    assert off.with_limits(limits, next_session_id=NEXT, now=NOW) == replace(off, limits=limits)


# --- idle


def test_idle_time_runs_from_the_end_of_the_last_turn() -> None:
    """B38: after a reply of 25 minutes the thread is alive at +19:59 and gone at +20:01."""
    memory = said(thread(), "1").accept(TurnId("2"))
    ended = NOW + timedelta(minutes=25)
    assert memory.end_if_idle(NEXT, now=ended) is memory
    memory, outcome = memory.record(finished("2"), now=ended)
    assert outcome is RecordOutcome.RECORDED
    alive = ended + timedelta(minutes=19, seconds=59)
    assert memory.end_if_idle(NEXT, now=alive) is memory
    gone = memory.end_if_idle(NEXT, now=ended + timedelta(minutes=20, seconds=1))
    assert (gone.session_id, gone.is_empty) == (NEXT, True)


def test_time_asleep_counts() -> None:
    """B40: on a clock that went on for three hours, nothing earlier is left."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one")
    awake = memory.end_if_idle(NEXT, now=NOW + timedelta(hours=3))
    assert (awake.window, awake.pending, awake.summary) == ((), (), RollingSummary())


def test_a_failed_turn_prolongs_a_thread_and_a_fold_does_not() -> None:
    """Idle time runs from the end of the last turn, however it ended."""
    memory = said(thread(window_size=1), "1", "2")
    later = NOW + timedelta(minutes=15)
    assert folded(memory, "one").is_idle(now=NOW + timedelta(minutes=21))
    failed = memory.accept(TurnId("3")).abandon(TurnId("3"), now=later)
    assert not failed.is_idle(now=NOW + timedelta(minutes=21))


def test_an_empty_thread_is_never_idle() -> None:
    """Nobody is told that nothing was forgotten."""
    assert not thread().is_idle(now=NOW + timedelta(days=9))


def test_a_shorter_idle_limit_counts_from_the_change() -> None:
    """B114: set from 20 to 5 minutes after 10, the thread lives for 5 more."""
    change = NOW + timedelta(minutes=10)
    memory = said(thread(), "1").with_limits(
        ThreadLimits(idle_after=timedelta(minutes=5)), next_session_id=NEXT, now=change
    )
    assert not memory.is_idle(now=change + timedelta(minutes=5))
    assert memory.is_idle(now=change + timedelta(minutes=5, seconds=1))


def test_a_shorter_idle_limit_wakes_no_thread() -> None:
    """R4: a thread whose time had come before the change is idle after it."""
    change = NOW + timedelta(minutes=21)
    memory = said(thread(), "1").with_limits(
        ThreadLimits(idle_after=timedelta(minutes=5)), next_session_id=NEXT, now=change
    )
    assert memory.is_idle(now=change)


# --- endings


def test_nothing_said_before_a_reset_comes_back() -> None:
    """B43: neither the reply that was streaming nor the fold that was in flight."""
    memory = said(thread(window_size=1), "1", "2").accept(TurnId("3"))
    late = update(memory, "one")
    memory, _ = memory.stamp_fold()
    fresh = memory.end_session(SESSION, NEXT, now=NOW)
    assert fresh.apply_summary_update(late) == (fresh, SummaryOutcome.OTHER_SESSION)
    assert fresh.record(finished("3"), now=NOW) == (fresh, RecordOutcome.OTHER_SESSION)
    assert fresh.abandon(TurnId("3"), now=NOW) is fresh
    assert fresh.summary == RollingSummary()
    assert (fresh.is_empty, fresh.open_turns, fresh.next_number) == (True, (), 1)


def test_versions_go_on_counting_over_a_reset() -> None:
    """R3: the first fold of the next session is newer than any of the last."""
    memory = folded(said(thread(window_size=1), "1", "2"), "one")
    fresh = said(memory.end_session(SESSION, NEXT, now=NOW), "3", "4", session_id=NEXT)
    _, fold = fresh.stamp_fold()
    assert fold is not None
    assert fold.version == 2


def test_a_reset_ends_the_session_it_names() -> None:
    """R4: it does nothing to any other, so it may come late or twice."""
    memory = said(thread(), "1")
    assert memory.end_session(SessionId("before"), NEXT, now=NOW) is memory
    ended = memory.end_session(SESSION, NEXT, now=NOW)
    assert ended.end_session(SESSION, SessionId("three"), now=NOW) is ended


def test_a_session_id_is_not_used_again() -> None:
    """R3: a reset under the same id would let old folds in."""
    with pytest.raises(ValueError, match="never used again"):
        thread().end_session(SESSION, SESSION, now=NOW)


def test_going_back_lets_go_of_what_came_after() -> None:
    """Only pairs of the window go, the newest first; an unknown turn changes nothing."""
    memory = said(thread(window_size=2), "one", "two", "three")
    back = memory.back_to(TurnId("two"))
    assert names(back.window) == ["two"]
    assert names(back.pending) == ["one"]
    assert names(said(back, "other").window) == ["two", "other"]
    assert memory.back_to(TurnId("one")) == memory
    assert memory.back_to(TurnId("three")) == memory
