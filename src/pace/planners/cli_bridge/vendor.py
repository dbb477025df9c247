"""What Pace has to know of a vendor's program to speak with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pace.memory.prompt import Message
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.faults import Faults
from pace.planners.cli_bridge.room import Room
from pace.ports import FinishReason, PlannerEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A prompt as a program takes it in; `pipe` is its system text, where that goes by itself."""

    standard_input: str = field(repr=False)
    pipe: str | None = field(default=None, repr=False)


@dataclass(slots=True, kw_only=True)
class Told:
    """What a program told of its reply besides the words; what it did not tell is None.

    `reason` stays None until it says that the reply is complete. `is_troubled` while it says that
    it tries again.
    """

    reason: FinishReason | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    reply_tokens: int | None = None
    model: str | None = None
    is_troubled: bool = False


class Reader(Protocol):
    """Reads one reply; a new one for each."""

    @property
    def told(self) -> Told:
        """What was told so far."""
        ...

    def take(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        """The words and thoughts in one event; raises PlannerError for a failure that it tells.

        What it does not know, it passes over.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is fixed of a program.

    `host` is where words go. `context_tokens` is a cautious guess. `keeps` says in a sentence what
    the program keeps of a conversation or adds to it, empty for nothing. Of our environment it
    sees the variables `passed`, and it gets those of `settings`; those of `elsewhere` would lead
    words to others than the person agreed to, so it sees none of them. `fixed_files` lie beside
    its folder, `work_files` in it; none holds a word of a conversation. Exit codes
    `signed_out_codes` mean that nobody is signed in. With the arguments `asks_login` it ends in 0
    if somebody is, unless one of `keys` is in the environment.
    """

    faults: Faults
    host: str
    context_tokens: int
    passed: frozenset[str]
    keys: frozenset[str]
    elsewhere: frozenset[str] = frozenset()
    keeps: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    fixed_files: Mapping[str, str] = field(default_factory=dict)
    work_files: Mapping[str, str] = field(default_factory=dict)
    signed_out_codes: frozenset[int] = frozenset()
    asks_login: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program's name on the search path."""
        return self.faults.name


class Vendor(Protocol):
    """How a vendor's program is called, spoken to and understood."""

    @property
    def facts(self) -> Facts:
        """What is fixed of it."""
        ...

    def arguments(self, room: Room, *, model: str | None) -> Sequence[str]:
        """What follows the program's name; no word of a conversation."""
        ...

    def environment(self, room: Room) -> Mapping[str, str]:
        """Variables that depend on where the room is."""
        ...

    def spoken(self, messages: Sequence[Message]) -> Spoken:
        """The messages as the program takes them in."""
        ...

    def reader(self, said: Said) -> Reader:
        """A reader for one reply to what was said."""
        ...


def count(*values: object) -> int | None:
    """The sum of the whole numbers among them; None if there is none."""
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    return sum(numbers) if numbers else None


def text_of(value: object) -> str:
    """A string; empty for whatever else stands there."""
    return value if isinstance(value, str) else ""
