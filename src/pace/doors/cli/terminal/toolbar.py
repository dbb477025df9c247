"""The quiet line below the input: who answers, what the next prompt costs, when Pace forgets."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from pace.doors.cli.terminal.look import Look
from pace.doors.cli.terminal.memory_view import idle_left
from pace.doors.cli.terminal.talking import Talking
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.errors import PaceError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, TurnId
from pace.planners.consent import recipient_of
from pace.ports import Clock, PlannerTraits

_BAR = 8
_SHORT_NAME = 16
_INDENT = 3
_State = tuple[SessionId, int, tuple[TurnId, ...], int]


class Toolbar:
    """What the line says; `refresh` asks for it anew, `text` gives it as it fits."""

    def __init__(
        self,
        chat: OpenChat,
        clock: Clock,
        look: Look,
        columns: Callable[[], int],
    ) -> None:
        self._chat = chat
        self._clock = clock
        self._look = look
        self._columns = columns
        self._traits: PlannerTraits | None = None
        self._memory: ThreadMemory | None = None
        self._tokens: int | None = None
        self._counted: _State | None = None
        self._shown_minutes = 0
        self._fault = ""

    def text(self, talking: Talking | None) -> str:
        """The line, its last parts left out where it is too narrow."""
        if talking is not None and talking.replacing is not None:
            return f"Enter replaces your last message {self._look.signs.dot} Ctrl-C leaves it"
        for words in self._variants(talking):
            line = f"  {self._look.signs.dot}  ".join(word for word in words if word)
            if len(line) <= self._columns() - _INDENT:
                return line
        return ""

    async def refresh(self) -> bool:
        """Ask the chat; whether anything changed. Never raises for a planner that is not there."""
        before = (self._traits, self._memory, self._tokens, self._shown_minutes)
        self._memory = await self._chat.memory()
        state = (
            self._memory.session_id,
            self._memory.summary.version,
            tuple(pair.turn_id for pair in (*self._memory.pending, *self._memory.window)),
            id(self._chat.parts),
        )
        if state != self._counted:
            await self._count()
            self._counted = state  # a count that was cut short is made again
        self._shown_minutes = self._minutes()
        return before != (self._traits, self._memory, self._tokens, self._shown_minutes)

    async def _count(self) -> None:
        try:
            self._traits = await self._chat.parts.planner.traits()
            prompt = await self._chat.companion.next_prompt(self._chat.thread_id, "")
        except PaceError:
            self._fault, self._tokens = "the model does not answer", None
            return
        self._fault = ""
        self._tokens = prompt.parts.total - prompt.parts.words

    def _variants(self, talking: Talking | None) -> Iterator[tuple[str, ...]]:
        """The same things said ever more briefly, the least needed left out first."""
        name, tier, where = self._planner()
        files = _files(talking)
        turns, time = self._turns(), self._time()
        full, brief = self._cost()
        whole_name = f"{name} ({tier})" if tier else name
        yield whole_name, where, full, files, turns, time
        yield name, where, full, files, turns, time
        yield name, where, brief, files, turns, time
        yield name, where, brief, files, time
        short = _shortened(name)
        yield short, where, brief, files, time
        yield short, where, brief, files
        yield short, where
        yield brief, time
        yield (time,)

    def _planner(self) -> tuple[str, str, str]:
        if self._fault:
            return self._fault, "", ""
        if self._traits is None:
            if self._turns():
                return "", "", ""
            return f"starting the model{self._look.signs.dots}", "", ""
        who = self._traits.name
        where = "on this machine" if self._traits.on_this_machine else "NOT on this machine"
        if recipient := recipient_of(self._chat.settings.planner):
            who, where = recipient.command, f"words go to {safe_line(recipient.host)}"
        name = safe_line(self._traits.model)
        return name.removesuffix("-Instruct"), safe_line(who), where

    def _cost(self) -> tuple[str, str]:
        """The bar of the next prompt, with its whole and without."""
        if self._traits is None or self._tokens is None:
            return "", ""
        whole = self._traits.context_tokens
        full = min(-(-self._tokens * _BAR // whole), _BAR)
        signs = self._look.signs
        bar = f"{signs.full * full}{signs.free * (_BAR - full)} {self._tokens:,}"
        return f"{bar} of {whole:,} tokens", f"{bar} tokens"

    def _turns(self) -> str:
        turns = 0 if self._memory is None else self._memory.next_number - 1
        return f"{turns} turn{'s' * (turns != 1)}" if turns else ""

    def _time(self) -> str:
        if self._memory is None:
            return ""
        if not self._memory.limits.remember:
            return "not remembering"
        return "" if self._memory.is_empty else idle_left(self._memory, self.left())

    def left(self) -> timedelta:
        """The idle time that is left."""
        if self._memory is None:
            return timedelta()
        return self._memory.limits.idle_after - (self._clock.now() - self._memory.last_active_at)

    def _minutes(self) -> int:
        return int(self.left().total_seconds()) // 60


def _shortened(name: str) -> str:
    """A model's name up to one of its own dashes."""
    if len(name) <= _SHORT_NAME:
        return name
    return name[: _SHORT_NAME + 1].rpartition("-")[0] or name[:_SHORT_NAME]


def _files(talking: Talking | None) -> str:
    count = 0 if talking is None else talking.waiting_files
    return f"+ {count} file{'s' * (count != 1)}" if count else ""
