"""What a person asks of one turn, and what is reported of it when it is acknowledged."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from pace.journal.rows import TurnSource
from pace.memory.prompt import ExtraBlock, PromptParts
from pace.memory.turn import SessionId, TurnId
from pace.ports import Finished, FinishReason, PlannerEvent

Say = Callable[[PlannerEvent], Awaitable[None]]


class Playback(Protocol):
    """The sound of a reply, which lasts longer than the writing of it. Raises nothing."""

    @property
    def heard(self) -> int:
        """How many characters of the reply have sounded, up to the end of a word."""
        ...

    async def wait_over(self) -> None:
        """All of the reply is written: wait until it has sounded, or none of it will any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a person asks of one turn.

    `source` is the way they came. `said_in` is the session they were meant for, if that is known:
    they are answered in no other. `replaces` names the last pair, if this turn is to take its
    place. `blocks` change every turn and stand before the words in the prompt; memory holds the
    words alone. With a `playback` the turn lasts until the reply has sounded, and one that is
    interrupted is recorded as far as it was heard.
    """

    text: str
    source: TurnSource = TurnSource.CHAT
    turn_id: TurnId = field(default_factory=lambda: TurnId(str(uuid.uuid4())))
    said_in: SessionId | None = None
    replaces: TurnId | None = None
    blocks: tuple[ExtraBlock, ...] = ()
    playback: Playback | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """An acknowledged turn: its reply, which `model` gave it, and what that was shown for it.

    `interrupted` replies were stopped, `cut_off` ones met the reply limit or broke off.
    `remembered` says whether the pair entered the window: not if memory is off, or a reset came
    first. `trouble` is what went wrong after an action had begun: such a turn is recorded all the
    same.
    """

    turn_id: TurnId
    session_id: SessionId
    text: str
    interrupted: bool
    cut_off: bool
    remembered: bool
    parts: PromptParts
    gave_way: tuple[str, ...]
    finished: Finished | None
    model: str = ""
    trouble: str = ""

    @property
    def broke_off(self) -> bool:
        """Whether the planner was gone before its reply had come to an end."""
        return self.finished is not None and self.finished.reason is FinishReason.BROKEN_OFF
