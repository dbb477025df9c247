"""Reads talks from what other programs write: messages, ChatGPT's export, Pace's own history.

What they hold besides what a person and an assistant said to each other is left out: system
prompts, tools and their answers, pictures, reasoning. Words never stand in an error.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pace.errors import TalksError
from pace.evaluation.talks import SaidTurn, Side
from pace.journal.rows import TurnStatus
from pace.memory.turn import is_blank
from pace.sayable import sayable


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a file, and where it stands, as in "line 3 of talks.jsonl"."""

    where: str
    value: object

    @property
    def opening(self) -> str:
        """The place as a sentence begins with it; a file's name stays as it is."""
        is_named = self.where.startswith(("line ", "conversation "))
        return self.where[0].upper() + self.where[1:] if is_named else self.where


@dataclass(frozen=True, slots=True)
class Said:
    """One message with words."""

    side: Side
    text: str


def turns_of(messages: Sequence[Said]) -> tuple[SaidTurn, ...]:
    """Messages as turns, in their order; blank ones are left out.

    Messages of one side that follow each other are one half, with a line end between them. A talk
    that the assistant opens begins with a turn whose user half is blank.
    """
    turns: list[SaidTurn] = []
    halves: dict[Side, list[str]] = {side: [] for side in Side}
    for said in messages:
        if is_blank(said.text):
            continue
        if said.side is Side.USER and halves[Side.ASSISTANT]:
            turns.append(_turn(halves))
            halves = {side: [] for side in Side}
        halves[said.side].append(said.text)
    if any(halves.values()):
        turns.append(_turn(halves))
    return tuple(turns)


def _turn(halves: Mapping[Side, Sequence[str]]) -> SaidTurn:
    return SaidTurn("\n".join(halves[Side.USER]), "\n".join(halves[Side.ASSISTANT]))


# --- a list of messages, as OpenAI's API takes it

_SILENT_ROLES = ("system", "developer", "tool", "function")
_TEXT_PARTS = ("text", "input_text", "output_text")


def is_message(value: object) -> bool:
    """Whether a value is meant as one message of such a list."""
    return isinstance(value, dict) and "role" in value


def messages_of(where: str, values: Sequence[object]) -> Iterator[Said]:
    """What is said in a list of messages. Raises TalksError for what is none."""
    for number, value in enumerate(values, start=1):
        place = f"Message {number:,} of {where}"
        if not isinstance(value, dict) or "role" not in value:
            raise TalksError(f"{place} has no role. Give each a role and a content.")
        role = value["role"]
        if role in _SILENT_ROLES:
            continue
        if role not in tuple(Side):
            raise TalksError(
                f"{place} has a role that Pace does not know. "
                "Use user and assistant; system, developer, tool and function are left out."
            )
        text = _text_of(value.get("content"))
        if text is None:
            raise TalksError(f"{place} has a content that is no text. Give a text or text parts.")
        yield Said(Side(role), text)


def _text_of(content: object) -> str | None:
    """The words of a content, "" if it has none; None for what cannot be a content."""
    if content is None:  # a call of tools says nothing
        return ""
    if isinstance(content, str):
        return sayable(content)
    if not isinstance(content, list):
        return None
    texts = []
    for part in content:
        text = part
        if isinstance(part, dict):
            if part.get("type") not in _TEXT_PARTS:
                continue
            text = part.get("text")
        if not isinstance(text, str):
            return None
        texts.append(sayable(text))
    return "\n".join(text for text in texts if not is_blank(text))


# --- ChatGPT's export

# A mark that the app shows as the number of a source; its words are the app's own.
_SOURCE_MARK = re.compile("\ue200[^\ue201]*\ue201|【[^】]*†[^】]*】")
_SAID_KINDS = ("text", "multimodal_text")
_HEARD = "audio_transcription"
_TO_ALL = (None, "all")
_HIDDEN = ("is_visually_hidden_from_conversation", "is_user_system_message")


def branch_of(where: str, conversation: Mapping[str, object]) -> list[Said]:
    """What a ChatGPT conversation shows: the branch that was last looked at.

    Questions that were asked again in other words, and replies that were made anew, are left out
    with all that followed them. Raises TalksError if the branch leads to no beginning.
    """
    nodes = conversation["mapping"]
    if not isinstance(nodes, dict):
        raise TalksError(_broken(where))
    at = conversation.get("current_node") or _newest_leaf(nodes)
    said: list[Said] = []
    seen = set()
    while at is not None:
        node = nodes.get(at) if isinstance(at, str) else None
        if not isinstance(node, dict) or at in seen:
            raise TalksError(_broken(where))
        seen.add(at)
        said += _shown(node.get("message"))
        at = node.get("parent")
    return said[::-1]


def _broken(where: str) -> str:
    return f"{where} looks like ChatGPT's, but its messages lead to no beginning. Export it again."


def _newest_leaf(nodes: Mapping[str, object]) -> str | None:
    leaves = [
        name for name, node in nodes.items() if isinstance(node, dict) and not node.get("children")
    ]
    return leaves[-1] if leaves else None


def _shown(message: object) -> Iterator[Said]:
    """A message as its person saw it, if they did."""
    if not isinstance(message, dict):
        return
    author, content, about = (
        found if isinstance(found := message.get(key), dict) else {}
        for key in ("author", "content", "metadata")
    )
    parts = content.get("parts")
    is_said = author.get("role") in tuple(Side) and content.get("content_type") in _SAID_KINDS
    is_hidden = message.get("recipient") not in _TO_ALL or any(about.get(key) for key in _HIDDEN)
    if is_hidden or not is_said or not isinstance(parts, list):
        return
    texts = [
        part.get("text") if isinstance(part, dict) and part.get("content_type") == _HEARD else part
        for part in parts
    ]
    words = (sayable(_SOURCE_MARK.sub("", text)) for text in texts if isinstance(text, str))
    yield Said(Side(author["role"]), "\n".join(text for text in words if not is_blank(text)))


# --- Pace's own history

_FIELDS = ("session", "status", "user", "reply")
_KEPT = (TurnStatus.ANSWERED, TurnStatus.INTERRUPTED)


def is_history_line(value: object) -> bool:
    """Whether a value is a turn as `pace history export` writes it."""
    return isinstance(value, dict) and all(name in value for name in _FIELDS)


def sessions_of(items: Sequence[Item]) -> dict[str, tuple[SaidTurn, ...]]:
    """The turns of each session, in their order; of those that still count and have a reply."""
    sessions: dict[str, list[SaidTurn]] = {}
    for item in items:
        line = item.value
        fields = [line.get(name) if isinstance(line, dict) else None for name in _FIELDS]
        session, status, user, reply = (
            field if isinstance(field, str) else None for field in fields
        )
        if session is None or status is None or user is None or reply is None:
            raise TalksError(
                f"{item.opening} is no turn of Pace's export. Make it again: pace history export."
            )
        turns = sessions.setdefault(session, [])
        if status in _KEPT and not is_blank(reply):
            turns.append(SaidTurn(sayable(user), sayable(reply)))
    return {session: tuple(turns) for session, turns in sessions.items()}
