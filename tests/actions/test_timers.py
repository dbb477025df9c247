"""Timers: each rings once, at its time, wherever it can be heard."""

import asyncio
from datetime import timedelta

import pytest

from actions.conftest import Heard
from pace.actions.registry import Registry
from pace.actions.timers.notification import DesktopNotification
from pace.actions.timers.timers import Timers
from pace.clock import SystemClock
from pace.errors import ActionError
from pace.ports import Action
from pace.testing import Gate, ManualClock

MINUTE = timedelta(minutes=1)


async def looked(timers: Timers) -> None:
    """Have the timers look at the clock, and give them the time for it."""
    timers.look_again()
    for _ in range(5):
        await asyncio.sleep(0)


async def run(registry: Registry, name: str, **arguments: object) -> tuple[str, str]:
    action: Action | None = registry.named(name)
    assert action is not None
    result = await action.run(action.checked(arguments))
    return result.line, result.shown


async def test_a_timer_rings_at_its_time(
    timers: Timers, clock: ManualClock, heard: Heard, registry: Registry
) -> None:
    """Not before, not twice; in the conversation and on the desktop."""
    assert await run(registry, "start_timer", duration="10 min", label="pasta") == (
        'Started a timer of 10 minutes called "pasta".',
        "It rings at 12:10, as long as Pace runs.",
    )
    clock.advance(9 * MINUTE)
    await looked(timers)
    assert heard.told == []
    clock.advance(MINUTE)
    await looked(timers)
    await timers.wait_quiet()
    clock.advance(60 * MINUTE)
    await looked(timers)
    assert heard.told == heard.notified == ['The timer "pasta" of 10 minutes rings.']
    assert timers.running == ()


async def test_several_ring_in_their_order(
    timers: Timers, clock: ManualClock, heard: Heard, registry: Registry
) -> None:
    """The next to ring comes first in the list; those that fell due while asleep all ring."""
    for minutes, label in ((3, "three"), (1, "one"), (2, "two"), (90, "long")):
        timers.start(minutes * MINUTE, label)
    listed = await run(registry, "list_timers")
    assert listed[0] == "Listed 4 timers."
    assert listed[1].splitlines() == [
        "- one: 1 minute left",
        "- two: 2 minutes left",
        "- three: 3 minutes left",
        "- long: 1 hour 30 minutes left",
    ]
    clock.advance(10 * MINUTE)
    await looked(timers)
    assert [told.split('"')[1] for told in heard.told] == ["one", "two", "three"]
    assert (await run(registry, "list_timers"))[1] == "- long: 1 hour 20 minutes left"


async def test_the_wall_clock_changes_nothing(
    timers: Timers, clock: ManualClock, heard: Heard
) -> None:
    """A change of the wall clock rings no timer early."""
    timers.start(MINUTE)
    clock.set_local_time(clock.local_time() + timedelta(days=1))
    await looked(timers)
    assert heard.told == []


@pytest.mark.parametrize(
    ("label", "cancelled"),
    [
        ("pasta", ["pasta water"]),
        ("the Pasta Water timer", ["pasta water"]),
        ("10 minute", ["pasta water"]),
        ("20 minutes", ["timer"]),
        ("timer", ["timer"]),
        ("all", ["pasta water", "timer", "timer 2"]),
        ("all of my timers", ["pasta water", "timer", "timer 2"]),
    ],
)
async def test_the_timer_that_is_meant(timers: Timers, label: str, cancelled: list[str]) -> None:
    """A timer is named by its label, some of its words, or its length."""
    timers.start(10 * MINUTE, "pasta water")
    timers.start(20 * MINUTE)
    timers.start(30 * MINUTE)
    assert [timer.label for timer in timers.cancel(label)] == cancelled
    assert len(timers.running) == 3 - len(cancelled)


@pytest.mark.parametrize("label", ["", "10 minutes", "soup", "eggs"])
async def test_doubt_cancels_none(timers: Timers, label: str) -> None:
    """If more than one timer, or none, could be meant, all go on and are named."""
    timers.start(10 * MINUTE, "eggs a")
    timers.start(10 * MINUTE, "eggs b")
    with pytest.raises(ActionError, match="eggs a, eggs b"):
        timers.cancel(label)
    assert len(timers.running) == 2


