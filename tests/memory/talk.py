"""A thread under test and, beside it, an independent account of where each of its pairs must be.

Every change is made to both, and then both are compared by rules R1 to R4. The account knows pairs
by name, keeps whole lists and recomputes them each time; it shares no code with what it checks.
Each pair's words hold its name, and a test summary names precisely the pairs that it covers, so
where a name is found is where the pair is.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from pace.memory.limits import ThreadLimits
from pace.memory.snapshot import from_plain, to_plain
from pace.memory.summary import (
    Clause,
    Fold,
    Speaker,
    SummaryOutcome,
    SummaryUpdate,
    render_clauses,
)
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair

START = datetime(2026, 6, 1, 12, tzinfo=UTC)
THREAD = ThreadId("thread")
FIRST_SESSION = SessionId("session 0")
_NAME = re.compile(r"name\d+x")

Maker = Literal["model", "mended", "extractive"]


class RuleBrokenError(AssertionError):
    """The thread is not where the account says that it must be."""


def _must(holds: bool, rule: str) -> None:  # noqa: FBT001  reads as a sentence
    if not holds:
        raise RuleBrokenError(rule)


@dataclass(frozen=True, slots=True)
class Turn:
    """An accepted turn of a session; its words hold its name and what trimming would eat."""

    number: int
    session_id: SessionId
    replaces: TurnId | None = None

    @property
    def turn_id(self) -> TurnId:
        return TurnId(f"turn {self.number}")

    @property
    def name(self) -> str:
        return f"name{self.number}x"

    @property
    def user_text(self) -> str:
        return f"\t{self.name} é\r\n{{}} "

    @property
    def reply_text(self) -> str:
        return f" re {self.name} \\g<0>\n"

    def finished(self) -> FinishedTurn:
        return FinishedTurn(
            turn_id=self.turn_id,
            session_id=self.session_id,
            user_text=self.user_text,
            reply_text=self.reply_text,
            recorded_at=START,
            interrupted=self.number % 2 == 0,
            replaces=self.replaces,
        )


@dataclass(frozen=True, slots=True)
class Flight:
    """A fold in flight, and the names that its summary will hold."""

    fold: Fold
    told: tuple[str, ...]

    def update(self, made_by: Maker, covers: int | None = None) -> SummaryUpdate:
        """What comes back: a summary of all its pairs, or one that claims to cover up to another.

        A claim changes the text with it, so that it still names what it covers.
        """
        covers = self.fold.pairs[-1].number if covers is None else covers
        names = names_in(_words(pair for pair in self.fold.pairs if pair.number <= covers))
        clauses = tuple(Clause(speaker=Speaker.USER, text=name, number=1) for name in names)
        match made_by:
            case "model":
                text, clauses = " ".join([*self.told, *names]), ()
            case "mended":
                text = " ".join(["They met.", *self.told, render_clauses(clauses)]).rstrip()
            case "extractive":
                prior = self.fold.prior
                written = Clause(speaker=Speaker.EARLIER, text=prior.prose, number=0)
                clauses = (*([written] if prior.prose else []), *prior.clauses, *clauses)
                text = render_clauses(clauses)
        return SummaryUpdate(
            session_id=self.fold.session_id,
            version=self.fold.version,
            covers=covers,
            text=text or "nothing",
            made_by=made_by,
            clauses=clauses,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Where everything must be. `told` are the names that the summary holds, `gone` those that
    must be nowhere, `numbers` the numbers that pairs were given.
    """

    session_id: SessionId = FIRST_SESSION
    limits: ThreadLimits
    active_at: datetime = START
    window: tuple[Turn, ...] = ()
    pending: tuple[Turn, ...] = ()
    covered: tuple[Turn, ...] = ()
    displaced: tuple[Turn, ...] = ()
    numbers: tuple[tuple[Turn, int], ...] = ()
    next_number: int = 1
    covers: int = 0
    told: tuple[str, ...] = ()
    is_by_model: bool = False
    held_version: int = 0
    stamped: int = 0
    open: tuple[Turn, ...] = ()
    recorded: tuple[TurnId, ...] = ()
    accepted: tuple[str, ...] = ()
    gone: frozenset[str] = frozenset()

    def number_of(self, turn: Turn) -> int:
        return dict(self.numbers)[turn]

    @property
    def displaced_to(self) -> int:
        return self.number_of(self.pending[-1]) if self.pending else self.covers

    @property
    def holds_much(self) -> bool:
        """Whether there is something to lose: a pair in more than one place."""
        return bool(self.window and (self.pending or self.covers))

    def is_idle(self, now: datetime) -> bool:
        holds = bool(self.window or self.pending or self.covers)
        return holds and not self.open and now > self.active_at + self.limits.idle_after

    def displacing(self) -> "Account":
        window, pending, displaced = list(self.window), list(self.pending), list(self.displaced)
        while len(window) > self.limits.window_size:
            displaced.append(window[0])
            pending.append(window.pop(0))
        return replace(
            self,
            window=tuple(window),
            pending=tuple(pending),
            displaced=tuple(displaced) if self.limits.recall else (),
        )

    def without_last(self) -> "Account":
        last = self.window[-1]
        return replace(self, window=self.window[:-1], next_number=self.number_of(last))

    def without_open(self, turn: Turn, now: datetime) -> "Account":
        left = tuple(other for other in self.open if other.turn_id != turn.turn_id)
        return replace(self, open=left, active_at=max(now, self.active_at))

    def ended(self, following: SessionId, now: datetime) -> "Account":
        return Account(
            session_id=following,
            limits=self.limits,
            active_at=max(now, self.active_at),
            stamped=self.stamped,
            gone=self.gone | set(self.accepted),
        )


