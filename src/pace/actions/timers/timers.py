"""The timers of this process: one task rings them all, and they end with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from pace.actions.telling import quoted, shown
from pace.actions.timers.durations import duration_of, said
from pace.errors import ActionError
from pace.ports import Clock

_MOST = 50
_UNNAMED = "timer"
_ALL = {"all", "both", "every", "everything"}
# A machine that slept wakes tasks late; a look at the clock that counts sleep is never farther off.
_LOOK_AGAIN = 15.0
_NOTIFY_WITHIN = 10.0

Tell = Callable[[str], None]
Notify = Callable[[str, str], Awaitable[None]]
"""Shows a title and a text on the desktop. Raises ActionError and nothing else.

Words of others belong in the title: some desktops read the text as markup.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """One that runs; no other that runs has its label."""

    label: str
    duration: timedelta
    rings_at: datetime


class Timers:
    """Starts, lists and cancels timers; `run` rings them, and must run for that.

    `tell` gets a sentence for every screen of the conversation; it must not wait. Where Pace does
    not stay after an answer, none is started.
    """

    def __init__(self, clock: Clock, *, notify: Notify, tell: Tell, stays: bool = True) -> None:
        self._clock = clock
        self._notify = notify
        self._tell = tell
        self._stays = stays
        self._troubles: set[str] = set()
        self._timers: list[Timer] = []
        self._changed = asyncio.Event()
        self._notifying = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._is_running = False

    @property
    def running(self) -> tuple[Timer, ...]:
        """Those that have not rung yet, the next to ring first."""
        return tuple(self._timers)

    def left(self, timer: Timer) -> timedelta:
        """How long it is until one rings."""
        return max(timedelta(0), timer.rings_at - self._clock.now())

    def local_time(self) -> datetime:
        """The time as the person's clock shows it."""
        return self._clock.local_time()

    def start(self, duration: timedelta, label: str = "") -> Timer:
        """Start one. Raises ActionError if nobody would ring it, or too many run."""
        if not self._stays:
            raise ActionError(
                "Pace ends with this answer, and no timer would ring. Ask for it in a "
                "conversation: pace chat"
            )
        if not self._is_running:
            raise ActionError("No timer can run here. Ask for it in a conversation: pace chat")
        if len(self._timers) >= _MOST:
            raise ActionError(f"{_MOST} timers run already. Cancel one first.")
        timer = Timer(
            label=self._free_label(label or _UNNAMED),
            duration=duration,
            rings_at=self._clock.now() + duration,
        )
        self._timers = sorted((*self._timers, timer), key=lambda one: one.rings_at)
        self._quiet.clear()
        self.look_again()
        return timer

    def cancel(self, label: str = "") -> tuple[Timer, ...]:
        """Cancel the one of that label or duration, or the only one; `all` cancels every one.

        Raises ActionError, and cancels none, if it is not clear which one is meant.
        """
        if not self._timers:
            raise ActionError("No timer runs, so none was cancelled.")
        meant = self._meant(label)
        self._timers = [timer for timer in self._timers if timer not in meant]
        self.look_again()
        return meant

    def look_again(self) -> None:
        """Have `run` look at the clock now."""
        self._changed.set()

    def lost(self) -> str:
        """What to say when Pace ends now: the timers that will not ring. Empty if there is none."""
        if not self._timers:
            return ""
        names = ", ".join(
            f"{shown(timer.label)} ({said(self.left(timer))} left)" for timer in self._timers[:5]
        )
        more = f" and {len(self._timers) - 5} more" if len(self._timers) > 5 else ""  # noqa: PLR2004  # as many as are named
        many = "This timer ends" if len(self._timers) == 1 else "These timers end"
        return f"{many} with Pace and will not ring: {names}{more}."

    async def wait_quiet(self) -> None:
        """Wait until no timer runs and every notification of those that rang is out."""
        await self._quiet.wait()

    @asynccontextmanager
    async def ringing(self) -> AsyncGenerator[None, None]:
        """Run within a block, and no longer."""
        task = asyncio.create_task(self.run(), name="timers")
        try:
            # It must be running before the first timer is started.
            await asyncio.sleep(0)
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def run(self) -> None:
        """Ring each timer when its time has come, until cancelled."""
        self._is_running = True
        try:
            async with asyncio.TaskGroup() as ringing:
                while True:
                    self._changed.clear()
                    for timer in self._due():
                        sentence = _sentence(timer)
                        self._tell(sentence)
                        self._notifying += 1
                        ringing.create_task(self._notified(sentence), name="timer notification")
                    self._see_whether_quiet()
                    await self._until_next()
        finally:
            self._is_running = False

    def _due(self) -> tuple[Timer, ...]:
        """Take out those whose time has come."""
        now = self._clock.now()
        due = tuple(timer for timer in self._timers if timer.rings_at <= now)
        self._timers = [timer for timer in self._timers if timer.rings_at > now]
        return due

    async def _until_next(self) -> None:
        """Wait until the next timer may be due, or something has changed."""
        wait = None
        if self._timers:
            wait = min(_LOOK_AGAIN, self.left(self._timers[0]).total_seconds())
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._changed.wait()

    async def _notified(self, sentence: str) -> None:
        try:
            async with asyncio.timeout(_NOTIFY_WITHIN):
                await self._notify(sentence, "Pace")
        except TimeoutError:
            self._tell_once("The desktop took no notification in time; the timer rang here alone.")
        except ActionError as error:
            self._tell_once(str(error))
        finally:
            self._notifying -= 1
            self._see_whether_quiet()

    def _tell_once(self, trouble: str) -> None:
        """What the desktop lacks, it lacks at the next timer, too."""
        if trouble not in self._troubles:
            self._troubles.add(trouble)
            self._tell(trouble)

    def _see_whether_quiet(self) -> None:
        if not self._timers and not self._notifying:
            self._quiet.set()

    def _meant(self, label: str) -> tuple[Timer, ...]:
        wanted = _key(label)
        words = set(wanted.split())
        for found in (
            [timer for timer in self._timers if _key(timer.label) == wanted],
            self._of_duration(wanted),
            [timer for timer in self._timers if words and words <= set(_key(timer.label).split())],
        ):
            if len(found) == 1:
                return tuple(found)
        if means_all(label):
            return tuple(self._timers)
        names = ", ".join(shown(timer.label) for timer in self._timers)
        if wanted not in {"", _UNNAMED}:
            raise ActionError(f"No one timer is called {quoted(label)}; these run: {names}.")
        if len(self._timers) > 1:
            raise ActionError(f"{len(self._timers)} timers run: {names}. Say which one.")
        return tuple(self._timers)

    def _of_duration(self, text: str) -> list[Timer]:
        try:
            duration = duration_of(text)
        except ValueError:
            return []
        return [timer for timer in self._timers if timer.duration == duration]

    def _free_label(self, label: str) -> str:
        taken = {_key(timer.label) for timer in self._timers}
        if _key(label) not in taken:
            return label
        # Some number up to one more than there are timers is free.
        numbered = (f"{label} {number}" for number in range(2, len(taken) + 3))
        return next(name for name in numbered if _key(name) not in taken)


def means_all(label: str) -> bool:
    """Whether a label stands for every timer."""
    words = set(label.casefold().split())
    return bool(words & _ALL) and words <= _ALL | {"of", "the", "my", "them", "timer", "timers"}


def _key(label: str) -> str:
    """A label without what people add and leave out: "the pasta timer" is pasta."""
    words = label.casefold().split()
    if len(words) > 1 and words[0] in {"the", "my"}:
        words = words[1:]
    if len(words) > 1 and words[-1] in {"timer", "timers"}:
        words = words[:-1]
    return " ".join(words)


def _sentence(timer: Timer) -> str:
    name = "" if timer.label == _UNNAMED else f" {quoted(timer.label)}"
    return f"The timer{name} of {said(timer.duration)} rings."
