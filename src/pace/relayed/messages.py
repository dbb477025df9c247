"""Sets a relayed turn's messages: the client's own, with what Pace holds in the place of the rest.

The order and the fitting are those of every prompt (`memory/prompt.py`, `memory/fitting.py`). What
differs is that the window's turns and the current one keep the form in which the client sent them,
calls of tools and pictures included, for as long as they fit.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from pace.errors import PromptTooLongError
from pace.memory.fitting import MESSAGES_CLIPPED, DoesNotFit, Room, compose
from pace.memory.markers import harmless
from pace.memory.prompt import Draft, Message, Prompt, Role
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId, TurnPair
from pace.relayed.history import ClientHistory, HistoryTurn, RawMessage
from pace.sayable import sayable

# Characters that stand for a token where there are no words to estimate: schemas of tools, calls.
# (About 4 in English prose, by OpenAI's documents on counting; JSON has more signs.)
CHARACTERS_PER_TOKEN = 3
# Of a planner whose context nobody knows; a prompt of Pace's stays far below it by itself.
_UNKNOWN_CONTEXT = 1_000_000


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
    other_characters: int,
) -> SetMessages:
    """Set them so that they fit; raises PromptTooLongError if the current turn alone does not.

    `other_characters` is what the request holds besides messages that the planner reads, such as
    its tools.
    """
    others = other_characters + history.current.other_characters
    others += sum(turn.other_characters for turn in held.turns)
    # What the current turn holds besides the person's words cannot give way, like those.
    others += len(history.current.reply_text)
    besides = ceil(others / CHARACTERS_PER_TOKEN)
    room = Room(context_tokens=context_tokens or _UNKNOWN_CONTEXT, reply_tokens=reply_tokens)
    draft = Draft(
        thread_id=thread_id,
        session_id=session_id,
        system="\n\n".join((*history.instructions, *held.instructions)),
        words=history.current.user_text,
        window=held.window,
        pending=held.pending,
        summary=held.summary,
    )
    composed = compose(
        draft, replace(room, context_tokens=room.context_tokens - besides), estimate_tokens
    )
    if isinstance(composed, DoesNotFit):
        raise PromptTooLongError(tokens=composed.tokens + besides, room=composed.room + besides)
    return SetMessages(
        messages=list(_raw(composed, history, held)),
        prompt_tokens=composed.parts.total + besides,
        window_pairs=_pairs_in(composed),
        gave_way=composed.gave_way,
    )


def _pairs_in(prompt: Prompt) -> int:
    return (len(_after_head(prompt)) - 1) // 2


def _after_head(prompt: Prompt) -> tuple[Message, ...]:
    has_head = prompt.messages[0].role is Role.SYSTEM
    return prompt.messages[1:] if has_head else prompt.messages


def _raw(prompt: Prompt, history: ClientHistory, held: Held) -> Iterator[dict[str, object]]:
    if prompt.messages[0].role is Role.SYSTEM:
        yield {"role": history.instructing_role, "content": prompt.messages[0].content}
    shown = _pairs_in(prompt)
    window = _after_head(prompt)[: 2 * shown]
    turns = held.turns[len(held.turns) - shown :] if held.turns else ()
    if turns and MESSAGES_CLIPPED not in prompt.gave_way:
        for turn in turns:
            yield from made_harmless(turn.messages)
    else:
        for message in window:
            yield {"role": message.role.value, "content": message.content}
    yield from made_harmless(history.current.messages)


def made_harmless(messages: Iterable[RawMessage]) -> Iterator[dict[str, object]]:
    """The same messages, none of whose texts passes for a block or a marker of ours (R8)."""
    for message in messages:
        content = message.get("content")
        if isinstance(content, str):
            yield {**message, "content": _harmless(content)}
        elif isinstance(content, list):
            yield {**message, "content": [_harmless_part(part) for part in content]}
        else:
            yield dict(message)


def _harmless_part(part: Mapping[str, object]) -> dict[str, object]:
    return {
        name: _harmless(value) if name in {"text", "refusal"} and isinstance(value, str) else value
        for name, value in part.items()
    }


def _harmless(text: str) -> str:
    return harmless(sayable(text))


def instructions_in(turns: Sequence[HistoryTurn], known: Iterable[str]) -> tuple[str, ...]:
    """What a client's system told it in turns that are no longer shown, each text once."""
    told = dict.fromkeys(text for turn in turns for text in turn.instructions)
    for text in known:
        told.pop(text, None)
    return tuple(told)
