"""Which conversation a request belongs to, as the door found it out, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from pace.memory.turn import SessionId, ThreadId, TurnId

AUTO = "auto-"
"""How the names begin that Pace gives to conversations whose clients name none."""


class MemoryUse(StrEnum):
    """What memory did for a request."""

    ON = "on"
    STATELESS = "stateless"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request's place among conversations.

    `scope` keeps keys apart: no other scope can name or guess a thread of this one. Without a
    `name` the conversation is known by how it begins. A client that `brings_history` sends all of
    it each time, so that the thread's own memory is not asked. With `after`, it goes on from that
    turn of the thread's window, or goes on with the unfinished one of that id: what came later
    is let go of, once this turn is recorded. One that does not `record` sees memory and leaves
    nothing in it; a `stateless` one has no part in it at all.
    """

    scope: str = ""
    name: str | None = None
    brings_history: bool = False
    after: TurnId | None = None
    records: bool = True
    stateless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """What a client is told of a turn before its first word; tokens by the estimate.

    `tokens_saved` is how much smaller the prompt is than one with the whole history. `gave_way`
    says what had to be left out for the prompt to fit. A stateless turn has nothing of all this.
    """

    memory: MemoryUse
    thread: str = ""
    session_id: SessionId | None = None
    session_began: bool = False
    summary_version: int = 0
    window_pairs: int = 0
    prompt_tokens: int = 0
    tokens_saved: int = 0
    gave_way: tuple[str, ...] = ()


def thread_of(scope: str, name: str) -> ThreadId:
    """The id of a thread; the scope's length stands first, so that no name reaches another's."""
    return ThreadId(f"{len(scope)}:{scope}:{name}")
