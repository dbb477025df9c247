"""What the turn needs of the world: a planner, a summarizer, a store, a clock, actions, a yes.

Each port is as small as its caller's need and says how it fails. Adapters live in their own rooms;
only `wiring.py` names them.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pace.memory.prompt import Prompt
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId, TurnId

SUMMARIES = ThreadId("summaries")
"""The thread under which a planner is asked for folds, so that none takes a conversation's slot."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Words of the reply, as they come; never reasoning, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """The planner reasons; a sign of life.

    `text` is for the screen of a person who asks to see it: nothing remembers it, speaks it or
    sends it back. Empty where the planner tells that it reasons and not what.
    """

    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Reasoned:
    """All TextDeltas so far were reasoning, as was told only now; what was shown is taken back.

    `kept`, with which they began, is no reasoning: what was said ahead of this reply.
    """

    kept: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Loading:
    """The planner's server loads its model, which may take minutes; a sign of life."""

    model: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the person about this reply, and no part of it."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The planner has read `done` of `total` prompt tokens; a sign of life."""

    done: int
    total: int


class FinishReason(StrEnum):
    """Why a reply ended: by itself, at its limit, or because the planner broke off."""

    STOP = "stop"
    LENGTH = "length"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The last event of a complete reply. Counts are the planner's own; None when it gave none.

    `cached_tokens` of the prompt were already read before this turn. `planner` and `model` name who
    answered, where that is not who was asked.
    """

    reason: FinishReason
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    reply_tokens: int | None = None
    model: str | None = None
    planner: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What an action brought to the person's screen; nothing remembers it."""

    text: str = field(repr=False)


PlannerEvent = TextDelta | Thinking | Reasoned | Loading | Reading | Notice | Shown | Finished


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerTraits:
    """What a planner is and can do; asked once, never guessed.

    `context_tokens` is the whole context, prompt and reply together. A planner that `prepares` can
    read a prompt's prefix ahead; one that `summarizes` may be asked for folds; `on_this_machine`
    is false for whatever lets words leave it; `host` then names where they go, as a person would.
    One that `assumes_context` could not be asked for it, and its context is a cautious guess. One
    that `constrains` holds every reply to a prompt's `reply_form` while it decodes.
    """

    name: str
    model: str
    context_tokens: int
    on_this_machine: bool
    prepares: bool = False
    summarizes: bool = False
    assumes_context: bool = False
    constrains: bool = False
    host: str = ""


class Planner(Protocol):
    """Answers one prompt. Raises PlannerError and nothing else.

    Closing the stream (`aclose`) stops the planner at once, and leaves nothing running.
    """

    async def traits(self) -> PlannerTraits:
        """What this planner is; the engine may have to be started for it."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event; a complete reply ends with Finished."""
        ...

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens, by the planner's own tokenizer or the estimate."""
        ...

    async def prepare(self, prompt: Prompt) -> int:
        """Read all but the last message ahead; gives the tokens now held. May be cancelled."""
        ...

    async def forget(self, thread_id: ThreadId) -> None:
        """Erase whatever is cached of a thread; called when its session ends."""
        ...

    async def aclose(self) -> None:
        """End what was started; nothing of it is left behind."""
        ...


