"""What a thread holds of a client's history: found by content, and by nothing else."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from memory.plain import NEXT, NOW, SESSION, said, thread
from pace.memory.prefixes import MOST_PREFIXES, Prefix, chained, longest_known, with_prefix
from pace.memory.snapshot import from_plain, to_plain
from pace.memory.summary import Fold, RollingSummary, SummaryOutcome, SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.turn import TurnId, TurnPair


@dataclass(frozen=True)
class History:
    """A client's turns, told apart by a letter each, and their digests."""

    letters: str

    @property
    def digests(self) -> list[str]:
        digests = [""]
        for letter in self.letters:
            digests.append(chained(digests[-1], [letter.encode()]))
        return digests

    def pairs(self, first: int, last: int) -> tuple[TurnPair, ...]:
        return tuple(
            TurnPair(
                turn_id=TurnId(self.digests[number]),
                number=number,
                user_text=self.letters[number - 1],
                reply_text="noted",
                recorded_at=NOW,
            )
            for number in range(first, last + 1)
        )

    def prefix(self, covers: int, length: int, *, version: int = 1) -> Prefix:
        """Its first `length` turns, of which a summary covers so many."""
        summary = RollingSummary(
            text=self.letters[:covers], covers=covers, version=version if covers else 0
        )
        return Prefix(
            digest=self.digests[length],
            covered=self.digests[covers],
            summary=summary,
            pending=self.pairs(covers + 1, length),
        )


def folded(fold: Fold, **changes: object) -> SummaryUpdate:
    """The update that tells every letter of the prior summary and of the pairs."""
    made = SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=fold.prior.text + "".join(pair.user_text for pair in fold.pairs),
        made_by="test",
        prefix=fold.prefix,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def keeping(memory: ThreadMemory, *prefixes: Prefix) -> ThreadMemory:
    for prefix in prefixes:
        memory = memory.keep_prefix(SESSION, prefix, now=NOW)
    return memory


@given(st.lists(st.lists(st.binary(max_size=4), max_size=4), max_size=4), st.data())
def test_two_histories_have_two_digests(turns: list[list[bytes]], data: st.DataObject) -> None:
    """However the pieces are cut: only the same pieces, in the same turns, give the same digest."""
    others = data.draw(st.lists(st.lists(st.binary(max_size=4), max_size=4), max_size=4))

    def digest_of(history: list[list[bytes]]) -> str:
        digest = ""
        for turn in history:
            digest = chained(digest, turn)
        return digest

    assert (digest_of(turns) == digest_of(others)) == (turns == others)


def test_pending_pairs_follow_on_what_is_covered() -> None:
    """A prefix has no gap and no pair twice."""
    prefix = History("abcd").prefix(1, 3)
    with pytest.raises(ValueError, match="follow on"):
        replace(prefix, pending=prefix.pending[1:])
    with pytest.raises(ValueError, match="follow on"):
        replace(prefix, pending=(*prefix.pending, prefix.pending[-1]))


def test_a_branch_shares_the_summary_up_to_where_it_diverges() -> None:
    """What covers a turn that the history does not have, however like it, is never found."""
    trunk, branch = History("abcde"), History("abcxe")
    prefixes = tuple(trunk.prefix(n, n) for n in range(1, 6))
    assert longest_known(prefixes, trunk.digests, most=5).text == "abcde"
    assert longest_known(prefixes, trunk.digests, most=4).text == "abcd"
    assert longest_known(prefixes, branch.digests, most=5).text == "abc"
    assert longest_known(prefixes, History("xbcde").digests, most=5) == RollingSummary()


def test_the_newer_of_two_summaries_of_the_same_is_found() -> None:
    """A better fold that came later takes the first one's place."""
    trunk = History("abc")
    first, second = trunk.prefix(2, 2, version=3), trunk.prefix(2, 3, version=7)
    for prefixes in ((first, second), (second, first)):
        assert longest_known(prefixes, trunk.digests, most=2).version == 7


