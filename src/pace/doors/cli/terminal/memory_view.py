"""Shows what Pace holds of a conversation, and how much of the next prompt each part takes."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from rich.text import Text

from pace.doors.cli.terminal.look import ACCENT, DIM, GOOD, STRONG, WARNING, Look
from pace.doors.cli.terminal.wrapping import flowed, labelled
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_text
from pace.errors import PaceError
from pace.memory.fitting import Room
from pace.memory.prompt import PromptParts, recalled_turns
from pace.memory.thread import ThreadMemory
from pace.summarizers.chain import TurnedDown, in_words

_LABEL = 10
_WIDEST_BAR = 64
_WIDEST_TEXT = 88
_SHORT_ID = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacts:
    """Everything the view shows. `parts` are of the next prompt, without words; None if unknown.

    `turned_down` counts the summaries that were not taken, by who made them and why.
    """

    memory: ThreadMemory
    parts: PromptParts | None
    context_tokens: int
    reply_tokens: int
    prepared_tokens: int
    fold_outcomes: Counter[str]
    idle_left: timedelta
    shows_summary: bool
    turned_down: TurnedDown = field(default_factory=Counter)


async def facts_of(chat: OpenChat, *, tell: Callable[[str], None]) -> MemoryFacts:
    """What a chat holds now; `tell` gets a sentence if its planner cannot be asked."""
    parts = chat.parts
    memory = await chat.memory()
    try:
        prompt = await chat.companion.next_prompt(chat.thread_id, "")
        context = (await parts.planner.traits()).context_tokens
    except PaceError as error:
        tell(str(error))
        next_parts, context = None, 0
    else:
        next_parts = prompt.parts
    return MemoryFacts(
        memory=memory,
        parts=next_parts,
        context_tokens=context,
        reply_tokens=Room(
            context_tokens=context, reply_tokens=chat.settings.planner.reply_tokens
        ).for_reply,
        prepared_tokens=parts.preparing.prepared_tokens(chat.thread_id),
        fold_outcomes=parts.folding.outcomes,
        turned_down=chat.turned_down,
        idle_left=chat.idle_left(memory),
        shows_summary=chat.settings.activity.show_summary,
    )


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a bar: its name, the letter that stands for it without colour, its tokens."""

    name: str
    letter: str
    style: str
    tokens: int


def memory_lines(facts: MemoryFacts, *, width: int, look: Look) -> list[Text]:
    """The view, each line within `width`."""
    memory = facts.memory
    width = min(width, _WIDEST_TEXT)
    rows = [
        ("session", memory.session_id[:_SHORT_ID]),
        ("window", _window(memory)),
        ("pending", _pending(memory)),
        ("summary", _summary(memory)),
    ]
    lines = [Text("Memory", STRONG), Text()]
    for label, value in rows:
        lines += _row(label, Text(value), width)
    lines += _summary_text(facts, width)
    if memory.limits.recall:
        lines += _recall(memory, width)
    lines += _row("folds", Text(_folds(facts.fold_outcomes, look)), width)
    if facts.turned_down:
        lines += _row("", Text(f"turned down: {in_words(facts.turned_down)}"), width)
    lines += _row("prepared", Text(_prepared(facts)), width)
    lines += _row("idle", Text(idle_left(memory, facts.idle_left)), width)
    if facts.parts is None:
        return lines
    lines.append(Text())
    lines += _row("next", Text(_next(facts, facts.parts)), width)
    lines += _bar_and_legend(
        shares(facts.parts, facts.context_tokens, facts.reply_tokens), width, look
    )
    return lines


def shares(parts: PromptParts, context_tokens: int, reply_tokens: int) -> list[Share]:
    """The parts of a prompt in their order, what is kept for the reply, and what is free."""
    used = [
        Share("system", "s", "magenta", parts.system),
        Share("summary", "u", ACCENT, parts.summary),
        Share("pending", "p", WARNING, parts.pending),
        Share("window", "w", GOOD, parts.window),
        Share("reply", "r", DIM, reply_tokens),
    ]
    free = max(context_tokens - sum(share.tokens for share in used), 0)
    return [*used, Share("free", ".", DIM, free)]


