"""What an envelope holds: the words, what the reply is for, and the actions that it asks for.

The schema, the grammar, the reader and the instructions are all made of the names below.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SPOKEN, INTENT, PAYLOAD = "spokenText", "intent", "payload"
FIELDS = (SPOKEN, INTENT, PAYLOAD)
"""The keys of an envelope, in the order in which an engine that we hold to it gives them."""

NAME, ARGS, CALLS = "name", "args", "calls"
MOST_CALLS = 6
"""How many actions one reply may ask for."""

TARGET = "target"
TARGETS = ("focused", "selection")
TEXTS = ("answer", "text", "replacement", "command")
"""The payload's other fields; each is a string, and `target` one of TARGETS."""


class Intent(StrEnum):
    """What a reply is for."""

    ANSWER = "answer"
    ACTION = "action"
    DICTATE = "dictate"
    EDIT = "edit"
    CLARIFY = "clarify"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Call:
    """One action that is asked for; whether its arguments are right, only the action knows."""

    name: str
    args: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A whole reply. `payload` holds what it has besides calls: TEXTS and `target`.

    One that `is_plain` was no envelope at all: its words were shown as they came.
    """

    spoken_text: str = field(repr=False)
    intent: Intent = Intent.ANSWER
    calls: tuple[Call, ...] = ()
    payload: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_plain: bool = False
