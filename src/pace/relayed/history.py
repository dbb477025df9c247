"""Reads a client's messages as turns: whole ones, so that no tool's answer loses its call.

A turn begins with the person's words and goes on to the next ones: replies, calls of tools and
their answers are part of it. Of all this, summaries get to see what was said, and nothing of tools.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pace.memory.prefixes import chained
from pace.memory.prompt import clipped
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import TurnId, TurnPair, is_blank
from pace.relayed.faults import RequestFaultError
from pace.sayable import sayable

RawMessage = Mapping[str, object]

_INSTRUCTING = frozenset({"system", "developer"})
_ROLES = _INSTRUCTING | {"user", "assistant", "tool", "function"}
# (No sets: whatever stands where a kind should may be compared, and not always hashed.)
_TEXT_PARTS = ("text", "input_text", "output_text")
_SAID_PARTS = (*_TEXT_PARTS, "refusal")
# Parts that hold no words of ours: they go on as they are while their turn does.
_OTHER_PARTS = ("image_url", "input_audio", "file", "video_url", "audio")
# Stands for a half without words, such as a picture alone; a summary has nothing to take from it.
WORDLESS = "…"
_SHOWN = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryTurn:
    """One turn of a client's history: its messages as they came, and the words in them.

    `other_tokens` is what goes to the planner besides words, by the estimate: calls, answers of
    tools, pictures.
    """

    messages: tuple[RawMessage, ...] = field(repr=False)
    user_text: str = field(repr=False)
    reply_text: str = field(repr=False)
    instructions: tuple[str, ...] = field(default=(), repr=False)
    other_tokens: int = 0

    @property
    def characters(self) -> int:
        """How much was said in it."""
        return len(self.user_text) + len(self.reply_text)

    def pair(self, number: int, digest: str, recorded_at: datetime) -> TurnPair:
        """As memory takes it in; its id is that of its content, since the client gives none."""
        return TurnPair(
            turn_id=TurnId(digest),
            number=number,
            user_text=WORDLESS if is_blank(self.user_text) else self.user_text,
            reply_text=WORDLESS if is_blank(self.reply_text) else self.reply_text,
            recorded_at=recorded_at,
        )

    def pieces(self) -> Iterator[bytes]:
        """What its digest is made of: everything that was said and called, in order.

        Each piece begins with a sign of what it is, and each message with its role, so that no two
        turns are the same to it. Words are the same in one text and in a part of text.
        """
        for message in self.messages:
            yield b"role " + str(message.get("role")).encode()
            content = message.get("content")
            if content is not None and _is_said(content):
                yield b"said " + text_of(content).encode()
            elif content is not None:
                yield b"parts " + _canonical(content)
            for name in _TELLING:
                if (told := message.get(name)) is not None:
                    yield b"%s %s" % (name.encode(), _canonical(told))


# Fields besides role and content that make a message another one.
_TELLING = ("tool_calls", "tool_call_id", "function_call", "name", "refusal")
# What a picture or a sound costs, whatever its file's size. (GPT-4o's pictures take 85 to 1,445
# tokens, by OpenAI's documents on vision; models on own servers are in the same range.)
_PART_TOKENS = 1_000


def _is_said(content: object) -> bool:
    """Whether a content is words alone."""
    if isinstance(content, str):
        return True
    return isinstance(content, list) and all(part["type"] in _TEXT_PARTS for part in content)


def _canonical(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def tokens_of(value: object) -> int:
    """What a piece of a request that is no text costs a planner that reads it as JSON."""
    return estimate_tokens(sayable(json.dumps(value, ensure_ascii=False)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHistory:
    """A client's messages: its instructions, the turns that are over, and the one to answer.

    `digests[n]` is that of the first n turns that are over.
    """

    instructions: tuple[str, ...] = field(repr=False)
    instructing_role: str
    turns: tuple[HistoryTurn, ...]
    current: HistoryTurn
    digests: tuple[str, ...]

    @property
    def beginning(self) -> str:
        """What tells this conversation, with all its branches, from others: how it began."""
        first = self.turns[0] if self.turns else self.current
        told = [message for message in first.messages if message.get("role") == "user"][:1]
        asked = HistoryTurn(messages=tuple(told), user_text="", reply_text="")
        return chained("", asked.pieces())


def read_history(messages: object) -> ClientHistory:
    """Read the `messages` of a request; raises RequestFaultError for what cannot be."""
    if not isinstance(messages, list) or not messages:
        raise RequestFaultError(
            "'messages' has to be a list with a message in it.", param="messages"
        )
    checked = [_checked(message, f"messages[{at}]") for at, message in enumerate(messages)]
    head = 0
    while head < len(checked) and checked[head]["role"] in _INSTRUCTING:
        head += 1
    turns = [_turn(group) for group in _groups(checked[head:])]
    if not turns or not any(message["role"] == "user" for message in turns[-1].messages):
        raise RequestFaultError(
            "There is no message of role 'user' to answer. Send one as the last.", param="messages"
        )
    digests = [""]
    for turn in turns[:-1]:
        digests.append(chained(digests[-1], turn.pieces()))
    return ClientHistory(
        instructions=tuple(text_of(message.get("content")) for message in checked[:head]),
        instructing_role=str(checked[0]["role"]) if head else "system",
        turns=tuple(turns[:-1]),
        current=turns[-1],
        digests=tuple(digests),
    )


def has_words(messages: object) -> bool:
    """Whether there is a message of a person's among them, so that it is a conversation."""
    return isinstance(messages, list) and any(
        isinstance(message, Mapping) and message.get("role") == "user" for message in messages
    )


