"""What can be said of MCP servers, and asked of one that runs; it needs no extra."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from pace.ports import Action

MOST_TOOLS = 32
"""How many tools are offered in all: each takes room in every prompt."""
MOST_CHARACTERS = 12_000
"""How much their names, descriptions and arguments may take, as JSON; about 3,500 tokens."""


class ServerState(StrEnum):
    """Where a server stands."""

    CONNECTING = "connecting"
    READY = "ready"
    WAITING = "not answering, tried again soon"
    GIVEN_UP = "not answering, given up"
    DISABLED = "switched off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerReport:
    """What can be said of a server, for people.

    `host` is where words go if that is not this machine. `left_out` has the name of each tool that
    is not offered, and why. `trouble` is why it is not ready; `complaint` is the end of what its
    program wrote to standard error, without the entry's secrets.
    """

    name: str
    state: ServerState
    host: str = ""
    offered: tuple[Action, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    trouble: str = ""
    complaint: str = ""


class RunningServer(Protocol):
    """A server whose life has begun. `actions` are all that could be offered."""

    @property
    def slug(self) -> str:
        """What the names of its actions begin with."""
        ...

    @property
    def actions(self) -> Sequence[Action]:
        """None while it is not ready."""
        ...

    @property
    def is_settled(self) -> bool:
        """Whether it has answered, or failed once."""
        ...

    async def run(self) -> None:
        """Its life, until cancelled or until it has failed too often."""
        ...

    def report(self, fits: set[str]) -> ServerReport:
        """Where it stands; `fits` names the actions for which there is room."""
        ...
