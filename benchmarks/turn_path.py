"""Times what Pace itself adds to a turn: accept, compose and record, token counts given.

Run: python benchmarks/turn_path.py [turns]

K = 4, pairs of 60 words and more, a summary of 400 tokens in the block. Counts come from a table,
as they do from a planner that has counted these texts before. The least is what the work takes when
nothing else wants the processor. With `pending`, a fold is outstanding
and one pair stands in the block besides.
"""

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice

from pace.memory.fitting import DoesNotFit, Room, compose
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Draft
from pace.memory.summary import SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId

_SYSTEM = "You are Pace, a calm companion who answers in plain words. " * 6
_ROOM = Room(context_tokens=8192, reply_tokens=1024)
_NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
_WORDS = (
    "the garden gate code was changed on Tuesday so please tell Marta that the delivery of the "
    "oak boards from Lindqvist comes before nine and that somebody has to sign for it at the "
    "side entrance because the yard is closed until the paving is dry which the builder thinks "
    "will take until Friday unless it rains again"
)


class _Counts(dict[str, int]):
    """A table of counts that learns a text once; looking up is all that is timed."""

    def __missing__(self, text: str) -> int:
        self[text] = estimate_tokens(text)
        return self[text]


def coming_turns() -> Iterator[FinishedTurn]:
    for number in range(sys.maxsize):
        yield FinishedTurn(
            turn_id=TurnId(f"{number:032d}"),
            session_id=SessionId("session"),
            user_text=f"{number}. {_WORDS}?",
            reply_text=f"{number}: yes, {_WORDS}.",
            recorded_at=_NOW,
        )


def full_memory(turns: Iterator[FinishedTurn]) -> ThreadMemory:
    """A thread whose window and block are full."""
    memory = ThreadMemory(
        thread_id=ThreadId("thread"),
        session_id=SessionId("session"),
        last_active_at=_NOW,
        limits=ThreadLimits(window_size=4),
    )
    for turn in islice(turns, 5):
        memory, _ = memory.accept(turn.turn_id).record(turn, now=_NOW)
    return _folded(memory)


@cache
def _full_summary(budget: int) -> str:
    text = f"The user: {_WORDS}. " * 12
    while estimate_tokens(text) > budget:
        text = text.rsplit(" ", 1)[0]
    return text


def _folded(memory: ThreadMemory) -> ThreadMemory:
    memory, fold = memory.stamp_fold()
    if fold is None:
        return memory
    update = SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=_full_summary(fold.budget),
        made_by="benchmark",
    )
    memory, _ = memory.apply_summary_update(update)
    return memory


def _timed(
    memory: ThreadMemory, turn: FinishedTurn, counts: _Counts
) -> tuple[ThreadMemory, list[float]]:
    """One turn as the companion makes it; seconds for accept, compose and record."""
    now = memory.last_active_at + timedelta(seconds=30)
    begun = time.perf_counter()
    accepted = memory.accept(turn.turn_id)
    opened = time.perf_counter()
    draft = Draft.of(accepted, system=_SYSTEM, words=turn.user_text)
    prompt = compose(draft, _ROOM, counts.__getitem__)
    composed = time.perf_counter()
    recorded, _ = accepted.record(turn, now=now)
    done = time.perf_counter()
    if isinstance(prompt, DoesNotFit) or prompt.gave_way:
        raise SystemExit("the benchmark's prompt must fit whole")
    return recorded, [opened - begun, composed - opened, done - composed, done - begun]


def timings(turns: int, *, pending: bool) -> list[list[float]]:
    """Seconds for accept, compose, record and all of them, turn by turn."""
    coming = coming_turns()
    memory, counts, taken = full_memory(coming), _Counts(), []
    for turn in islice(coming, turns):
        # The first time these texts are counted; the second is the one that counts.
        _timed(memory, turn, counts)
        memory, seconds = _timed(memory, turn, counts)
        taken.append(seconds)
        folded = _folded(memory)
        memory = replace(folded, pending=memory.pending[-1:]) if pending else folded
        if pending:
            memory = replace(memory, summary=replace(memory.summary, covers=0))
    return taken


def _measure(turns: int, *, pending: bool) -> None:
    taken = timings(turns, pending=pending)
    print(f"{turns:,} turns, {'one pair pending' if pending else 'nothing pending'}:")
    rows = zip(*taken, strict=True)
    for name, row in zip(("accept", "compose", "record", "all"), rows, strict=True):
        micros = sorted(second * 1e6 for second in row)
        p95 = micros[len(micros) * 95 // 100]
        median = statistics.median(micros)
        print(f"  {name:8} least {micros[0]:6.1f}   median {median:6.1f}   p95 {p95:6.1f} µs")


def main() -> None:
    """Measure both states of the block."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    _measure(turns, pending=False)
    _measure(turns, pending=True)


if __name__ == "__main__":
    main()
