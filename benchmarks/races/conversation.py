"""The actors of a conversation, each as if it were a process of its own, over one shared thread.

Turns are taken as the companion and the relay take them, folds are made by the real folding. Who
gets no answer of the store asks again, with the same turn's id.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from faults import Faults, RacingStore, StoreFault
from ledger import NOW, Ledger, Tally, finished, struck_with, summarized
from stage import Actor, play

from pace.errors import StoreError, SummarizerError
from pace.folding import Folding
from pace.memory.limits import ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import SessionId, ThreadId, TurnId
from pace.ports import Clock, ThreadMemoryStore
from pace.testing import ManualClock
from pace.threads import EndCause, Threads

WINDOW = 1
# More than there are faults in a schedule, so that whoever asks again is heard in the end.
_ATTEMPTS = 12
_NOBODY: frozenset[str] = frozenset()


class FoldFault(StrEnum):
    """What becomes of a fold; SLOW comes back after a while, LATE after all others are over."""

    SLOW = "slow"
    LOST = "lost"
    FAILED = "failed"
    TWICE = "twice"
    LATE = "late"
    AFTER_RESET = "after a reset"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault: who comes besides, and what goes wrong.

    `besides`: x resets, u takes the last turn back, s strikes a turn, p replaces the last turn,
    a begins a turn that fails.
    """

    name: str
    besides: str = ""
    folds: tuple[FoldFault, ...] = ()
    requests: tuple[StoreFault, ...] = ()


# t is a turn of the companion, r one of the relay, f a fold of what is pending then.
SCRIPT = "trtftrftf"
KINDS = (
    Kind("order alone"),
    Kind("a reset", besides="x"),
    Kind("slow folds", folds=(FoldFault.SLOW,)),
    Kind("lost folds", folds=(FoldFault.LOST,)),
    Kind("failed folds", folds=(FoldFault.FAILED,)),
    Kind("folds landing twice", folds=(FoldFault.TWICE,)),
    Kind("late folds", folds=(FoldFault.LATE,)),
    Kind("folds after a reset", besides="x", folds=(FoldFault.AFTER_RESET,)),
    Kind("turns taken back", besides="uu"),
    Kind("turns replaced", besides="pp"),
    Kind("turns struck", besides="ss"),
    Kind("turns that fail", besides="aa"),
    Kind("requests lost", requests=(StoreFault.LOST,)),
    Kind("answers lost", requests=(StoreFault.UNANSWERED,)),
    Kind("requests repeated", requests=(StoreFault.REPEATED,)),
    Kind("all of it at once", "xuspa", tuple(FoldFault), tuple(StoreFault)),
)


@dataclass(frozen=True, slots=True)
class House:
    """What a conversation is played with; a plant changes one thing of it."""

    store: Callable[[], Awaitable[tuple[ThreadMemoryStore, ThreadId]]]
    clock: Clock = field(default_factory=ManualClock)
    memory: type[ThreadMemory] = ThreadMemory
    by_hand: bool = True
    names_what_it_takes_back: bool = True