async def test_cancelling_the_only_one(timers: Timers, registry: Registry) -> None:
    """The only timer needs no name; without a timer there is nothing to cancel."""
    timers.start(MINUTE, "tea")
    assert (await run(registry, "cancel_timer"))[0] == 'Cancelled the timer "tea".'
    with pytest.raises(ActionError, match="No timer runs"):
        await run(registry, "cancel_timer")
    assert await run(registry, "list_timers") == ("No timer runs.", "")


async def test_a_cancelled_timer_does_not_ring(
    timers: Timers, clock: ManualClock, heard: Heard
) -> None:
    """What was cancelled stays silent; what else runs rings."""
    timers.start(MINUTE, "a")
    timers.start(MINUTE, "b")
    timers.cancel("a")
    clock.advance(MINUTE)
    await looked(timers)
    assert heard.told == ['The timer "b" of 1 minute rings.']


async def test_too_many(timers: Timers) -> None:
    """A planner gone wild starts fifty timers at most."""
    for _ in range(50):
        timers.start(MINUTE)
    with pytest.raises(ActionError, match="50 timers run already"):
        timers.start(MINUTE)


async def test_what_is_lost_at_the_end(timers: Timers) -> None:
    """Whoever ends Pace is told which timers end with it."""
    assert timers.lost() == ""
    timers.start(MINUTE, "tea")
    assert timers.lost() == ("This timer ends with Pace and will not ring: tea (1 minute left).")
    for _ in range(7):
        timers.start(2 * MINUTE, "egg")
    assert timers.lost().endswith("egg 3 (2 minutes left), egg 4 (2 minutes left) and 3 more.")


async def test_nothing_starts_where_nobody_rings(clock: ManualClock, heard: Heard) -> None:
    """Without its owner's task no timer is started, so that none is promised in vain."""
    timers = Timers(clock, notify=heard.notify, tell=heard.told.append)
    with pytest.raises(ActionError, match="No timer can run here"):
        timers.start(MINUTE)
    async with timers.ringing():
        timers.start(MINUTE)
    with pytest.raises(ActionError):
        timers.start(MINUTE)


async def test_a_failing_notification_is_a_sentence(clock: ManualClock) -> None:
    """A desktop that shows nothing is told of once, and the next timer rings all the same."""
    told: list[str] = []

    async def fail(_title: str, _text: str) -> None:
        raise ActionError("The desktop showed no notification.")

    timers = Timers(clock, notify=fail, tell=told.append)
    async with timers.ringing():
        for label in ("a", "b"):
            timers.start(MINUTE, label)
            clock.advance(MINUTE)
            timers.look_again()
            await timers.wait_quiet()
    assert told == [
        'The timer "a" of 1 minute rings.',
        "The desktop showed no notification.",
        'The timer "b" of 1 minute rings.',
    ]


async def test_a_slow_notification_holds_up_nothing(clock: ManualClock) -> None:
    """While one notification waits, other timers ring; the end of Pace ends it, too."""
    gate, told = Gate(), list[str]()

    async def wait(_title: str, _text: str) -> None:
        await gate.wait_opened()

    timers = Timers(clock, notify=wait, tell=told.append)
    before = asyncio.all_tasks()
    async with timers.ringing():
        for label in ("a", "b"):
            timers.start(MINUTE, label)
            clock.advance(MINUTE)
            await looked(timers)
        assert len(told) == 2
    assert asyncio.all_tasks() == before


async def test_a_real_clock_rings() -> None:
    """By the machine's own clock a timer of a second rings by itself."""
    rang = asyncio.Event()

    async def show(_title: str, _text: str) -> None:
        rang.set()

    timers = Timers(SystemClock(), notify=show, tell=lambda _: None)
    async with timers.ringing():
        timers.start(timedelta(seconds=1))
        async with asyncio.timeout(20):
            await rang.wait()


async def test_without_a_notification_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no service takes notifications, a sentence says so, and nothing is logged."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
    with pytest.raises(ActionError, match="notification service running"):
        await DesktopNotification()("Pace", "canary-word")