@dataclass(frozen=True, slots=True)
class Talk:
    """A thread and its account. Raises RuleBrokenError as soon as they differ."""

    memory: ThreadMemory
    account: Account

    @classmethod
    def begin(cls, kind: type[ThreadMemory] = ThreadMemory, *, window_size: int = 1) -> "Talk":
        limits = ThreadLimits(window_size=window_size)
        memory = kind(
            thread_id=THREAD, session_id=FIRST_SESSION, last_active_at=START, limits=limits
        )
        return cls(memory, Account(limits=limits))

    # --- a turn

    def accept(self, turn: Turn) -> "Talk":
        account = self.account
        if turn.turn_id not in account.recorded and turn not in account.open:
            account = replace(
                account, open=(*account.open, turn), accepted=(*account.accepted, turn.name)
            )
        return self._checked(self.memory.accept(turn.turn_id), account)

    def abandon(self, turn: Turn, now: datetime) -> "Talk":
        account = self.account
        if turn in account.open:
            account = account.without_open(turn, now)
        return self._checked(self.memory.abandon(turn.turn_id, now=now), account)

    def withdraw(self, turn: Turn) -> "Talk":
        still_open = tuple(other for other in self.account.open if other != turn)
        account = replace(self.account, open=still_open)
        return self._checked(self.memory.withdraw(turn.turn_id), account)

    def record(self, turn: Turn, now: datetime) -> "Talk":
        account, expected = self._recorded(turn, now)
        memory, outcome = self.memory.record(turn.finished(), now=now)
        _must(outcome is expected, f"R2: record gave {outcome}, not {expected}")
        return self._checked(memory, account)

    def _recorded(self, turn: Turn, now: datetime) -> tuple[Account, RecordOutcome]:
        account = self.account
        if turn.session_id != account.session_id:
            return account, RecordOutcome.OTHER_SESSION
        if turn not in account.open:
            return account, RecordOutcome.NOT_OPEN
        account = account.without_open(turn, now)
        if not account.limits.remember:
            return account, RecordOutcome.NOT_REMEMBERED
        if account.window and account.window[-1].turn_id == turn.replaces:
            account = account.without_last()
        account = replace(
            account,
            window=(*account.window, turn),
            numbers=(*account.numbers, (turn, account.next_number)),
            next_number=account.next_number + 1,
            recorded=(*account.recorded, turn.turn_id),
            gone=account.gone - {turn.name},
        )
        return account.displacing(), RecordOutcome.RECORDED

    def take_back(self, turn_id: TurnId) -> "Talk":
        account = self.account
        if account.window and account.window[-1].turn_id == turn_id:
            account = account.without_last()
        return self._checked(self.memory.take_back(turn_id), account)

    def strike(self, name: str) -> "Talk":
        account = self.account
        told = tuple(n for n in account.told if n != name and not account.is_by_model)
        account = replace(
            account,
            window=tuple(turn for turn in account.window if turn.name != name),
            pending=tuple(turn for turn in account.pending if turn.name != name),
            displaced=tuple(turn for turn in account.displaced if turn.name != name),
            told=told,
            gone=account.gone | {name},
            stamped=account.stamped + 1,
            held_version=account.stamped + 1,
        )
        return self._checked(self.memory.strike(name), account)

    # --- folds

    def stamp(self) -> tuple["Talk", Flight | None]:
        account = self.account
        memory, fold = self.memory.stamp_fold()
        _must((fold is not None) == bool(account.pending), "a fold is for what is pending")
        if fold is None:
            return self._checked(memory, account), None
        _must(fold.version > account.stamped, "R3: a fold's version is newer than every other")
        _must(fold.session_id == account.session_id, "R3: a fold names its session")
        names = tuple(turn.name for turn in account.pending)
        _must(names_in(_words(fold.pairs)) == names, "R2: a fold carries all pending pairs")
        account = replace(account, stamped=account.stamped + 1)
        return self._checked(memory, account), Flight(fold, account.told)

    def land(self, flight: Flight, made_by: Maker, covers: int | None = None) -> "Talk":
        update = flight.update(made_by, covers)
        account, expected = self._landed(update)
        memory, outcome = self.memory.apply_summary_update(update)
        _must(outcome is expected, f"R3: landing gave {outcome}, not {expected}")
        return self._checked(memory, account)

    def _landed(self, update: SummaryUpdate) -> tuple[Account, SummaryOutcome]:
        account = self.account
        if update.session_id != account.session_id:
            return account, SummaryOutcome.OTHER_SESSION
        if update.version <= account.held_version:
            return account, SummaryOutcome.STALE
        if update.covers < account.covers:
            return account, SummaryOutcome.COVERS_LESS
        if update.covers > account.displaced_to:
            return account, SummaryOutcome.COVERS_UNKNOWN
        new = [turn for turn in account.pending if account.number_of(turn) <= update.covers]
        account = replace(
            account,
            pending=tuple(turn for turn in account.pending if turn not in new),
            covered=(*account.covered, *new),
            covers=update.covers,
            told=names_in(update.text),
            is_by_model=update.made_by != "extractive",
            held_version=update.version,
        )
        return account, SummaryOutcome.APPLIED

    # --- limits and endings

    def limit(self, limits: ThreadLimits, following: SessionId, now: datetime) -> "Talk":
        account = replace(self.account, limits=limits)
        if self.account.limits.remember and not limits.remember:
            account = account.ended(following, now)
        elif limits.idle_after < self.account.limits.idle_after and not self.account.is_idle(now):
            account = replace(account, active_at=max(now, account.active_at))
        memory = self.memory.with_limits(limits, next_session_id=following, now=now)
        return self._checked(memory, account.displacing())

    def end(self, session_id: SessionId, following: SessionId, now: datetime) -> "Talk":
        account = self.account
        if session_id == account.session_id:
            account = account.ended(following, now)
        return self._checked(self.memory.end_session(session_id, following, now=now), account)

    def end_if_idle(self, following: SessionId, now: datetime) -> "Talk":
        account = self.account
        if account.is_idle(now):
            account = account.ended(following, now)
        return self._checked(self.memory.end_if_idle(following, now=now), account)

    def saved_and_loaded(self) -> "Talk":
        loaded = from_plain(json.loads(json.dumps(to_plain(self.memory))))
        again = type(self.memory)(**{f.name: getattr(loaded, f.name) for f in fields(loaded)})
        _must(again == self.memory, "a snapshot is the whole value")
        return self._checked(again, self.account)

    # --- the rules

    def _checked(self, memory: ThreadMemory, account: Account) -> "Talk":
        _check_window(memory, account)
        _check_places(memory, account)
        _check_versions(self.memory, memory, account)
        _check_forgotten(memory, account)
        _check_time(memory, account)
        return Talk(memory, account)


