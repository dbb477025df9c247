"""Everything that the memory panel shows, asked for at once."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

from pace.doors.open_chat import FoldNews, OpenChat
from pace.doors.web.measures import Measures, TurnMeasure
from pace.doors.web.prompt_bar import Share, shares_of
from pace.errors import PaceError
from pace.memory.fitting import Room
from pace.memory.prompt import Prompt, recalled_turns
from pace.memory.thread import ThreadMemory
from pace.summarizers.chain import TurnedDown


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPrompt:
    """The next turn's prompt within its planner's context."""

    prompt: Prompt
    room: Room
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacts:
    """`next_prompt` is None, and `trouble` a sentence, if it cannot be made now.

    `turned_down` counts the summaries that were not taken, by who made them and why. `recalled`
    is what was said earlier that the words ask for which are being typed, or were said last.
    """

    memory: ThreadMemory
    next_prompt: NextPrompt | None
    trouble: str
    measures: tuple[TurnMeasure, ...]
    folds: tuple[FoldNews, ...]
    prepared_tokens: int
    idle_left: timedelta
    shows_summary: bool
    turned_down: TurnedDown = field(default_factory=Counter)
    recalled: str = field(default="", repr=False)


def state_of(chat: OpenChat, memory: ThreadMemory, draft: str) -> object:
    """Whatever changes when the panel has to; the same as before, if nothing has."""
    settings, last = chat.settings, chat.session.last_row
    return (
        memory.session_id,
        memory.summary.version,
        memory.limits,
        tuple(pair.turn_id for pair in (*memory.pending, *memory.window)),
        # Memory holds a pair a moment before its row is whole, and can be measured.
        None if last is None else last.turn_id,
        tuple(chat.folds)[-1:],
        chat.parts.preparing.prepared_tokens(chat.thread_id),
        _minutes(chat.idle_left(memory)),
        settings.activity,
        (settings.planner.instructions, settings.planner.reply_tokens),
        id(chat.parts),
        draft,
    )


async def memory_facts(
    chat: OpenChat, memory: ThreadMemory, draft: str, measures: Measures
) -> MemoryFacts:
    """Ask companion and planner; never raises for a planner that is not there."""
    parts = chat.parts
    trouble, following = "", None
    measured: tuple[TurnMeasure, ...] = ()
    try:
        following = await _next_prompt(chat, memory, draft)
        measured = tuple(await measures.of(chat.session.lines, parts.planner))
    except PaceError as error:
        trouble = str(error)
    return MemoryFacts(
        memory=memory,
        next_prompt=following,
        trouble=trouble,
        measures=measured,
        folds=tuple(chat.folds),
        turned_down=chat.turned_down,
        prepared_tokens=parts.preparing.prepared_tokens(chat.thread_id),
        idle_left=chat.idle_left(memory),
        shows_summary=chat.settings.activity.show_summary,
        recalled=recalled_turns(memory, draft),
    )


async def _next_prompt(chat: OpenChat, memory: ThreadMemory, draft: str) -> NextPrompt:
    prompt = await chat.companion.next_prompt(chat.thread_id, draft)
    planner = chat.parts.planner
    room = Room(
        context_tokens=(await planner.traits()).context_tokens,
        reply_tokens=chat.settings.planner.reply_tokens,
    )
    shares = await shares_of(prompt, memory, room, planner)
    return NextPrompt(prompt=prompt, room=room, shares=tuple(shares))


def _minutes(left: timedelta) -> int:
    return int(left.total_seconds()) // 60
