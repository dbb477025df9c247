"""Makes a prompt fit a planner's context, giving way in a fixed order and saying what gave way.

The order is the design's (section 4). The current words are never cut, and the held value is never
changed: what gives way here is back at the next turn, if there is room.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pace.memory.prompt import Draft, Prompt, clipped_to, set_prompt
from pace.memory.tokens import estimate_tokens

_PENDING_STEPS = (150, 75, 40)
_SUMMARY_SHARES = (0.75, 0.5, 0.25, 0.0)
# Below this a clipped message says less than its marker.
_SHORTEST_MESSAGE = 24
_LAST_BREAK = re.compile(r".*[.;。؛]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A planner's context and what of it is kept for the reply, in tokens."""

    context_tokens: int
    reply_tokens: int

    @property
    def for_prompt(self) -> int:
        """What a prompt may use."""
        return self.context_tokens - self.reply_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class DoesNotFit:
    """System prompt and current words alone are larger than the room for them."""

    tokens: int
    room: int


def compose(draft: Draft, room: Room, count: Callable[[str], int]) -> Prompt | DoesNotFit:
    """Set the draft whole if it fits, else with as little left out as the order allows.

    `count` gives a text's tokens, by the planner's own tokenizer or by the estimate.
    """
    prompt = set_prompt(draft, count)
    if prompt.parts.total <= room.for_prompt:
        return prompt
    bare = set_prompt(replace(draft, window=(), pending=(), summary="", blocks=()), count)
    if bare.parts.total > room.for_prompt:
        return DoesNotFit(tokens=bare.parts.total, room=room.for_prompt)
    for smaller in _giving_way(draft):
        prompt = set_prompt(smaller, count)
        if prompt.parts.total <= room.for_prompt:
            return prompt
    said = "everything but the current words was left out"
    return replace(bare, gave_way=(said,))


def _giving_way(draft: Draft) -> Iterator[Draft]:
    """Ever smaller drafts, each step on top of the ones before it."""
    for block in sorted(draft.blocks, key=lambda extra: extra.gives_way):
        kept = tuple(extra for extra in draft.blocks if extra is not block)
        draft = _with_notice(replace(draft, blocks=kept), f"{block.name} was left out")
        yield draft
    if draft.pending:
        for tokens in _PENDING_STEPS:
            draft = _with_notice(
                replace(draft, pending_tokens=tokens), "turns not yet summarized were clipped"
            )
            yield draft
    whole = draft
    for shown in range(1, len(whole.window)):
        draft = _with_notice(
            replace(
                whole, window=whole.window[shown:], pending=whole.pending + whole.window[:shown]
            ),
            f"{shown} of the verbatim turns {'was' if shown == 1 else 'were'} clipped",
        )
        yield draft
    summary = draft.summary
    for share in _SUMMARY_SHARES if summary else ():
        draft = _with_notice(
            replace(draft, summary=_shortened(summary, share)), "the summary was shortened"
        )
        yield draft
    yield from _with_clipped_messages(draft)


def _with_clipped_messages(draft: Draft) -> Iterator[Draft]:
    """The longest messages ever shorter, the turns that stand in the block first left out."""
    whole = draft
    longest = max(
        (estimate_tokens(t) for p in whole.window for t in (p.user_text, p.reply_text)), default=0
    )
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
        yield _with_notice(replace(whole, window=window), "long messages were clipped")


def _shortened(text: str, share: float) -> str:
    """The beginning of a summary, up to a clause's end."""
    kept = text[: int(len(text) * share)]
    whole = _LAST_BREAK.match(kept)
    return whole[0] if whole else ""


def _with_notice(draft: Draft, notice: str) -> Draft:
    """The draft with a notice; one that only says more of the last one takes its place."""
    said = draft.gave_way
    if said and said[-1].split()[-3:] == notice.split()[-3:]:
        said = said[:-1]
    return replace(draft, gave_way=(*said, notice))