def test_of_too_many_prefixes_the_newest_stay_and_the_others_thin_out() -> None:
    """A long conversation keeps what regenerating needs, and steps to go back by."""
    trunk = History("abcdefghijklmnopqrstuvwxyz")
    prefixes: tuple[Prefix, ...] = ()
    for length in range(1, 27):
        prefixes = with_prefix(prefixes, trunk.prefix(length, length))
    lengths = [prefix.length for prefix in prefixes]
    assert len(lengths) == MOST_PREFIXES
    assert lengths[-3:] == [24, 25, 26]
    assert sorted(lengths) == lengths
    steps = [after - before for before, after in pairwise([0, *lengths])]
    assert steps == sorted(steps, reverse=True)


def test_what_was_folded_is_not_unfolded_by_the_same_request_again() -> None:
    """A repeated request brings its pairs once more; the summary that covers them stays."""
    trunk = History("abc")
    memory = keeping(thread(), trunk.prefix(0, 2))
    memory, fold = memory.stamp_fold()
    assert fold is not None
    memory, outcome = memory.apply_summary_update(folded(fold))
    assert outcome is SummaryOutcome.APPLIED
    again = keeping(memory, trunk.prefix(0, 2))
    assert again.prefixes == memory.prefixes
    assert not again.is_pending


def test_a_summary_made_for_a_request_gets_a_version_and_stays_by_itself() -> None:
    """It is found again for exactly what it covers, when the newest reply is asked for again."""
    trunk = History("abcd")
    made = replace(trunk.prefix(3, 4), summary=RollingSummary(text="abc", covers=3))
    memory = keeping(thread(), made)
    assert memory.last_version == 1
    assert memory.known_of(trunk.digests, most=3).version == 1
    assert memory.is_pending
    assert memory.known_of(History("abc").digests, most=3).text == "abc"


def test_a_fold_lands_on_its_own_prefix_and_on_no_other() -> None:
    """Folds of two branches and of the thread's own pairs may end in any order."""
    memory = said(thread(window_size=1), "one", "two")
    memory = keeping(memory, History("ab").prefix(0, 2), History("xy").prefix(0, 2))
    folds = []
    for _ in range(3):
        memory, fold = memory.stamp_fold()
        assert fold is not None
        folds.append(fold)
        memory, outcome = memory.apply_summary_update(folded(fold))
        assert outcome is SummaryOutcome.APPLIED
    assert [fold.prior.text for fold in folds] == ["", "", ""]
    assert memory.summary.text == "words of one"
    assert memory.known_of(History("ab").digests, most=2).text == "ab"
    assert memory.known_of(History("xy").digests, most=2).text == "xy"
    assert memory.stamp_fold() == (memory, None)
    for fold in folds:
        assert memory.apply_summary_update(folded(fold))[1] is SummaryOutcome.STALE


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"session_id": NEXT}, SummaryOutcome.OTHER_SESSION),
        ({"prefix": "nobody's"}, SummaryOutcome.COVERS_UNKNOWN),
        ({"version": 99}, SummaryOutcome.COVERS_UNKNOWN),
        ({"version": 0}, SummaryOutcome.STALE),
        ({"covers": 1}, SummaryOutcome.COVERS_LESS),
        ({"covers": 3}, SummaryOutcome.COVERS_UNKNOWN),
        ({"text": " "}, SummaryOutcome.EMPTY),
        ({"text": "word " * 900}, SummaryOutcome.TOO_LONG),
    ],
)
def test_a_fold_that_may_not_land_changes_nothing(
    changes: dict[str, object], outcome: SummaryOutcome
) -> None:
    """Each guard has its own answer, and the pairs stay pending."""
    memory, fold = keeping(thread(), History("ab").prefix(0, 2)).stamp_fold()
    assert fold is not None
    assert memory.apply_summary_update(folded(fold, **changes)) == (memory, outcome)


def test_the_end_of_a_session_takes_everything_and_late_folds_find_nothing() -> None:
    """R4: reset, idle and memory off leave nothing of a client's history either."""
    full, fold = keeping(thread(), History("ab").prefix(0, 2)).stamp_fold()
    assert fold is not None
    assert not full.is_empty
    assert full.is_idle(now=NOW + timedelta(minutes=21))
    ended = full.end_session(SESSION, NEXT, now=NOW)
    off = full.with_limits(replace(full.limits, remember=False), next_session_id=NEXT, now=NOW)
    for after in (ended, off, full.strike("a")):
        assert after.prefixes == ()
        assert after.apply_summary_update(folded(fold))[1] is not SummaryOutcome.APPLIED
    for after in (ended, off):
        assert after.keep_prefix(SESSION, History("ab").prefix(0, 2), now=NOW) == after


