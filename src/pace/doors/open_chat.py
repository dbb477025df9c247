"""One conversation, open: what every screen stands on, from settings to a running companion."""

import asyncio
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from pace.asked import Say, TurnReport, Words
from pace.chat import ChatSession
from pace.clock import SystemClock
from pace.companion import Companion
from pace.doors.acting_here import ActingHere
from pace.doors.summarizing import summarizer_of
from pace.doors.switching import AGREED, REMOTE
from pace.doors.taking_turns import TakingTurns
from pace.errors import PlannerError
from pace.folders import Folders
from pace.folding import FOLD_STARTED, FOLD_TIME_LIMIT
from pace.history import PaceHistory
from pace.journaling import Journaling
from pace.memory.limits import ThreadLimits
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId, TurnPair
from pace.planners.tiers import FetchScreen, OpenedPlanner, answered_by, open_planner, opened_by
from pace.ports import Action, ActionsAtWork, Clock, Planner
from pace.settings import Settings
from pace.settings_file import SettingsFile
from pace.stores.in_process import InProcessThreadMemoryStore
from pace.summarizers.chain import TurnedDown
from pace.threads import EndCause, SessionEnded
from pace.wiring import Parts, assemble

_RETENTION_SECONDS = 3600.0
_FOLDS_KNOWN = 12


@dataclass(frozen=True, slots=True)
class FoldNews:
    """What happened to a fold: that it began (FOLD_STARTED), or how it ended."""

    at: datetime
    what: str


class PlannerOpener(Protocol):
    """Opens the planner that the settings name."""

    def __call__(
        self, current: Callable[[], Settings], *, screen: FetchScreen
    ) -> Awaitable[OpenedPlanner]:
        """Raises SettingsError and WeightsError."""
        ...


