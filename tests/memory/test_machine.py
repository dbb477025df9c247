"""A conversation in which anything may happen at any time, checked against rules R1 to R4."""

import os
from dataclasses import replace
from datetime import datetime, timedelta

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings, target
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from memory.talk import START, Flight, Maker, Talk, Turn
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId

MACHINE = settings(
    max_examples=400,
    stateful_step_count=40,
    deadline=None,
    derandomize="CI" in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
AT = st.integers(min_value=0, max_value=63)
MAKERS = st.sampled_from(("model", "mended", "extractive"))


class ConversationMachine(RuleBasedStateMachine):
    """Does to a thread whatever can be done to it, folds and replies of earlier sessions included.

    Rules pick from lists by an index that wraps around, counted from the newest, so that shrinking
    leads to the newest. `kind` is the class under test.
    """

    kind: type[ThreadMemory] = ThreadMemory

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk.begin(self.kind, window_size=1)
        self.now: datetime = START
        self.accepted: list[Turn] = []
        self.flights: list[Flight] = []
        self.sessions = [self.talk.account.session_id]
        self.landed = 0

    # --- turns

    def _accept(self, *, replacing: bool = False) -> Turn:
        window = self.talk.account.window
        replaces = window[-1].turn_id if window and replacing else None
        turn = Turn(len(self.accepted), self.talk.account.session_id, replaces)
        self.accepted.append(turn)
        self.talk = self.talk.accept(turn)
        return turn

    @rule()
    def take_a_whole_turn(self) -> None:
        self.talk = self.talk.record(self._accept(), self.now)

    @rule(replacing=st.booleans())
    def accept(self, *, replacing: bool) -> None:
        self._accept(replacing=replacing)

    @precondition(lambda self: self.talk.account.window)
    @rule()
    def replace_the_last_pair(self) -> None:
        self.talk = self.talk.record(self._accept(replacing=True), self.now)

    @precondition(lambda self: self.talk.account.open)
    @rule(at=AT)
    def record_an_open_turn(self, at: int) -> None:
        turns = self.talk.account.open
        self.talk = self.talk.record(turns[-1 - at % len(turns)], self.now)

    @precondition(lambda self: self.accepted)
    @rule(at=AT)
    def record_any_turn_again(self, at: int) -> None:
        """Also twice, after it was abandoned, and in an earlier session."""
        turn = self.accepted[-1 - at % len(self.accepted)]
        if turn.session_id == self.talk.account.session_id:
            self.talk = self.talk.accept(turn)
        self.talk = self.talk.record(turn, self.now)

    @precondition(lambda self: self.accepted)
    @rule(at=AT)
    def abandon_any_turn(self, at: int) -> None:
        turn = self.accepted[-1 - at % len(self.accepted)]
        self.talk = self.talk.abandon(turn, self.now)

    @precondition(lambda self: self.talk.account.open)
    @rule(at=AT)
    def withdraw_an_open_turn(self, at: int) -> None:
        turns = self.talk.account.open
        self.talk = self.talk.withdraw(turns[-1 - at % len(turns)])

    @precondition(lambda self: self.talk.account.window)
    @rule()
    def take_back_the_last_pair(self) -> None:
        self.talk = self.talk.take_back(self.talk.account.window[-1].turn_id)

    @precondition(lambda self: self.accepted)
    @rule(at=AT)
    def take_back_any_turn(self, at: int) -> None:
        """Mostly one that is in the window, but not its last."""
        turns = self.talk.account.window[:-1] or self.accepted
        self.talk = self.talk.take_back(turns[-1 - at % len(turns)].turn_id)

    @precondition(lambda self: self.talk.account.holds_much)
    @rule(at=AT)
    def strike(self, at: int) -> None:
        """Half the time something that the summary tells."""
        told = self.talk.account.told if at % 2 else ()
        names = told or [turn.name for turn in self.accepted]
        self.talk = self.talk.strike(names[-1 - at % len(names)])

    # --- folds

    @precondition(lambda self: self.talk.account.pending)
    @rule()
    def start_a_fold(self) -> None:
        self.talk, flight = self.talk.stamp()
        assert flight is not None
        self.flights.append(flight)

    @precondition(lambda self: self.flights)
    @rule(at=AT, made_by=MAKERS)
    def land_any_fold(self, at: int, made_by: Maker) -> None:
        """Also late, twice, and for another session: a fold that has landed stays in the list."""
        before = self.talk.memory.summary.version
        self.talk = self.talk.land(self.flights[-1 - at % len(self.flights)], made_by)
        self.landed += self.talk.memory.summary.version > before

    @precondition(lambda self: self.talk.account.pending)
    @rule(by=st.integers(min_value=-2, max_value=3), made_by=MAKERS)
    def land_a_fold_that_claims(self, by: int, made_by: Maker) -> None:
        """What it says it covers is less, or more, than it was given or is held."""
        self.start_a_fold()
        covers = max(0, self.talk.account.covers + by)
        self.talk = self.talk.land(self.flights[-1], made_by, covers)

    @precondition(lambda self: self.talk.account.pending)
    @rule(made_by=MAKERS)
    def fold_at_once(self, made_by: Maker) -> None:
        self.start_a_fold()
        self.talk = self.talk.land(self.flights[-1], made_by)

    @precondition(lambda self: self.talk.account.pending)
    @rule(made_by=MAKERS)
    def fold_while_talk_goes_on(self, made_by: Maker) -> None:
        """What is displaced while the fold is made is not covered by it."""
        self.start_a_fold()
        self.take_a_whole_turn()
        self.talk = self.talk.land(self.flights[-1], made_by)

    @precondition(lambda self: self.flights)
    @rule(at=AT)
    def lose_a_fold(self, at: int) -> None:
        """It failed or was dropped: nothing of it ever comes back."""
        del self.flights[-1 - at % len(self.flights)]

    # --- limits, time, endings

    def _following(self) -> SessionId:
        self.sessions.append(SessionId(f"session {len(self.sessions)}"))
        return self.sessions[-1]

    @rule(
        window_size=st.integers(min_value=1, max_value=4),
        idle_minutes=st.sampled_from((5, 20, 60)),
        recall=st.booleans(),
    )
    def set_limits(self, window_size: int, idle_minutes: int, *, recall: bool) -> None:
        limits = ThreadLimits(
            window_size=window_size,
            idle_after=timedelta(minutes=idle_minutes),
            remember=self.talk.account.limits.remember,
            recall=recall,
        )
        self.talk = self.talk.limit(limits, self._following(), self.now)

    @precondition(lambda self: self.talk.account.holds_much or not self.remembers)
    @rule()
    def switch_memory(self) -> None:
        limits = replace(self.talk.account.limits, remember=not self.remembers)
        self.talk = self.talk.limit(limits, self._following(), self.now)

    @property
    def remembers(self) -> bool:
        return self.talk.account.limits.remember

    @precondition(lambda self: self.talk.account.holds_much)
    @rule(minutes=st.sampled_from((-3, 1, 6, 21, 61)))
    def let_time_pass(self, minutes: int) -> None:
        """Also backwards, as when two machines' clocks differ."""
        self.now += timedelta(minutes=minutes)
        self.talk = self.talk.end_if_idle(self._following(), self.now)

    @precondition(lambda self: self.talk.account.holds_much)
    @rule(at=AT)
    def reset(self, at: int) -> None:
        """Sometimes late, naming a session that is over or that never was."""
        live = self.talk.account.session_id
        named = live if at % 2 == 0 else self.sessions[-1 - at % len(self.sessions)]
        self.talk = self.talk.end(named, self._following(), self.now)

    @rule()
    def save_and_load(self) -> None:
        self.talk = self.talk.saved_and_loaded()

    def teardown(self) -> None:
        """Steer towards conversations that hold much and whose folds landed."""
        account = self.talk.account
        held = len(account.covered) + len(account.pending) + len(account.window)
        target(float(held + 3 * self.landed), label="held and folded")


def test_no_conversation_breaks_a_rule() -> None:
    """R1 to R4 hold after every step of whatever can be done to a thread."""
    run_state_machine_as_test(ConversationMachine, settings=MACHINE)