def names_in(text: str) -> tuple[str, ...]:
    """The names of pairs that a text holds, in order, repetitions included."""
    return tuple(_NAME.findall(text))


def _words(pairs: Iterable[TurnPair]) -> str:
    return "\n".join(pair.user_text for pair in pairs)


def _check_window(memory: ThreadMemory, account: Account) -> None:
    """R1: the newest pairs of this session, at most K, in order, byte for byte as said."""
    _must(len(memory.window) <= memory.limits.window_size, "R1: at most K pairs in the window")
    newest = (*account.covered, *account.pending, *account.window)[-len(account.window) :]
    newest = newest if account.window else ()
    said = [(turn.turn_id, turn.user_text, turn.reply_text) for turn in newest]
    held = [(pair.turn_id, pair.user_text, pair.reply_text) for pair in memory.verbatim_window]
    _must(held == said, "R1: the window holds the newest pairs as they were said")
    marks = [turn.number % 2 == 0 for turn in newest]
    _must([pair.interrupted for pair in memory.window] == marks, "R11: a mark stays with its pair")


def _check_places(memory: ThreadMemory, account: Account) -> None:
    """R2: each pair in exactly one of window, pending and covered; none left out, none twice."""
    held = [(pair.turn_id, pair.number) for pair in (*memory.pending, *memory.window)]
    live = (*account.pending, *account.window)
    places = [(turn.turn_id, account.number_of(turn)) for turn in live]
    _must(held == places, "R2: pending and window hold each pair that is not covered, once")
    _must(memory.summary.covers == account.covers, "R2: the summary covers what was displaced")
    told = names_in(memory.summary.text)
    _must(sorted(told) == sorted(account.told), "R2: the summary names what it covers, once")
    kept = [(each.pair.turn_id, each.pair.user_text) for each in memory.displaced]
    left = [(turn.turn_id, turn.user_text) for turn in account.displaced]
    _must(kept == left, "what left the window is kept whole for as long as recall is on")
    _must(memory.next_number == account.next_number, "R2: the next pair has the next number")
    open_turns = {turn.turn_id for turn in account.open}
    _must(set(memory.open_turns) == open_turns, "R2: a turn is open until recorded or abandoned")


