"""Reads the next prompt's prefix ahead, so that the next turn has only the new words to read.

Once the window slides, every prompt differs from the last one near its start, and the whole of it
would be read again while the person waits (design, decision 6).
"""

from collections.abc import Awaitable, Callable

from pace.counting import TokenCounts
from pace.errors import PlannerError
from pace.memory.fitting import DoesNotFit, Room
from pace.memory.prompt import Draft
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.turn import FinishedTurn, ThreadId
from pace.ports import Planner
from pace.threads import Threads

# Stands where the person's next words will; only what is before it is read.
_WORDS_TO_COME = "?"


class Preparing:
    """The background job that prepares; the last in order, since a fold changes what comes next.

    `foresee` tells what a fold will make of a turn that is not recorded yet, if that is known.
    """

    name = "prepare"
    on_engine = True

    def __init__(
        self,
        threads: Threads,
        planner: Planner,
        counts: TokenCounts,
        *,
        system: Callable[[], str],
        reply_tokens: Callable[[], int],
        foresee: Callable[[Fold], Awaitable[SummaryUpdate | None]],
    ) -> None:
        self._threads = threads
        self._planner = planner
        self._counts = counts
        self._system = system
        self._reply_tokens = reply_tokens
        self._foresee = foresee
        self._prepared: dict[ThreadId, int] = {}
        self._expected: dict[ThreadId, FinishedTurn] = {}

    def prepared_tokens(self, thread_id: ThreadId) -> int:
        """How many tokens of the thread's next prompt have been read ahead."""
        return self._prepared.get(thread_id, 0)

    def forget(self, thread_id: ThreadId) -> None:
        """The thread's session is over, or a turn has used what was prepared."""
        self._prepared.pop(thread_id, None)

    def expect(self, thread_id: ThreadId, finished: FinishedTurn | None) -> None:
        """Prepare as if this turn were recorded already; None: as the thread is."""
        if finished is None:
            self._expected.pop(thread_id, None)
        else:
            self._expected[thread_id] = finished

    async def run(self, thread_id: ThreadId) -> None:
        """Read the prefix of the thread's next prompt, if the planner can and is there."""
        try:
            await self._read_ahead(thread_id)
        except PlannerError:
            # A planner that is not there is told at the turn, which needs it.
            self.forget(thread_id)

    async def _read_ahead(self, thread_id: ThreadId) -> None:
        traits = await self._planner.traits()
        if not traits.prepares:
            return
        memory = await self._threads.look(thread_id)
        if (expected := self._expected.get(thread_id)) is not None:
            memory = await self._after(memory, expected)
        prompt = await self._counts.compose(
            Draft.of(memory, system=self._system(), words=_WORDS_TO_COME),
            Room(context_tokens=traits.context_tokens, reply_tokens=self._reply_tokens()),
        )
        if not isinstance(prompt, DoesNotFit):
            self._prepared[thread_id] = await self._planner.prepare(prompt)

    async def _after(self, memory: ThreadMemory, expected: FinishedTurn) -> ThreadMemory:
        """The thread as it will be once the turn is recorded and what it displaces is folded."""
        memory, _ = memory.record(expected, now=memory.last_active_at)
        memory, fold = memory.stamp_fold()
        update = None if fold is None else await self._foresee(fold)
        if update is not None:
            memory, _ = memory.apply_summary_update(update)
        return memory
