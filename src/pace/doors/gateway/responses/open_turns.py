"""Turns that wait for the answers of tools: what was said in them, until they are over.

A client of the Responses API sends the answers alone and names the response that asked for them.
What stands here is this process's and goes with it, or with the thread, or after a while; a client
is then told to send the whole turn.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pace.memory.turn import ThreadId

Messages = Sequence[dict[str, object]]

# So many wait at most; the oldest make way. Most are over within a minute.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class _OpenTurn:
    thread_id: ThreadId
    messages: Messages = field(repr=False)
    until: float


class OpenTurns:
    """Keeps them by the ids of their responses. `seconds` is a clock that only goes on."""

    def __init__(
        self, *, keeps_seconds: float, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._keeps_seconds = keeps_seconds
        self._seconds = seconds
        self._turns: OrderedDict[str, _OpenTurn] = OrderedDict()

    def keep(self, response_id: str, thread_id: ThreadId, messages: Messages) -> None:
        """Keep a turn's messages, from the person's words to the calls."""
        self._let_go_of_old()
        until = self._seconds() + self._keeps_seconds
        self._turns[response_id] = _OpenTurn(thread_id, messages, until)
        while len(self._turns) > _MOST:
            self._turns.popitem(last=False)

    def of(self, response_id: str, thread_id: ThreadId) -> Messages | None:
        """What was said in it; None if it is over, or another thread's."""
        self._let_go_of_old()
        turn = self._turns.get(response_id)
        return turn.messages if turn is not None and turn.thread_id == thread_id else None

    def forget(self, thread_id: ThreadId) -> None:
        """Let go of a thread's turns."""
        gone = [id_ for id_, turn in self._turns.items() if turn.thread_id == thread_id]
        for response_id in gone:
            del self._turns[response_id]

    def _let_go_of_old(self) -> None:
        now = self._seconds()
        while self._turns and next(iter(self._turns.values())).until < now:
            self._turns.popitem(last=False)