class ThreadSummarizer(Protocol):
    """Folds pending pairs into the summary. Raises SummarizerError and nothing else."""

    @property
    def name(self) -> str:
        """Who made a summary, as `/memory` shows it."""
        ...

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give the update for this very fold: its session, its version, what it covers."""
        ...


class ThreadMemoryStore(Protocol):
    """Keeps thread values; it has no rules of its own. Raises StoreError and nothing else."""

    @property
    def expires(self) -> bool:
        """Whether idle threads are gone by themselves, so that nobody has to sweep them."""
        ...

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        """The value that is held, or None."""
        ...

    async def compare_and_set(
        self,
        thread_id: ThreadId,
        expected: ThreadMemory | None,
        memory: ThreadMemory | None,
        *,
        ends_turn: bool = False,
    ) -> bool:
        """Replace the value if it is still `expected`; None stands for no value. False if not.

        With `ends_turn`, a write that succeeds also gives up the turn that this process holds.
        """
        ...

    def turn(self, thread_id: ThreadId) -> AbstractAsyncContextManager[ThreadMemory | None]:
        """Hold the thread's turn among all processes that share the store; gives the held value.

        Whoever dies with it loses it. The value does not expire meanwhile. One that was lost all
        the same is no fault: what the turn has to record is still recorded, once.
        """
        ...

    def fold(self, thread_id: ThreadId) -> AbstractAsyncContextManager[bool]:
        """Whether this process may fold the thread now; false while another one does."""
        ...

    async def unfolded(self) -> Sequence[ThreadId]:
        """The threads with something pending: what a process that died may have left undone."""
        ...

    async def thread_ids(self) -> Sequence[ThreadId]:
        """The threads that are held now, for the sweep."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


class Risk(StrEnum):
    """What an action could do; one that only reads asks nobody."""

    READS = "reads"
    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """What came of an action.

    `line` is one plain line in our own words, and all that is remembered. `shown` is what a person
    sees besides, and a planner that goes on step by step: text of others, kept nowhere.
    """

    line: str
    shown: str = field(default="", repr=False)


Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTraits:
    """What an action is, for models and people.

    `arguments` is the JSON Schema of one object. `example` is an utterance and its arguments.
    `time_limit` is in seconds.
    """

    name: str
    description: str
    arguments: Mapping[str, object]
    risk: Risk
    example: tuple[str, Arguments] | None = None
    time_limit: float = 30.0


class Action(Protocol):
    """Something that Pace can do on this machine. Raises ActionError and nothing else."""

    @property
    def traits(self) -> ActionTraits:
        """What it is; the same for as long as it is offered."""
        ...

    def checked(self, arguments: Arguments) -> Arguments:
        """The arguments as they will be used; raises ActionRefusedError for wrong ones."""
        ...

    def would(self, arguments: Arguments) -> str:
        """What running it with these would do, in words that go after "Pace would"."""
        ...

    async def run(self, arguments: Arguments) -> ActionResult:
        """Do it, once. Raises ActionUncertainError if it may or may not have been done."""
        ...


class Actions(Protocol):
    """The actions of this installation."""

    def offered(self) -> Sequence[Action]:
        """Those that can be asked for now, in a fixed order."""
        ...


class ActionsAtWork(Actions, Protocol):
    """Actions with work of their own behind them, such as timers that ring."""

    async def run(self) -> None:
        """That work; owned by whoever offers the actions, until cancelled."""
        ...

    def settings_changed(self) -> None:
        """Look at the settings again; returns at once."""
        ...

    def farewell(self) -> str:
        """What is lost if the work ends now, as a sentence; empty for nothing."""
        ...


class Approval(StrEnum):
    """What a person says to an action that asks."""

    ONCE = "once"
    ALWAYS = "always"
    NO = "no"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """An action that waits for a person's word; `would` goes after "Pace would".

    One that `may_be_always` can be allowed for good.
    """

    call_id: str
    thread_id: ThreadId
    turn_id: TurnId
    action: str
    would: str
    risk: Risk
    may_be_always: bool = True


class Approver(Protocol):
    """Asks the person. Whoever cannot be asked says no."""

    async def ask(self, request: ActionRequest) -> Approval:
        """The person's word; may take as long as it takes, and is cancelled with the turn."""
        ...


class Clock(Protocol):
    """Two readings of time, both aware."""

    def now(self) -> datetime:
        """For idle limits: counts sleep, ignores changes of the wall clock."""
        ...

    def local_time(self) -> datetime:
        """For people: the wall clock, with the local offset."""
        ...