def _check_versions(before: ThreadMemory, memory: ThreadMemory, account: Account) -> None:
    """R3: versions only grow, resets included, and text and version change together."""
    _must(memory.last_version >= before.last_version, "R3: versions only grow")
    _must(memory.last_version == account.stamped, "R3: a version is stamped for each fold")
    _must(memory.summary.version == account.held_version, "R3: the version held is the text's")
    if memory.session_id == before.session_id:
        _must(memory.summary.version >= before.summary.version, "R3: no older text comes back")
        is_same = memory.summary.version == before.summary.version
        _must(not is_same or memory.summary == before.summary, "R3: no text without a version")


def _check_forgotten(memory: ThreadMemory, account: Account) -> None:
    """R4: what was said before a reset, or struck, is nowhere in the value."""
    _must(memory.session_id == account.session_id, "R4: a reset ends the session that it names")
    if account.gone:
        found = account.gone.intersection(names_in(repr(memory)))
        _must(not found, "R4: nothing said before is reachable")


def _check_time(memory: ThreadMemory, account: Account) -> None:
    """R4: a thread is idle when its time has come, and not before."""
    _must(memory.limits == account.limits, "limits take effect at once")
    _must(memory.last_active_at == account.active_at, "idle time runs from the last turn's end")
    for seconds in (-1, 0, 1):
        now = account.active_at + account.limits.idle_after + timedelta(seconds=seconds)
        _must(memory.is_idle(now=now) == account.is_idle(now), "R4: idle after the limit")
