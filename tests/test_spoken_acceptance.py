"""Turns that are accepted from their first sound, and prompts that are read before they begin."""

from datetime import timedelta

from pace.asked import Words
from pace.memory.prompt import Role
from pace.memory.turn import TurnId
from pace.ports import PlannerTraits
from pace.testing import ManualClock, ScriptedPlanner
from turns import THREAD, Companions, unheard

PREPARES = PlannerTraits(
    name="scripted", model="script", context_tokens=8192, on_this_machine=True, prepares=True
)
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


async def test_the_words_are_read_before_the_turn(companions: Companions) -> None:
    """All that the turn will show, up to where the reply begins."""
    with ScriptedPlanner("Hello.", "Ada.", traits=PREPARES) as planner:
        async with companions(planner) as parts:
            await parts.companion.take_turn(THREAD, Words(text="I am Ada."), unheard)
            await parts.background.wait_done(THREAD)
            await parts.companion.read_ahead(THREAD, "Who am I?")
            await parts.background.wait_done(THREAD)
            await parts.companion.take_turn(THREAD, Words(text="Who am I?"), unheard)
    read = planner.prepared[-1].messages if planner.prompts[1:] else ()
    assert read[:-1] == planner.prompts[1].messages
    assert read[-1].role is Role.ASSISTANT


async def test_words_that_were_not_the_last_are_given_up(companions: Companions) -> None:
    """Whoever goes on is read anew; the turn itself leaves nothing to be read."""
    with ScriptedPlanner(traits=PREPARES) as planner:
        async with companions(planner) as parts:
            await parts.companion.accept(THREAD, FIRST)
            await parts.companion.read_ahead(THREAD, "I am")
            await parts.background.wait_done(THREAD)
            await parts.companion.withdraw(THREAD, FIRST)
            parts.background.nudge(THREAD)
            await parts.background.wait_done(THREAD)
    assert [prompt.messages[-1].role for prompt in planner.prepared] == [Role.ASSISTANT, Role.USER]


async def test_a_planner_elsewhere_gets_no_half_sentence(companions: Companions) -> None:
    """Nothing is sent before the person is done."""
    away = PlannerTraits(
        name="scripted", model="script", context_tokens=8192, on_this_machine=False, prepares=True
    )
    with ScriptedPlanner(traits=away) as planner:
        async with companions(planner) as parts:
            await parts.companion.read_ahead(THREAD, "My password is")
            await parts.background.wait_done(THREAD)
    assert planner.prepared == []