def text_of(content: object) -> str:
    """The words of a message's content, which may come in parts."""
    if isinstance(content, str):
        return sayable(content)
    if not isinstance(content, list):
        return ""
    return "\n".join(
        sayable(text)
        for part in content
        if isinstance(part, Mapping) and part.get("type") in _SAID_PARTS
        if isinstance(text := part.get("text", part.get("refusal")), str)
    )


def _groups(messages: Sequence[RawMessage]) -> Iterator[Sequence[RawMessage]]:
    """Turn by turn: the person's words begin one as soon as the last ones have had an answer."""
    group: list[RawMessage] = []
    has_words = has_answer = False
    for message in messages:
        if message["role"] == "user":
            if has_words and has_answer:
                yield group
                group = []
            has_words, has_answer = True, False
        elif message["role"] not in _INSTRUCTING:
            has_answer = True
        group.append(message)
    if group:
        yield group


def _turn(messages: Sequence[RawMessage]) -> HistoryTurn:
    told: dict[str, list[str]] = {"user": [], "assistant": [], "system": []}
    others = 0
    for message in messages:
        role = "system" if message["role"] in _INSTRUCTING else str(message["role"])
        if role in told and (text := _words_of(message)):
            told[role].append(text)
        others += _other_tokens(message, is_told=role in told)
    return HistoryTurn(
        messages=tuple(messages),
        user_text="\n".join(told["user"]),
        reply_text="\n".join(told["assistant"]),
        instructions=tuple(told["system"]),
        other_tokens=others,
    )


def _words_of(message: RawMessage) -> str:
    """What was said in a message; one that declines says so in a field of its own."""
    text = text_of(message.get("content"))
    refusal = message.get("refusal")
    return text or (sayable(refusal) if isinstance(refusal, str) else "")


def _other_tokens(message: RawMessage, *, is_told: bool) -> int:
    """What a message costs besides its words: every field but those, and parts that are none."""
    rest = {name: value for name, value in message.items() if name not in ("role", "content")}
    cost = tokens_of(rest) if rest else 0
    content = message.get("content")
    if not is_told:
        cost += estimate_tokens(text_of(content))
    if isinstance(content, list):
        cost += _PART_TOKENS * sum(part["type"] in _OTHER_PARTS for part in content)
    return cost


def _checked(message: object, param: str) -> RawMessage:
    """A message whose role and content are of a known form."""
    if not isinstance(message, dict):
        raise RequestFaultError(f"{param} is not an object with a role.", param=param)
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        shown = f" {clipped(role, _SHOWN)!r}" if isinstance(role, str) else ""
        raise RequestFaultError(
            f"{param} has an unknown role{shown}. It can be one of {', '.join(sorted(_ROLES))}.",
            param=f"{param}.role",
        )
    content = message.get("content")
    if isinstance(content, list):
        for at, part in enumerate(content):
            _check_part(part, f"{param}.content[{at}]")
    elif content is None:
        if role not in {"assistant", "tool", "function"}:
            raise RequestFaultError(f"{param} has no content.", param=f"{param}.content")
    elif not isinstance(content, str):
        raise RequestFaultError(
            f"{param}.content has to be a text or a list of parts.", param=f"{param}.content"
        )
    return message


def _check_part(part: object, param: str) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        raise RequestFaultError(f"{param} is not an object with a type.", param=param)
    if kind in _SAID_PARTS:
        name = "refusal" if kind == "refusal" else "text"
        if not isinstance(part.get(name), str):
            raise RequestFaultError(f"{param} has no text.", param=f"{param}.{name}")
    elif kind not in _OTHER_PARTS:
        raise RequestFaultError(
            f"{param} is of an unknown type {clipped(kind, _SHOWN)!r}. Pace knows text, image_url, "
            "input_audio and file.",
            param=f"{param}.type",
        )