def cells_of(parts: Sequence[Share], width: int) -> list[int]:
    """How many cells of a bar each part gets: in proportion, none that holds something without.

    They add up to `width`, if that is at least the number of parts.
    """
    total = sum(share.tokens for share in parts)
    if not total:
        return [0] * len(parts)
    exact = [share.tokens * width / total for share in parts]
    cells = [max(int(part), 1) if part else 0 for part in exact]
    while sum(cells) > width:
        cells[cells.index(max(cells))] -= 1
    while sum(cells) < width:
        shortest = max(range(len(cells)), key=lambda at: exact[at] - cells[at])
        cells[shortest] += 1
    return cells


def idle_left(memory: ThreadMemory, left: timedelta) -> str:
    """When the conversation is forgotten, in words."""
    if not memory.limits.remember:
        return "remembering is off; each message stands alone"
    if memory.is_empty:
        return "nothing to forget yet"
    minutes = max(-(-int(left.total_seconds()) // 60), 1)
    return f"forgets in {minutes} min"


def _row(label: str, value: Text, width: int) -> list[Text]:
    return labelled(label, value, cells=_LABEL, width=width, style=DIM)


def _window(memory: ThreadMemory) -> str:
    size = memory.limits.window_size
    return f"{len(memory.window)} of {size} turn pair{'s' * (size != 1)}, word for word"


def _pending(memory: ThreadMemory) -> str:
    count = len(memory.pending)
    return f"{_pairs(count)}, not in the summary yet" if count else "none"


def _summary(memory: ThreadMemory) -> str:
    summary = memory.summary
    if not summary.text:
        return "none; there is nothing older than the window"
    return f"version {summary.version}, {summary.made_by}, covers {_pairs(summary.covers)}"


def _pairs(count: int) -> str:
    return f"{count} turn pair{'s' * (count != 1)}"


def _summary_text(facts: MemoryFacts, width: int) -> list[Text]:
    if not facts.memory.summary.text:
        return []
    if not facts.shows_summary:
        told = "its text is off; /settings activity.show_summary on shows it"
        return _row("", Text(told, DIM), width)
    return _row("", Text(safe_text(facts.memory.summary.text)), width)


def _recall(memory: ThreadMemory, width: int) -> list[Text]:
    """How many pairs are kept to be recalled, and those that the last words ask for."""
    lines = _row("recall", Text(f"{_pairs(len(memory.displaced))} older, kept whole"), width)
    text = recalled_turns(memory)
    if not text:
        told = "your last words ask for none of them"
        return [*lines, *_row("", Text(told, DIM), width)] if memory.displaced else lines
    lines += _row("", Text("your last words ask for:", DIM), width)
    for line in text.splitlines():
        lines += _row("", Text(safe_text(line)), width)
    return lines


def _folds(outcomes: Counter[str], look: Look) -> str:
    if not outcomes:
        return "none yet"
    return f" {look.signs.dot} ".join(f"{count} {name}" for name, count in outcomes.most_common())


def _prepared(facts: MemoryFacts) -> str:
    tokens = facts.prepared_tokens
    if facts.parts is not None and 0 < facts.parts.total - facts.parts.words <= tokens:
        return "all of the next prompt but your words read ahead"
    return f"{tokens:,} tokens of the next prompt read ahead" if tokens else "nothing read ahead"


def _next(facts: MemoryFacts, parts: PromptParts) -> str:
    used = parts.total - parts.words
    return (
        f"{used:,} of {facts.context_tokens:,} tokens before your words, "
        f"{facts.reply_tokens:,} kept for the reply"
    )


def _bar_and_legend(parts: Sequence[Share], width: int, look: Look) -> list[Text]:
    room = max(min(_WIDEST_BAR, width - _LABEL), len(parts))
    bar = Text(" " * _LABEL)
    legend: list[Text] = []
    for share, cells in zip(parts, cells_of(parts, room), strict=True):
        is_free = share.name == "free"
        drawn = look.signs.free if is_free else look.signs.full
        mark = share.letter if look.is_plain else drawn
        bar.append(mark * cells, share.style)
        if share.tokens or is_free:
            legend.append(Text.assemble((mark, share.style), f" {share.name} {share.tokens:,}"))
    below = [Text(" " * _LABEL) + line for line in flowed(legend, width - _LABEL)]
    return [bar, *below]
