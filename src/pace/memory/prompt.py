"""What the model sees: the one place where a prompt is put together and fitted."""

from dataclasses import dataclass
from enum import StrEnum

from pace.memory.turn import SessionId, ThreadId


class Role(StrEnum):
    """Who a message is from, in the words of the usual wire."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt; never empty."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A system message, then user and assistant in turn, the last of them the current words."""

    thread_id: ThreadId
    session_id: SessionId
    messages: tuple[Message, ...]
