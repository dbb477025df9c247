"""What became of a request, in one word each, for logs, metrics and traces alike."""

import time
from dataclasses import dataclass, field
from enum import StrEnum

from pace.memory.turn import ThreadId
from pace.relayed.asked import TurnFacts


class Outcome(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    NOT_KEPT = "answered, not kept"
    INTERRUPTED = "interrupted"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(slots=True)
class SeenTurn:
    """One request that a planner answers, while it lasts. Times are of a clock that only goes on.

    It holds no words; `key_id` is empty for whoever needs no key. Token counts are the planner's
    own, None where it gave none.
    """

    endpoint: str
    key_id: str
    model: str
    is_streamed: bool
    began: float = field(default_factory=time.perf_counter)
    first_word: float | None = None
    ended: float | None = None
    facts: TurnFacts | None = None
    thread_id: ThreadId | None = None
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    outcome: Outcome = Outcome.FAILED
    fault: str = ""

    def composed(self, facts: TurnFacts, thread_id: ThreadId | None) -> None:
        """The prompt is set, in this thread, if it is in one."""
        self.facts = facts
        self.thread_id = thread_id

    def said(self) -> None:
        """A word of the reply came."""
        if self.first_word is None:
            self.first_word = time.perf_counter()

    def counted(self, usage: object) -> None:
        """The planner told what it counted."""
        if isinstance(usage, dict):
            self.prompt_tokens = _number(usage.get("prompt_tokens"))
            self.reply_tokens = _number(usage.get("completion_tokens"))

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.ended or time.perf_counter()) - self.began

    @property
    def first_word_seconds(self) -> float | None:
        """How long the first word took; None if there was none."""
        return None if self.first_word is None else self.first_word - self.began


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
