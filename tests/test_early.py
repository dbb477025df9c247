"""Replies that are begun before their turn, to words that probably are the turn's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import pytest

from pace.asked import Words
from pace.early import EarlyPlanner
from pace.errors import PlannerCrashedError
from pace.ports import Finished, PlannerTraits, TextDelta
from pace.testing import Gate, ScriptedPlanner
from pace.wiring import Parts
from planners.prompts import prompt_of
from turns import THREAD, Companions, unheard

HERE = PlannerTraits(
    name="scripted", model="script", context_tokens=8192, on_this_machine=True, prepares=True
)
WHO = "Who am I?"


@asynccontextmanager
async def written_ahead(parts: Parts, text: str) -> AsyncIterator[asyncio.Task[None]]:
    """The reply to these words is being written, and given up behind the block."""
    task = asyncio.create_task(parts.companion.write_ahead(THREAD, text))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def said(parts: Parts, text: str) -> str:
    """Take a turn; gives its reply."""
    return (await parts.companion.take_turn(THREAD, Words(text=text), unheard)).text


async def test_a_turn_takes_over_what_was_written(companions: Companions) -> None:
    """The planner is asked once, with the turn's own prompt."""
    with ScriptedPlanner("You are Ada.", traits=HERE) as planner:
        async with companions(planner) as parts:
            await parts.companion.write_ahead(THREAD, WHO)
            assert (await parts.companion.memory(THREAD)).window == ()
            shown = await parts.companion.next_prompt(THREAD, WHO)
            assert await said(parts, WHO) == "You are Ada."
            (pair,) = (await parts.companion.memory(THREAD)).window
    assert pair.reply_text == "You are Ada."
    assert [prompt.messages for prompt in planner.prompts] == [shown.messages]


async def test_a_turn_takes_over_what_is_being_written(companions: Companions) -> None:
    """Its words come as they are written."""
    gate = Gate()
    with ScriptedPlanner(["You are ", gate, "Ada."], traits=HERE) as planner:
        async with companions(planner) as parts, written_ahead(parts, WHO) as ahead:
            await gate.wait_reached()
            turn = asyncio.create_task(said(parts, WHO))
            gate.open()
            assert await turn == "You are Ada."
            await ahead
    assert planner.stopped == []


async def test_other_words_throw_it_away(companions: Companions) -> None:
    """It is stopped at once, and the turn asks with its own words."""
    gate = Gate()
    with ScriptedPlanner(["You", gate], "In Rome.", traits=HERE) as planner:
        async with companions(planner) as parts, written_ahead(parts, WHO):
            await gate.wait_reached()
            assert await said(parts, "Who am I, and where?") == "In Rome."
    assert [prompt.messages[-1].content for prompt in planner.stopped] == [WHO]


async def test_newer_words_throw_it_away(companions: Companions) -> None:
    """Of one thread at most one reply is begun."""
    gate = Gate()
    with ScriptedPlanner(["You", gate], "In Rome.", traits=HERE) as planner:
        async with companions(planner) as parts, written_ahead(parts, WHO):
            await gate.wait_reached()
            await parts.companion.write_ahead(THREAD, "Where am I?")
            assert await said(parts, "Where am I?") == "In Rome."
    assert len(planner.stopped) == 1


async def test_whoever_goes_on_gives_it_up(companions: Companions) -> None:
    """Cancelled, the engine is stopped; the same words later are answered anew."""
    gate = Gate()
    with ScriptedPlanner(["You", gate], "You are Ada.", traits=HERE) as planner:
        async with companions(planner) as parts:
            async with written_ahead(parts, WHO):
                await gate.wait_reached()
            assert len(planner.stopped) == 1
            assert await said(parts, WHO) == "You are Ada."


@pytest.mark.parametrize("ending", ["reset", "withdraw"])
async def test_what_is_over_is_given_up(companions: Companions, ending: str) -> None:
    """R4: with the session, or when the sound was nothing, it is as if it never was."""
    gate = Gate()
    with ScriptedPlanner(["You", gate], "You are Ada.", traits=HERE) as planner:
        async with companions(planner) as parts, written_ahead(parts, WHO):
            await gate.wait_reached()
            if ending == "reset":
                await parts.companion.reset(THREAD)
            else:
                await parts.companion.withdraw(THREAD, Words(text=WHO).turn_id)
            assert len(planner.stopped) == 1
            assert await said(parts, WHO) == "You are Ada."


async def test_what_failed_ahead_is_asked_anew(companions: Companions) -> None:
    """The turn itself may fare better."""
    with ScriptedPlanner(
        ["You", PlannerCrashedError("gone")], "You are Ada.", traits=HERE
    ) as planner:
        async with companions(planner) as parts:
            await parts.companion.write_ahead(THREAD, WHO)
            assert await said(parts, WHO) == "You are Ada."


async def test_what_fails_later_is_the_turns_failure(companions: Companions) -> None:
    """R11: and leaves no trace in memory."""
    gate = Gate()
    reply = ["You", gate, PlannerCrashedError("gone")]
    with ScriptedPlanner(reply, traits=HERE) as planner:
        async with companions(planner) as parts, written_ahead(parts, WHO):
            await gate.wait_reached()
            turn = asyncio.create_task(said(parts, WHO))
            await asyncio.sleep(0)  # it takes over
            gate.open()
            with pytest.raises(PlannerCrashedError):
                await turn
            assert (await parts.companion.memory(THREAD)).window == ()


async def test_whoever_stops_the_turn_stops_what_was_begun() -> None:
    """Closing the reply leaves nothing running."""
    gate, prompt = Gate(), prompt_of(WHO)
    with ScriptedPlanner([TextDelta("You"), gate], traits=HERE) as inner:
        planner = EarlyPlanner(inner)
        ahead = asyncio.create_task(planner.write_ahead(prompt))
        await gate.wait_reached()
        async with aclosing(planner.stream(prompt)) as events:
            assert await anext(events) == TextDelta("You")
        await ahead
    assert inner.stopped == [prompt]


async def test_another_threads_reply_is_its_own() -> None:
    """The same words elsewhere take nothing over."""
    prompt = prompt_of(WHO, thread="one")
    with ScriptedPlanner("For one.", "For two.", traits=HERE) as inner:
        planner = EarlyPlanner(inner)
        await planner.write_ahead(prompt)
        other = replace(prompt, thread_id=prompt_of(WHO, thread="two").thread_id)
        async with aclosing(planner.stream(other)) as events:
            assert await anext(events) == TextDelta("For two.")
            assert isinstance(await anext(events), Finished)
        async with aclosing(planner.stream(prompt)) as events:
            replied = [event async for event in events]
    assert replied[0] == TextDelta("For one.")
    assert isinstance(replied[-1], Finished)


async def test_a_planner_elsewhere_gets_no_half_sentence(companions: Companions) -> None:
    """Nothing is sent before the person is done."""
    with ScriptedPlanner(traits=replace(HERE, on_this_machine=False)) as planner:
        async with companions(planner) as parts:
            await parts.companion.write_ahead(THREAD, "My password is")
    assert planner.prompts == []
