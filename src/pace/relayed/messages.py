"""Sets a relayed turn's messages: the client's own, with what Pace holds in the place of the rest.

The order and the fitting are those of every prompt (`memory/prompt.py`, `memory/fitting.py`). What
differs is that the window's turns and the current one keep the form in which the client sent them,
calls of tools and pictures included, for as long as they fit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pace.errors import PromptTooLongError
from pace.memory.fitting import DoesNotFit, Room, compose
from pace.memory.markers import harmless
from pace.memory.prompt import MOST_CHARACTERS, Draft, Message, Prompt, Role
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnPair
from pace.relayed.history import ClientHistory, HistoryTurn, RawMessage
from pace.sayable import sayable

# Of a planner whose context nobody knows; a prompt of Pace's stays far below it by itself.
_UNKNOWN_CONTEXT = 1_000_000
TURNS_IN_WORDS = "calls of tools and pictures of earlier turns left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What stands before the current words: pairs word for word, pairs to come, a summary.

    `window` pairs are the client's `turns` of the same place where it brought them; of a thread's
    own memory there are pairs alone.
    """

    window: tuple[TurnPair, ...]
    pending: tuple[TurnPair, ...]
    summary: str
    turns: tuple[HistoryTurn, ...] = ()
    instructions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMessages:
    """The messages for the planner, and what they cost by the estimate."""

    messages: list[dict[str, object]]
    prompt_tokens: int
    window_pairs: int
    gave_way: tuple[str, ...]


def set_messages(
    thread_id: ThreadId,
    session_id: SessionId,
    history: ClientHistory,
    held: Held,
    *,
    context_tokens: int | None,
    reply_tokens: int,
    other_tokens: int,
    count: Callable[[str], int] = estimate_tokens,
) -> SetMessages:
    """Set them so that they fit; raises PromptTooLongError if the current turn alone does not.

    `count` gives a text's tokens by the estimate. `other_tokens` is what the request holds besides
    messages that the planner reads, such as its tools. Of turns in the window that do not fit with
    all that tools brought, the oldest are shown by their words alone; what a client told in them
    meanwhile as its system goes to the head.
    """
    room = Room(context_tokens=context_tokens or _UNKNOWN_CONTEXT, reply_tokens=reply_tokens)
    _refuse_endless(history, room)
    # What the current turn holds besides the person's words cannot give way, like those.
    fixed = other_tokens + history.current.other_tokens
    fixed += count(history.current.reply_text)
    in_words = 0
    while True:
        besides = fixed + sum(turn.other_tokens for turn in held.turns[in_words:])
        draft = _draft(thread_id, session_id, history, held, in_words)
        left = replace(room, context_tokens=max(0, room.context_tokens - besides))
        composed = compose(draft, left, count)
        is_whole = isinstance(composed, Prompt) and not composed.gave_way
        if is_whole or in_words == len(held.turns):
            break
        in_words += 1
    if isinstance(composed, DoesNotFit):
        raise PromptTooLongError(
            tokens=composed.tokens + besides, room=room.for_prompt, others=besides
        )
    left_out = any(turn.other_tokens for turn in held.turns[:in_words])
    return SetMessages(
        messages=list(_raw(composed, history, held, in_words)),
        prompt_tokens=composed.parts.total + besides,
        window_pairs=_pairs_in(composed),
        gave_way=(TURNS_IN_WORDS, *composed.gave_way) if left_out else composed.gave_way,
    )


def _draft(
    thread_id: ThreadId, session_id: SessionId, history: ClientHistory, held: Held, in_words: int
) -> Draft:
    """What is to be set when so many turns of the window, the oldest, are shown by their words."""
    moved = instructions_in(held.turns[:in_words], (*history.instructions, *held.instructions))
    return Draft(
        thread_id=thread_id,
        session_id=session_id,
        system="\n\n".join((*history.instructions, *held.instructions, *moved)),
        words=history.current.user_text,
        window=held.window,
        pending=held.pending,
        summary=held.summary,
    )


def _refuse_endless(history: ClientHistory, room: Room) -> None:
    """Raise PromptTooLongError for words that are far too long, before they are read at all."""
    length = len(history.current.user_text) + sum(map(len, history.instructions))
    if length > room.for_prompt * MOST_CHARACTERS:
        raise PromptTooLongError(tokens=length // MOST_CHARACTERS, room=room.for_prompt)


def _pairs_in(prompt: Prompt) -> int:
    return (len(_after_head(prompt)) - 1) // 2


def _after_head(prompt: Prompt) -> tuple[Message, ...]:
    has_head = prompt.messages[0].role is Role.SYSTEM
    return prompt.messages[1:] if has_head else prompt.messages


def _raw(
    prompt: Prompt, history: ClientHistory, held: Held, in_words: int
) -> Iterator[dict[str, object]]:
    if prompt.messages[0].role is Role.SYSTEM:
        yield {"role": history.instructing_role, "content": prompt.messages[0].content}
    window = _after_head(prompt)[:-1]
    as_they_came = held.turns[in_words:]
    for message in window[: len(window) - 2 * len(as_they_came)]:
        yield {"role": message.role.value, "content": message.content}
    for turn in as_they_came:
        yield from made_harmless(turn.messages)
    yield from made_harmless(history.current.messages)


def made_harmless(messages: Iterable[RawMessage]) -> Iterator[dict[str, object]]:
    """The same messages, none of whose texts passes for a block or a marker of ours (R8)."""
    for message in messages:
        yield {name: _harmless(value) for name, value in message.items()}


# What holds a file, and no words that a template would set.
_DATA = ("url", "data", "file_data")


def _harmless(value: object) -> object:
    """A value all of whose texts are harmless, however deep."""
    if isinstance(value, str):
        return harmless(sayable(value))
    if isinstance(value, dict):
        return {name: inner if name in _DATA else _harmless(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return _harmless_list(value)
    return value


def _harmless_list(values: list[object]) -> list[object]:
    """As `_harmless`; parts that only together make a marker become one part."""
    made = [_harmless(value) for value in values]
    texts = [part.get("text") if isinstance(part, dict) else None for part in made]
    said = [text for text in texts if isinstance(text, str)]
    if len(said) < 2 or len(said) < len(texts):  # noqa: PLR2004  # one alone was looked at
        return made
    joined = "".join(said)
    if harmless(joined) == joined:
        return made
    return [{"type": "text", "text": harmless("\n".join(said))}]


def instructions_in(turns: Sequence[HistoryTurn], known: Iterable[str]) -> tuple[str, ...]:
    """What a client's system told it in turns that are no longer shown, each text once."""
    told = dict.fromkeys(text for turn in turns for text in turn.instructions)
    for text in known:
        told.pop(text, None)
    return tuple(told)
