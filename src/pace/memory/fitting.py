"""Makes a prompt fit a planner's context, giving way in a fixed order and saying what gave way.

The order is the design's (section 4). The current words are never cut, and the held value is never
changed: what gives way here is back at the next turn, if there is room.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pace.memory.limits import PENDING_TOKENS
from pace.memory.prompt import MOST_CHARACTERS, Draft, Prompt, clipped_to, set_prompt
from pace.memory.tokens import estimate_tokens

_PENDING_STEPS = (150, 75, 40)
_SUMMARY_SHARES = (0.75, 0.5, 0.25, 0.0)
# Below this a clipped message says less than its marker.
_SHORTEST_MESSAGE = 24
_CLAUSE_END = re.compile(r"[.;!?…](?=\s)|[。！？；؛۔]")
PENDING_CLIPPED = "turns not yet summarized clipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A planner's context and how long a reply may be, in tokens.

    A small context keeps no more than a quarter of itself for the reply; servers end a reply where
    their context ends.
    """

    context_tokens: int
    reply_tokens: int

    @property
    def for_reply(self) -> int:
        """What is kept for the reply."""
        return min(self.reply_tokens, self.context_tokens // 4)

    @property
    def for_prompt(self) -> int:
        """What a prompt may use."""
        return self.context_tokens - self.for_reply


@dataclass(frozen=True, slots=True, kw_only=True)
class DoesNotFit:
    """System prompt and current words alone are larger than the room for them."""

    tokens: int
    room: int


def compose(draft: Draft, room: Room, count: Callable[[str], int]) -> Prompt | DoesNotFit:
    """Set the draft whole if it fits, else with as little left out as the order allows.

    `count` gives a text's tokens, by the planner's own tokenizer or by the estimate. Of turn pairs
    it is given no text that is far longer than the room.
    """
    if (prompt := _fitted(draft, room, count)) is not None:
        return prompt
    bare = set_prompt(replace(draft, window=(), pending=(), summary="", blocks=()), count)
    if bare.parts.total > room.for_prompt:
        return DoesNotFit(tokens=bare.parts.total, room=room.for_prompt)
    for smaller in _giving_way(draft, room):
        if (prompt := _fitted(smaller, room, count)) is not None:
            return prompt
    return replace(bare, gave_way=("everything but the current words left out",))


def _fitted(draft: Draft, room: Room, count: Callable[[str], int]) -> Prompt | None:
    """The draft, set; None if it is larger than the room."""
    length = sum(len(pair.user_text) + len(pair.reply_text) for pair in draft.window)
    if length > room.for_prompt * MOST_CHARACTERS:
        return None
    prompt = set_prompt(draft, count)
    return prompt if prompt.parts.total <= room.for_prompt else None


def _giving_way(draft: Draft, room: Room) -> Iterator[Draft]:
    """Ever smaller drafts, each step on top of the ones before it."""
    smallest = draft
    for step in (
        _without_extra_blocks,
        _with_clipped_pending,
        _with_window_as_pending,
        _with_shortened_summary,
        lambda whole: _with_clipped_messages(whole, room),
    ):
        whole = smallest
        for smallest in step(whole):
            yield smallest


def _without_extra_blocks(whole: Draft) -> Iterator[Draft]:
    blocks, notices = whole.blocks, whole.gave_way
    for block in sorted(blocks, key=lambda extra: extra.gives_way):
        blocks = tuple(extra for extra in blocks if extra is not block)
        notices = (*notices, f"{block.name.replace('_', ' ')} left out")
        yield replace(whole, blocks=blocks, gave_way=notices)


def _with_clipped_pending(whole: Draft) -> Iterator[Draft]:
    if whole.pending:
        notices = (*whole.gave_way, PENDING_CLIPPED)
        for tokens in _PENDING_STEPS:
            yield replace(whole, pending_tokens=tokens, gave_way=notices)


def _with_window_as_pending(whole: Draft) -> Iterator[Draft]:
    """Ever more of the oldest window pairs in the block, in as much of its room as there is."""
    for shown in range(1, len(whole.window)):
        notice = f"{shown} verbatim turn{'s' if shown > 1 else ''} shown clipped, as not summarized"
        for tokens in (PENDING_TOKENS, *_PENDING_STEPS):
            yield replace(
                whole,
                window=whole.window[shown:],
                pending=whole.pending + whole.window[:shown],
                pending_tokens=tokens,
                gave_way=(*whole.gave_way, notice),
            )


def _with_shortened_summary(whole: Draft) -> Iterator[Draft]:
    if whole.summary:
        notices = (*whole.gave_way, "the summary shortened")
        for share in _SUMMARY_SHARES:
            yield replace(whole, summary=_shortened(whole.summary, share), gave_way=notices)


def _with_clipped_messages(whole: Draft, room: Room) -> Iterator[Draft]:
    """The longest messages ever shorter, from where they come near the room."""
    notices = (*whole.gave_way, "long messages clipped")
    texts = (text for pair in whole.window for text in (pair.user_text, pair.reply_text))
    longest = max(
        (max(estimate_tokens(text), len(text) // MOST_CHARACTERS) for text in texts), default=0
    )
    while longest > 2 * room.for_prompt:
        longest = longest * 3 // 4
    while longest > _SHORTEST_MESSAGE:
        longest = max(longest * 3 // 4, _SHORTEST_MESSAGE)
        window = tuple(
            replace(
                pair,
                user_text=clipped_to(pair.user_text, longest),
                reply_text=clipped_to(pair.reply_text, longest),
            )
            for pair in whole.window
        )
        yield replace(whole, window=window, gave_way=notices)


def _shortened(text: str, share: float) -> str:
    """The beginning of a summary, up to a clause's end."""
    ends = [found.end() for found in _CLAUSE_END.finditer(text)]
    return text[: max((end for end in ends if end <= len(text) * share), default=0)]
