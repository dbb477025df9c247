"""Turns that are accepted from their first sound."""

from datetime import timedelta

from pace.asked import Words
from pace.memory.turn import TurnId
from pace.testing import ManualClock, ScriptedPlanner
from turns import THREAD, Companions, unheard

FIRST = TurnId("first sound")


async def test_who_begins_to_speak_in_time_is_in_time(
    companions: Companions, clock: ManualClock
) -> None:
    """The idle limit does not fall in the middle of their words."""
    with ScriptedPlanner("Hello.", "Still here.") as planner:
        async with companions(planner) as parts:
            await parts.companion.take_turn(THREAD, Words(text="I am Ada."), unheard)
            clock.advance(timedelta(minutes=19, seconds=50))
            await parts.companion.accept(THREAD, FIRST)
            clock.advance(timedelta(seconds=30))
            await parts.threads.sweep()
            words = Words(text="Who am I?", turn_id=FIRST)
            await parts.companion.take_turn(THREAD, words, unheard)
    assert [message.content for message in planner.prompts[1].messages[1:]] == [
        *("I am Ada.", "Hello.", "Who am I?")
    ]


async def test_sound_that_was_nothing_keeps_nobody_awake(
    companions: Companions, clock: ManualClock
) -> None:
    """B134: a cough accepts no turn after all, and the idle time runs on from before it."""
    with ScriptedPlanner("Hello.") as planner:
        async with companions(planner) as parts:
            await parts.companion.take_turn(THREAD, Words(text="I am Ada."), unheard)
            clock.advance(timedelta(minutes=19, seconds=50))
            await parts.companion.accept(THREAD, FIRST)
            clock.advance(timedelta(seconds=30))
            await parts.companion.withdraw(THREAD, FIRST)
            assert (await parts.threads.peek(THREAD)) is None
            await parts.threads.sweep()
            assert (await parts.companion.memory(THREAD)).is_empty