class OpenChat:
    """A conversation and the work behind it, for as long as the `async with` block runs.

    `session` is the transcript that all screens show. `ended` gets one notice for each session that
    ends. `note` is what a screen tells once of the planner; `reason` is the part of it that is told
    everywhere. They, `parts` and `companion` change when another planner is opened, so ask for them
    anew. `on_fold` hears what became of each fold, `tell` a sentence about the journal when there
    is one. Without `history` nothing is kept. Turns may use `actions` while the setting says so;
    `approvals` gets the person's word on them. Entering raises SettingsError and WeightsError.
    """

    def __init__(
        self,
        settings_file: SettingsFile,
        *,
        screen: FetchScreen,
        opener: PlannerOpener | None = None,
        clock: Clock | None = None,
        on_fold: Callable[[str], None] | None = None,
        history: PaceHistory | None = None,
        tell: Callable[[str], None] | None = None,
        actions: ActionsAtWork | None = None,
    ) -> None:
        self.settings_file = settings_file
        self.history = history
        self.session = ChatSession()
        self.folds: deque[FoldNews] = deque(maxlen=_FOLDS_KNOWN)
        """How the newest folds began and ended, the oldest first."""
        self.turned_down: TurnedDown = TurnedDown()
        """How often whose summaries were turned down, and why."""
        self.is_temporary = False
        """Whether the conversation that is open leaves no trace in the history."""
        self.thread_id = ThreadId(str(uuid.uuid4()))
        self.ended: asyncio.Queue[SessionEnded] = asyncio.Queue()
        self.reason = self.note = ""
        self._screen = screen
        self._opener = opener or _by_tier
        self._clock = clock or SystemClock()
        self._on_fold = on_fold
        self._store = InProcessThreadMemoryStore()
        self._folded = asyncio.Event()
        self._journal = self._journaling(history, tell)
        self._acting = ActingHere(settings_file, self.session, actions, tell=tell or _unheard)
        self.approvals = self._acting.approvals
        self._taking = TakingTurns(
            self.session, self.thread_id, clock=self._clock, companion=lambda: self.companion
        )
        self._parts: Parts | None = None
        self._work: asyncio.Task[None] | None = None
        self._applied = self._opened_by = settings_file.current

    async def __aenter__(self) -> Self:
        self._applied = self._opened_by = self.settings_file.current
        opened = await self._opener(self._anew, screen=self._screen)
        self.reason, self.note = opened.reason, opened.note
        self._begin(opened.planner)
        self._acting.begin()
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
        """The settings as they are now, but with whoever answers now until another took over.

        What is told of who gets words has to be true of the next word that is said.
        """
        return answered_by(self._current(), self._opened_by)

    @property
    def parts(self) -> Parts:
        """The companion's parts; only while the chat is open."""
        assert self._parts is not None, "the chat is not open"  # noqa: S101  # asked too early
        return self._parts

    @property
    def companion(self) -> Companion:
        """Who answers now."""
        return self.parts.companion

    @property
    def offered_actions(self) -> Sequence[Action]:
        """What turns could do, were they allowed to."""
        return self._acting.offered

    # --- turns

    async def say(self, words: Words, say: Say | None = None) -> TurnReport:
        """Take one turn, shown on every screen from its first moment; raises as `take_turn` does.

        Turns are taken in the order in which they were said, by whichever way they came.
        """
        return await self._taking.say(words, say)

    def submit(self, words: Words) -> None:
        """Take a turn that goes on whoever leaves; what comes of it stands in `session`.

        A turn that was submitted before is not taken again.
        """
        self._taking.submit(words)

    def stop(self) -> bool:
        """Stop the reply in progress, keeping what was said; False if there is none.

        A turn that the planner was not asked yet is given up.
        """
        return self._taking.stop()

    async def take_back(self) -> TurnPair | None:
        """Take the last pair back, from memory and screen; None if the window is empty."""
        taken = await self.companion.take_back(self.thread_id)
        if taken is not None:
            self.session.remove(taken.turn_id)
        return taken

    async def begin_anew(self, *, temporary: bool = False) -> None:
        """Forget the conversation and begin another; a temporary one is kept nowhere.

        What was waiting to be answered is given up, and stands on the screen as such.
        """
        waiting = {row.turn_id for row in self.session.waiting_rows}
        async with self._taking.held(lambda: self.companion.reset(self.thread_id)):
            self.is_temporary = temporary
            self.session.clear(keep=waiting)

    # --- questions

    async def memory(self) -> ThreadMemory:
        """The two tiers as they are; a session whose idle limit has passed is over first."""
        await self.parts.threads.sweep()
        return await self.companion.memory(self.thread_id)

    def idle_left(self, memory: ThreadMemory) -> timedelta:
        """How long until what a thread holds is forgotten, if nobody speaks."""
        return memory.limits.idle_after - (self._clock.now() - memory.last_active_at)

    async def apply(self) -> None:
        """Put changed settings into force: limits at once, a planner before the next turn.

        If the planner changes, a reply in progress is waited for, and what is said meanwhile is for
        the new one. Raises SettingsError and WeightsError if that cannot be opened; the one before
        then goes on answering.
        """
        before, self._applied = self._applied, self._current()
        self._acting.settings_changed()
        if before.limits != self._applied.limits:
            await self._apply_limits(self._applied.limits)
        if opened_by(before) != opened_by(self._applied):
            try:
                await self._open_another()
            except BaseException:
                self._applied = before
                raise
        elif before.summaries != self._applied.summaries:
            async with self._taking.order:
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
        await self._taking.give_up()
        await self._stop_work()
        await self._acting.end()
        await self.parts.planner.aclose()
        await self.companion.reset(self.thread_id, EndCause.CLOSED)
        if self._journal is not None:
            await self._journal.flush()
        if self.history is not None:
            await self.history.aclose()

    # --- inside

    def _current(self) -> Settings:
        return self.settings_file.current

    def _anew(self) -> Settings:
        """The settings, with the person's consent as any process may have left it in the file."""
        for name in (AGREED, REMOTE):
            self.settings_file.catch_up(name)
        return self._current()

    async def _open_another(self) -> None:
        """Have the planner of the settings take over from the one that answers now."""
        opened: OpenedPlanner | None = None

        async def open_it() -> None:
            nonlocal opened
            opened = await self._opener(self._anew, screen=self._screen)

        former, settings = self.parts.planner, self._applied
        try:
            async with self._taking.held(open_it):
                assert opened is not None  # noqa: S101  # it raises otherwise
                await self._begin_again(opened.planner)
                self._opened_by = settings
                self.reason, self.note = opened.reason, opened.note
        except BaseException:
            if opened is not None and self.parts.planner is former:
                await opened.planner.aclose()
            raise
        await former.aclose()

    def _begin(self, planner: Planner) -> None:
        """Put a companion over the thread as it is held, and start its work."""
        summarizer = summarizer_of(self._applied, planner, self.turned_down)
        self._parts = assemble(
            planner,
            system=lambda: self._current().planner.instructions,
            reply_tokens=lambda: self._current().planner.reply_tokens,
            limits=self._applied.limits,
            model=summarizer,
            store=self._store,
            clock=self._clock,
            observe=self._fold_seen,
            journal=self._journal,
            acting=self._acting.acting,
        )
        self._parts.threads.when_ended(self._session_ended)
        self._work = asyncio.create_task(self._live(self._parts), name="chat")

    def _journaling(
        self, history: PaceHistory | None, tell: Callable[[str], None] | None
    ) -> Journaling | None:
        if history is None:
            return None
        return Journaling(
            history,
            clock=self._clock,
            keeps=lambda: self._current().history.keep and not self.is_temporary,
            tell=tell or _unheard,
        )

    async def _session_ended(self, ended: SessionEnded) -> None:
        await self.ended.put(ended)
        if ended.cause is not EndCause.CLOSED:
            self.session.divide(ended)

    async def _begin_again(self, planner: Planner) -> None:
        """Have the planner answer from now on; no turn may begin meanwhile."""
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

    async def _live(self, parts: Parts) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(parts.companion.run(), name="companion")
            group.create_task(_wake(parts.planner), name="wake")
            group.create_task(self._let_go_of_old(), name="retention")

    async def _let_go_of_old(self) -> None:
        """Delete what has been in the history for longer than the person wants, now and later."""
        while self.history is not None:
            days = self._current().history.retention_days
            if days is not None:
                # Who asks for the history is told what is the matter with it; no fault of it may
                # end a conversation.
                with suppress(Exception):
                    await self.history.let_go_of_old(days, now=self._clock.local_time())
            await asyncio.sleep(_RETENTION_SECONDS)

    def _fold_seen(self, thread_id: ThreadId, outcome: str) -> None:  # noqa: ARG002  # one thread
        self.folds.append(FoldNews(self._clock.local_time(), outcome))
        if outcome == FOLD_STARTED:
            return
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


def _unheard(sentence: str) -> None:
    """Nobody asked to be told."""


async def _wake(planner: Planner) -> None:
    """Have the engine load while the person still types; its faults are told at the turn."""
    with suppress(PlannerError):
        await planner.traits()