def test_a_thread_with_prefixes_survives_a_store() -> None:
    """What is held goes into a snapshot and comes back equal."""
    memory = said(thread(window_size=1), "one", "two")
    memory = keeping(memory, History("abc").prefix(1, 3, version=0), History("xy").prefix(0, 2))
    assert from_plain(to_plain(memory)) == memory


class BranchingMachine(RuleBasedStateMachine):
    """Clients that go on, edit, branch and begin anew, while folds land late or never."""

    kind: type[ThreadMemory] = ThreadMemory

    def __init__(self) -> None:
        super().__init__()
        self.memory = self.kind(
            **{
                name: getattr(thread(), name)
                for name in ("thread_id", "session_id", "last_active_at", "limits")
            }
        )
        self.letters = ""
        self.folds: list[Fold] = []
        self.window = 1

    @rule(letter=st.sampled_from("abc"))
    def say(self, letter: str) -> None:
        """One request of a client that sends all its turns, and what is kept of it."""
        history = History(self.letters)
        older = max(0, len(self.letters) - self.window)
        known = self.memory.known_of(history.digests, most=older)
        # The one rule: what stands in for older turns tells exactly those, in their order.
        assert known.text == self.letters[: known.covers]
        assert known.covers <= older
        length = len(self.letters) + 1 - self.window
        prefix = None
        if length >= 1:
            prefix = Prefix(
                digest=history.digests[length],
                covered=history.digests[known.covers],
                summary=known,
                pending=history.pairs(known.covers + 1, length),
            )
        self.memory = self.memory.keep_prefix(SESSION, prefix, now=NOW)
        self.letters += letter

    @rule(letters=st.text("abc", min_size=2, max_size=4))
    def say_and_fold(self, letters: str) -> None:
        for letter in letters:
            self.say(letter)
            self.begin_fold()
            self.land_fold(len(self.folds) - 1)

    @rule(turns=st.integers(1, 4))
    def go_back(self, turns: int) -> None:
        self.letters = self.letters[:-turns]

    @rule()
    def begin_fold(self) -> None:
        self.memory, fold = self.memory.stamp_fold()
        if fold is not None:
            self.folds.append(fold)

    @rule(at=st.integers(0, 40))
    def land_fold(self, at: int) -> None:
        if self.folds:
            fold = self.folds[at % len(self.folds)]
            self.memory, _ = self.memory.apply_summary_update(folded(fold))
            assert len(self.memory.prefixes) <= MOST_PREFIXES


def run_machine(kind: type[ThreadMemory]) -> None:
    machine = type("Machine", (BranchingMachine,), {"kind": kind})
    run_state_machine_as_test(
        machine,
        settings=settings(max_examples=150, stateful_step_count=30, deadline=None, database=None),
    )


def test_no_history_sees_a_summary_of_another() -> None:
    """Whatever clients send and whenever folds land, a summary tells the prefix it stands for."""
    run_machine(ThreadMemory)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakesAnyPrefix(ThreadMemory):
    """A fault: any prefix of the right length will do."""

    planted: bool = field(default=True)

    def known_of(self, digests, *, most):  # noqa: ARG002  # that is the fault
        fits = [p.summary for p in self.prefixes if 0 < p.summary.covers <= most]
        return max(fits, key=lambda held: held.covers, default=RollingSummary())


@dataclass(frozen=True, slots=True, kw_only=True)
class LandsOnTheNewest(ThreadMemory):
    """A fault: a fold lands on whichever prefix is newest."""

    planted: bool = field(default=True)

    def apply_summary_update(self, update):
        if self.prefixes:
            update = replace(
                update, prefix=self.prefixes[-1].digest, covers=self.prefixes[-1].length
            )
        return ThreadMemory.apply_summary_update(self, update)


@pytest.mark.parametrize("kind", [TakesAnyPrefix, LandsOnTheNewest])
def test_the_machine_bites(kind: type[ThreadMemory]) -> None:
    """Planted faults of both kinds are found."""
    with pytest.raises(AssertionError):
        run_machine(kind)