class Conversation:
    """One schedule of one script."""

    def __init__(
        self, house: House, kind: Kind, chance: Random, store: ThreadMemoryStore, thread: ThreadId
    ) -> None:
        self._house, self._kind, self._chance = house, kind, chance
        self._store, self._thread = store, thread
        self._clock = house.clock
        self._limits = ThreadLimits(window_size=WINDOW)
        self._faults = Faults(chance, kind.requests, most=3)
        self._made: list[SummaryUpdate] = []
        self._names = 0
        self._resets_left = kind.besides.count("x")
        self._early: list[Actor] = []
        self.ledger = Ledger(SessionId(""))
        self.happened: Counter[str] = Counter()

    async def play(self) -> Tally:
        """Play it to its end, fold what is left, and tell what came of it."""
        await self._begin()
        script = list(SCRIPT)
        for letter in self._kind.besides:
            script.insert(self._chance.randint(1, len(script)), letter)
        actors = [actor for letter in script for actor in self._actors(letter)]
        await play(actors, self._chance, by_hand=self._house.by_hand)
        self._faults.stop()
        await play([Actor(self._last_fold)], self._chance, by_hand=self._house.by_hand)
        self.happened.update(self._faults.happened)
        held = await self._store.load(self._thread)
        return self.ledger.tally(unfolded=len(held.pending) if held else 0)

    async def _begin(self) -> None:
        """Half of the conversations begin with a thread that holds nothing yet, the rest before."""
        if self._house.memory is ThreadMemory and self._chance.random() < 1 / 2:
            return
        fresh = self._house.memory(
            thread_id=self._thread,
            session_id=SessionId("session 0"),
            last_active_at=self._clock.now(),
            limits=self._limits,
        )
        await self._store.compare_and_set(self._thread, None, fresh)
        self.ledger = Ledger(fresh.session_id)

    def _actors(self, letter: str) -> list[Actor]:
        acts: dict[str, Callable[[Actor], Awaitable[None]]] = {
            "t": self._turn,
            "r": self._relayed_turn,
            "p": self._replacing_turn,
            "a": self._failing_turn,
            "u": self._take_back,
            "s": self._strike,
            "x": self._reset,
        }
        if letter != "f":
            return [self._actor(acts[letter])]
        fault = self._chance.choice(self._kind.folds) if self._kind.folds else None
        is_late = fault is FoldFault.LATE
        fold = self._actor(lambda actor: self._fold(actor, fault), is_late=is_late)
        return [fold, self._actor(self._land_again)] if fault is FoldFault.TWICE else [fold]

    def _actor(self, act: Callable[[Actor], Awaitable[None]], *, is_late: bool = False) -> Actor:
        async def until_answered(actor: Actor) -> None:
            for _ in range(_ATTEMPTS):
                try:
                    await act(actor)
                except StoreError:
                    continue
                return
            raise RuntimeError("an actor was never answered")

        actor = Actor(until_answered)
        if not is_late:
            self._early.append(actor)
        return actor

    def _threads(
        self,
        actor: Actor,
        *,
        removes: Callable[[ThreadMemory], frozenset[str]] = lambda _: _NOBODY,
        ends: Callable[[], SessionId | None] = lambda: None,
    ) -> Threads:
        """The actor's own way to the thread; what it writes goes into the ledger at once."""

        def wrote(before: ThreadMemory | None, after: ThreadMemory) -> None:
            if before is None:  # the thread begins
                self.ledger = Ledger(after.session_id, begun=self.ledger.begun)
            may_remove = _NOBODY if before is None else removes(before)
            self.ledger = self.ledger.wrote(after, may_remove=may_remove, ends=ends())

        store = RacingStore(self._store, actor, self._faults, wrote)
        return Threads(store, self._clock, self._limits)

    # --- turns

    def _name(self) -> str:
        self._names += 1
        return f"name{self._names}x"

    def _turn(self, actor: Actor) -> Awaitable[None]:
        return self._said(actor, actor.name or self._named(actor), replaces=None)

    def _named(self, actor: Actor) -> str:
        """A name that stays the actor's own, however often it asks again."""
        actor.name = self._name()
        return actor.name

    async def _replacing_turn(self, actor: Actor) -> None:
        name = actor.name or self._named(actor)
        if actor.target is None:
            actor.target = await self._last(actor)
        await self._said(actor, name, replaces=actor.target)

    async def _last(self, actor: Actor) -> TurnId | None:
        held = await self._threads(actor).look(self._thread)
        return held.window[-1].turn_id if held.window else None

    async def _said(self, actor: Actor, name: str, *, replaces: TurnId | None) -> None:
        """A turn of the companion: accepted, answered after a while, recorded."""
        replaced = _NOBODY if replaces is None else frozenset({str(replaces)})
        threads = self._threads(actor, removes=lambda _: replaced)
        session_id = await self._accept(threads, name)
        await self._some_time(actor)
        turn = finished(name, session_id, replaces=replaces)
        outcome = await threads.change(self._thread, lambda held: held.record(turn, now=NOW))
        self._told(name, session_id, outcome)

    async def _accept(self, threads: Threads, name: str) -> SessionId:
        def step(held: ThreadMemory) -> tuple[ThreadMemory, SessionId]:
            return held.accept(TurnId(name)), held.session_id

        session_id = await threads.change(self._thread, step)
        self.ledger = self.ledger.began(name, session_id)
        return session_id

    def _told(self, name: str, session_id: SessionId, outcome: RecordOutcome) -> None:
        """Its person hears of it; one that is not open any more was recorded before."""
        if outcome in {RecordOutcome.RECORDED, RecordOutcome.NOT_OPEN}:
            self.ledger = self.ledger.acknowledge(name, session_id)
        self.happened[f"turn {outcome}"] += 1

    async def _relayed_turn(self, actor: Actor) -> None:
        """A turn of the relay, whose lease is lost: begun and recorded by one write at its end."""
        name = actor.name or self._named(actor)
        async with self._threads(actor).hold(self._thread) as held:
            session_id = held.memory.session_id
            self.ledger = self.ledger.began(name, session_id)
            await self._some_time(actor)
            turn = finished(name, session_id)

            def step(memory: ThreadMemory) -> tuple[ThreadMemory, RecordOutcome]:
                if memory.session_id != session_id:
                    return memory, RecordOutcome.OTHER_SESSION
                return memory.accept(turn.turn_id).record(turn, now=NOW)

            outcome = await held.finish(step)
        self._told(name, session_id, outcome)

    async def _failing_turn(self, actor: Actor) -> None:
        """Its planner failed: it must be nowhere, so it is begun in no session."""
        name = actor.name or self._named(actor)
        threads = self._threads(actor)
        turn_id = TurnId(name)
        await threads.change(self._thread, lambda held: (held.accept(turn_id), None))
        await self._some_time(actor)
        await threads.change(self._thread, lambda held: (held.abandon(turn_id, now=NOW), None))

    async def _some_time(self, actor: Actor) -> None:
        for _ in range(self._chance.randrange(3)):
            await actor.pause()

    # --- what a person does besides

    async def _take_back(self, actor: Actor) -> None:
        """Take back the turn that is last when the person asks, once."""
        actor.target = actor.target or await self._last(actor)
        target = actor.target
        if target is None:
            return
        threads = self._threads(actor, removes=lambda _: frozenset({str(target)}))

        def step(held: ThreadMemory) -> tuple[ThreadMemory, None]:
            if self._house.names_what_it_takes_back or not held.window:
                return held.take_back(target), None
            return held.take_back(held.window[-1].turn_id), None

        await threads.change(self._thread, step)

    async def _strike(self, actor: Actor) -> None:
        if not self._names:
            return
        actor.name = actor.name or f"name{self._chance.randint(1, self._names)}x"
        name = actor.name

        def removes(before: ThreadMemory) -> frozenset[str]:
            return struck_with(before.summary, name) | {name}

        threads = self._threads(actor, removes=removes)
        await threads.change(self._thread, lambda held: (held.strike(name), None))

    async def _reset(self, actor: Actor) -> None:
        threads = self._threads(actor, ends=lambda: actor.session_id)
        if actor.session_id is None:
            actor.session_id = (await threads.look(self._thread)).session_id
        await threads.end(self._thread, actor.session_id, EndCause.RESET)
        self._resets_left -= 1

    # --- folds

    async def _fold(self, actor: Actor, fault: FoldFault | None) -> None:
        """The real folding, with a model in half of the cases; a lost one ends where it is."""
        summarizer = _Summarizer(self, actor, fault)
        plain = _Summarizer(self, actor, None)
        has_model = self._chance.random() < 1 / 2
        folding = Folding(
            self._threads(actor),
            fallback=plain if has_model else summarizer,
            model=summarizer if has_model else None,
        )
        try:
            await folding.run(self._thread)
        except asyncio.CancelledError:
            return
        finally:
            self.happened.update(f"fold {outcome}" for outcome in folding.outcomes.elements())

    async def _last_fold(self, actor: Actor) -> None:
        await self._fold(actor, None)

    async def _land_again(self, actor: Actor) -> None:
        """A fold that came back before comes back once more."""
        for _ in range(self._chance.randrange(4)):
            await actor.pause()
        if self._made:
            update = self._chance.choice(self._made)
            await self._threads(actor).change(
                self._thread, lambda held: held.apply_summary_update(update)
            )

    async def wait_for(self, actor: Actor, fault: FoldFault | None) -> None:
        """What a fold waits for before it comes back."""
        if fault is FoldFault.LATE:
            await actor.pause(until=lambda: all(other.is_over for other in self._early))
            return
        if fault is FoldFault.AFTER_RESET:
            await actor.pause(until=lambda: not self._resets_left)
        longest = 12 if fault in {FoldFault.SLOW, FoldFault.AFTER_RESET} else 3
        for _ in range(self._chance.randrange(longest)):
            await actor.pause()

    def made(self, fold: Fold, *, by_model: bool) -> SummaryUpdate:
        """The update of a fold, which may come back again."""
        update = summarized(fold, by_model=by_model)
        self._made.append(update)
        return update

    @property
    def folds_by_model(self) -> bool:
        return self._chance.random() < 1 / 2


class _Summarizer:
    """Names what it folds, after whatever is to go wrong."""

    name = "laboratory"

    def __init__(self, talk: Conversation, actor: Actor, fault: FoldFault | None) -> None:
        self._talk, self._actor, self._fault = talk, actor, fault

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        await self._talk.wait_for(self._actor, self._fault)
        if self._fault is FoldFault.LOST:
            raise asyncio.CancelledError
        if self._fault is FoldFault.FAILED:
            raise SummarizerError("the laboratory's fault")
        return self._talk.made(fold, by_model=self._talk.folds_by_model)


async def play_some(
    house: House, kind: Kind, numbers: Sequence[int], seed: int
) -> tuple[Tally, Counter[str]]:
    """Play these schedules of a kind; the same numbers and seed give the same ones."""
    tally, happened = Tally(), Counter[str]()
    for number in numbers:
        chance = Random(f"{seed} {kind.name} {number}")  # noqa: S311  # the same each time
        store, thread = await house.store()
        talk = Conversation(house, kind, chance, store, thread)
        tally = tally.plus(await talk.play())
        happened.update(talk.happened)
        await asyncio.sleep(0)  # the loop lets go of time limits that were kept
    return tally, happened
