"""A talk that is replayed, and the facts in it that can be checked later."""

from dataclasses import dataclass
from enum import StrEnum


class Side(StrEnum):
    """Which half of a turn."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """One turn of a talk; either half may be blank, not both."""

    user: str
    assistant: str

    def said_by(self, side: Side) -> str:
        """One half."""
        return self.user if side is Side.USER else self.assistant


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that was said and can be looked for: which words, and which tie them down.

    `turn` counts from 0. `keywords` and `cues` are stems (`pace.evaluation.stems`); `cues` belong
    to the fact's subject. A `weak` one has such common keywords that it counts only beside a cue.
    From the turn `until` on it no longer holds, since something else was said.
    """

    turn: int
    by: Side
    answer: str
    keywords: tuple[str, ...]
    cues: tuple[str, ...] = ()
    weak: bool = False
    question: str = ""
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation; `source` is the set that it belongs to, for figures by set."""

    id: str
    source: str
    turns: tuple[SaidTurn, ...]
    facts: tuple[Fact, ...]
