"""One conversation, open: what every screen stands on, from settings to a running companion."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Protocol, Self

from pace.clock import SystemClock
from pace.companion import Companion
from pace.errors import PlannerError
from pace.folders import Folders
from pace.folding import FOLD_TIME_LIMIT
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.planners.tiers import FetchScreen, OpenedPlanner, open_planner
from pace.ports import Clock, Planner, ThreadSummarizer
from pace.settings import Settings, SummariesBy
from pace.settings_file import SettingsFile
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.summarizers.chain import SummarizerChain
from pace.summarizers.model import ModelSummarizer
from pace.threads import EndCause, SessionEnded
from pace.wiring import Parts, assemble


class PlannerOpener(Protocol):
    """Opens the planner that the settings name."""

    def __call__(
        self, current: Callable[[], Settings], *, screen: FetchScreen
    ) -> Awaitable[OpenedPlanner]:
        """Raises SettingsError and WeightsError."""
        ...


class OpenChat:
    """A conversation and the work behind it, for as long as the `async with` block runs.

    `ended` gets one notice for each session that ends. `note` is what a screen tells once of the
    planner; `reason` is the part of it that is told everywhere. They, `parts` and `companion`
    change when another planner is opened, so ask for them anew. `on_fold` hears what became of
    each fold. Entering raises SettingsError and WeightsError.
    """

    def __init__(
        self,
        settings_file: SettingsFile,
        *,
        screen: FetchScreen,
        opener: PlannerOpener | None = None,
        clock: Clock | None = None,
        on_fold: Callable[[str], None] | None = None,
    ) -> None:
        self.settings_file = settings_file
        self.thread_id = ThreadId(str(uuid.uuid4()))
        self.ended: asyncio.Queue[SessionEnded] = asyncio.Queue()
        self.reason = self.note = ""
        self._screen = screen
        self._opener = opener or _by_tier
        self._clock = clock or SystemClock()
        self._on_fold = on_fold
        self._store = InProcessThreadMemoryStore()
        self._folded = asyncio.Event()
        self._parts: Parts | None = None
        self._work: asyncio.Task[None] | None = None
        self._applied = settings_file.current

    async def __aenter__(self) -> Self:
        self._applied = self.settings_file.current
        opened = await self._opener(self._current, screen=self._screen)
        self.reason, self.note = opened.reason, opened.note
        self._begin(opened.planner)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self._current()

    @property
    def parts(self) -> Parts:
        """The companion's parts; only while the chat is open."""
        assert self._parts is not None, "the chat is not open"  # noqa: S101  # asked too early
        return self._parts

    @property
    def companion(self) -> Companion:
        """Who answers now."""
        return self.parts.companion

    async def memory(self) -> ThreadMemory:
        """The two tiers as they are; a session whose idle limit has passed is over first."""
        await self.parts.threads.sweep()
        return await self.companion.memory(self.thread_id)

    async def apply(self) -> None:
        """Put changed settings into force: limits at once, a planner before the next turn.

        A reply in progress is waited for if the planner changes. Raises SettingsError and
        WeightsError if another planner cannot be opened; the one before then goes on answering.
        """
        before, self._applied = self._applied, self._current()
        if before.limits != self._applied.limits:
            await self._apply_limits(self._applied.limits)
        if _planner_of(before) != _planner_of(self._applied):
            try:
                opened = await self._opener(self._current, screen=self._screen)
            except BaseException:
                self._applied = before
                raise
            self.reason, self.note = opened.reason, opened.note
            former = self.parts.planner
            await self._begin_again(opened.planner)
            await former.aclose()
        elif before.summaries != self._applied.summaries:
            await self._begin_again(self.parts.planner)

    async def wait_folded(self, limit: timedelta = FOLD_TIME_LIMIT) -> None:
        """Wait until nothing is pending, folding has given up, or the limit has passed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit.total_seconds()):
                self.parts.background.nudge(self.thread_id)
                while await self._has_pending() and await self._fold_or_end():
                    pass

    async def close(self) -> None:
        """End the session and all work; nothing of it is left behind. Harmless when repeated."""
        if self._work is None:
            return
        await self._stop_work()
        await self.parts.planner.aclose()
        await self.companion.reset(self.thread_id, EndCause.CLOSED)

    # --- inside

    def _current(self) -> Settings:
        return self.settings_file.current

    def _begin(self, planner: Planner) -> None:
        """Put a companion over the thread as it is held, and start its work."""
        summarizer = _summarizer(self._applied, planner)
        self._parts = assemble(
            planner,
            system=lambda: self._current().planner.instructions,
            reply_tokens=lambda: self._current().planner.reply_tokens,
            limits=self._applied.limits,
            model=summarizer,
            store=self._store,
            clock=self._clock,
            observe=self._fold_seen,
        )
        self._parts.threads.when_ended(self.ended.put)
        self._work = asyncio.create_task(_live(self._parts), name="chat")

    async def _begin_again(self, planner: Planner) -> None:
        async with self.parts.threads.in_order(self.thread_id):
            await self._stop_work()
            self._begin(planner)
        self.parts.background.nudge(self.thread_id)

    async def _stop_work(self) -> None:
        work, self._work = self._work, None
        if work is None:
            return
        work.cancel()
        await asyncio.wait([work])
        if not work.cancelled() and (failure := work.exception()) is not None:
            raise failure

    async def _apply_limits(self, limits: ThreadLimits) -> None:
        await self.parts.threads.set_limits(limits)
        self.parts.background.nudge(self.thread_id)

    def _fold_seen(self, thread_id: ThreadId, outcome: str) -> None:  # noqa: ARG002  # one thread
        self._folded.set()
        if self._on_fold is not None:
            self._on_fold(outcome)

    async def _has_pending(self) -> bool:
        self._folded.clear()
        return bool((await self.companion.memory(self.thread_id)).pending)

    async def _fold_or_end(self) -> bool:
        """Wait for the next fold's end; False if no work is left that could bring one."""
        fold = asyncio.create_task(self._folded.wait())
        end = asyncio.create_task(self.parts.background.wait_done(self.thread_id))
        try:
            done, _ = await asyncio.wait({fold, end}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            fold.cancel()
            end.cancel()
            await asyncio.wait({fold, end})
        return fold in done


async def _by_tier(current: Callable[[], Settings], *, screen: FetchScreen) -> OpenedPlanner:
    return await open_planner(current, models=Folders.of().models, screen=screen)


async def _live(parts: Parts) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(parts.companion.run(), name="companion")
        group.create_task(_wake(parts.planner), name="wake")


async def _wake(planner: Planner) -> None:
    """Have the engine load while the person still types; its faults are told at the turn."""
    with suppress(PlannerError):
        await planner.traits()


def _planner_of(settings: Settings) -> tuple[object, ...]:
    planner = settings.planner
    return planner.tier, planner.base_url, planner.model


def _summarizer(settings: Settings, planner: Planner) -> ThreadSummarizer | None:
    """Who is asked before the extractive summarizer; a planner that cannot fold says so itself."""
    if settings.summaries.by is SummariesBy.EXTRACTIVE:
        return None
    return SummarizerChain([ModelSummarizer(planner, name=settings.planner.tier)])
