"""Turns whose replies sound: recorded as far as they were heard, the next prompt read meanwhile."""

import asyncio

from pace.asked import Words
from pace.chat import ChatSession, RowStatus
from pace.doors.taking_turns import TakingTurns
from pace.errors import SummarizerUnavailableError
from pace.ports import PlannerTraits
from pace.testing import (
    Gate,
    GatedPlayback,
    ManualClock,
    ScriptedPlanner,
    ScriptedSummarizer,
)
from pace.threads import EndCause
from turns import THREAD, Companions, unheard

PREPARES = PlannerTraits(
    name="scripted", model="script", context_tokens=8192, on_this_machine=True, prepares=True
)


def spoken(text: str, playback: GatedPlayback) -> Words:
    """Words whose reply sounds."""
    return Words(text=text, playback=playback)


async def test_a_turn_lasts_until_its_reply_has_sounded(companions: Companions) -> None:
    """Written is not heard: nothing is recorded before."""
    playback = GatedPlayback()
    with ScriptedPlanner("One two three.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Count", playback), unheard)
            )
            await playback.over.wait_reached()
            assert (await parts.companion.memory(THREAD)).window == ()
            playback.over.open()
            report = await turn
            (pair,) = (await parts.companion.memory(THREAD)).window
    assert (report.text, report.interrupted) == ("One two three.", False)
    assert (pair.reply_text, pair.interrupted) == ("One two three.", False)


async def test_a_reply_cut_while_it_sounds_is_what_was_heard(companions: Companions) -> None:
    """B136: also when all of it was written; the next request alternates roles."""
    playback = GatedPlayback(heard=len("One two"))
    with ScriptedPlanner("One two three four.", "Five.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Count", playback), unheard)
            )
            await playback.over.wait_reached()
            assert parts.companion.stop(THREAD)
            report = await turn
            await parts.companion.take_turn(THREAD, Words(text="Go on"), unheard)
    assert (report.text, report.interrupted) == ("One two", True)
    assert [message.content for message in planner.prompts[1].messages[1:]] == [
        *("Count", "One two [interrupted]", "Go on")
    ]


async def test_a_reply_cut_while_it_is_written_is_what_was_heard(companions: Companions) -> None:
    """The model is always ahead of the sound."""
    gate, playback = Gate(), GatedPlayback(heard=len("One two"))
    with ScriptedPlanner(["One two three", gate]) as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Count", playback), unheard)
            )
            await gate.wait_reached()
            parts.companion.stop(THREAD)
            assert (await turn).text == "One two"


async def test_a_reply_cut_before_any_sound_is_no_turn(companions: Companions) -> None:
    """B136: no empty message, no trace."""
    playback = GatedPlayback()
    with ScriptedPlanner("One two three.", "Hello.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Count", playback), unheard)
            )
            await playback.over.wait_reached()
            parts.companion.stop(THREAD)
            report = await turn
            await parts.companion.take_turn(THREAD, Words(text="Hello"), unheard)
    assert (report.text, report.remembered) == ("", False)
    assert [message.content for message in planner.prompts[1].messages[1:]] == ["Hello"]


async def test_a_reset_silences_the_reply_and_forgets_it(companions: Companions) -> None:
    """R4: what still sounded enters no window."""
    playback = GatedPlayback(heard=3)
    with ScriptedPlanner("One two three.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Count", playback), unheard)
            )
            await playback.over.wait_reached()
            await parts.companion.reset(THREAD, EndCause.RESET)
            report = await turn
            assert (await parts.companion.memory(THREAD)).window == ()
    assert (report.interrupted, report.remembered) == (True, False)


async def test_next_prompt_is_read_ahead_while_the_reply_sounds(companions: Companions) -> None:
    """As it will be once the pair is recorded and what it displaces is folded."""
    with ScriptedPlanner("One.", "Two.", traits=PREPARES) as planner:
        async with companions(planner, window_size=1) as parts, asyncio.TaskGroup() as group:
            await parts.companion.take_turn(THREAD, Words(text="My cat is Pixel."), unheard)
            await parts.background.wait_done(THREAD)
            ahead = len(planner.prepared)
            playback = GatedPlayback()
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Hello", playback), unheard)
            )
            await playback.over.wait_reached()
            await parts.background.wait_done(THREAD)
            assert len(planner.prepared) == ahead + 1
            playback.over.open()
            await turn
            await parts.background.wait_done(THREAD)
            now = await parts.companion.next_prompt(THREAD, "?")
    assert planner.prepared[ahead].messages == planner.prepared[-1].messages == now.messages
    assert "Pixel" in now.messages[0].content


async def test_a_model_that_is_away_folds_nothing_that_is_read_ahead(
    companions: Companions,
) -> None:
    """Once it could not be asked, what is read while the reply sounds is what comes next."""
    with (
        ScriptedPlanner("One.", "Two.", "Three.", traits=PREPARES) as planner,
        ScriptedSummarizer(*[SummarizerUnavailableError("away")] * 2) as away,
    ):
        async with (
            companions(planner, model=away, window_size=1) as parts,
            asyncio.TaskGroup() as group,
        ):
            for text in ("My cat is Pixel.", "My dog is Rex."):
                await parts.companion.take_turn(THREAD, Words(text=text), unheard)
                await parts.background.wait_done(THREAD)
            ahead, playback = len(planner.prepared), GatedPlayback()
            turn = group.create_task(
                parts.companion.take_turn(THREAD, spoken("Hello", playback), unheard)
            )
            await playback.over.wait_reached()
            await parts.background.wait_done(THREAD)
            playback.over.open()
            await turn
            await parts.background.wait_done(THREAD)
            now = await parts.companion.next_prompt(THREAD, "?")
    assert planner.prepared[ahead].messages[:2] == now.messages[:2]
    assert "Rex" in now.messages[0].content


async def test_what_did_not_sound_stays_on_the_screen(companions: Companions) -> None:
    """Greyed, and nowhere else."""
    session, playback = ChatSession(), GatedPlayback(heard=len("One two"))
    with ScriptedPlanner("One two three.") as planner:
        async with companions(planner) as parts, asyncio.TaskGroup() as group:
            taking = TakingTurns(
                session, THREAD, clock=ManualClock(), companion=lambda: parts.companion
            )
            words = spoken("Count", playback)
            turn = group.create_task(taking.say(words))
            await playback.over.wait_reached()
            taking.stop()
            await turn
    row = session.row(words.turn_id)
    assert row is not None
    assert (row.status, row.reply_text, row.unheard) == (
        *(RowStatus.INTERRUPTED, "One two", " three."),
    )
