"""What every planner keeps to, whatever it is made of."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from pace.errors import PlannerError
from pace.memory.prompt import Prompt
from pace.memory.turn import ThreadId
from pace.ports import Finished, Planner, PlannerEvent, TextDelta
from planners.prompts import prompt_of

# Long enough that an engine is still reading when the first sign of life comes.
LONG = tuple((f"What about number {n}?", f"Number {n} is a fine number." * 4) for n in range(5))


def prompt(words: str = "Say hello.") -> Prompt:
    return prompt_of(words, thread="contract", window=LONG)


async def complete(planner: Planner, asked: Prompt) -> list[PlannerEvent]:
    async with aclosing(planner.stream(asked)) as events:
        return [event async for event in events]


def assert_complete(events: list[PlannerEvent]) -> None:
    assert [event for event in events if isinstance(event, Finished)] == [events[-1]]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).strip()


async def assert_nothing_runs(before: set[asyncio.Task[Any]]) -> None:
    """Whatever a closed reply left to the event loop ends by itself, within this limit."""
    async with asyncio.timeout(10):
        while left := asyncio.all_tasks() - before:
            await asyncio.wait(left)


class PlannerContract:
    """Inherit it, and give a fixture `planner` that answers any prompt, often."""

    async def test_a_complete_reply_ends_with_one_finished(self, planner: Planner) -> None:
        """Words come, none of them empty, and Finished is the last event and the only one."""
        events = await complete(planner, prompt())
        assert_complete(events)
        assert all(event.text for event in events if isinstance(event, TextDelta))

    async def test_a_reply_may_be_closed_at_the_first_event(self, planner: Planner) -> None:
        """Closing while the prompt is still read leaves no task, and the next turn is answered."""
        before = asyncio.all_tasks()
        async with aclosing(planner.stream(prompt())) as events:
            await anext(events)
        await assert_nothing_runs(before)
        assert_complete(await complete(planner, prompt()))

    async def test_a_reply_may_be_closed_within_its_words(self, planner: Planner) -> None:
        """Closing after the first words leaves no task, and the next turn is answered."""
        before = asyncio.all_tasks()
        async with aclosing(planner.stream(prompt())) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        await assert_nothing_runs(before)
        assert_complete(await complete(planner, prompt()))

    async def test_a_reply_may_be_closed_after_its_end(self, planner: Planner) -> None:
        """Closing at Finished is as good as reading on to the end."""
        async with aclosing(planner.stream(prompt())) as events:
            async for event in events:
                if isinstance(event, Finished):
                    break
        assert_complete(await complete(planner, prompt()))

    async def test_a_stream_that_nobody_reads_has_done_nothing(self, planner: Planner) -> None:
        """A stream that is closed before its first event hinders no other."""
        await planner.stream(prompt()).aclose()
        assert_complete(await complete(planner, prompt()))

    async def test_a_turn_may_be_cancelled_at_any_step(self, planner: Planner) -> None:
        """A task that is cancelled at its n-th step ends at once and leaves no task behind."""
        for steps in (1, 2, 3, 5, 8):
            before = asyncio.all_tasks()
            turn = asyncio.create_task(complete(planner, prompt()))
            for _ in range(steps):
                await asyncio.sleep(0)
            turn.cancel()
            await asyncio.wait([turn])
            await assert_nothing_runs(before)
        assert_complete(await complete(planner, prompt()))

    async def test_turns_that_come_together_are_all_answered(self, planner: Planner) -> None:
        """Two replies may be asked for at once."""
        for events in await asyncio.gather(
            complete(planner, prompt()), complete(planner, prompt_of("Hi.", thread="other"))
        ):
            assert_complete(events)

    async def test_each_text_is_counted(self, planner: Planner) -> None:
        """As many counts as texts come back, in order, and more words have more tokens."""
        assert await planner.count_tokens([]) == []
        one, many = await planner.count_tokens(["word", "many different words, and more"])
        assert 0 < one < many

    async def test_traits_stay_the_same(self, planner: Planner) -> None:
        """What a planner is does not change between two turns."""
        traits = await planner.traits()
        assert traits.context_tokens > 0
        assert traits.model
        assert_complete(await complete(planner, prompt()))
        assert await planner.traits() == traits

    async def test_a_prepare_is_no_turn(self, planner: Planner) -> None:
        """Preparing tells how much is held, changes no reply and may be repeated or cancelled."""
        held = await planner.prepare(prompt())
        assert held > 0 or not (await planner.traits()).prepares
        before = asyncio.all_tasks()
        preparing = asyncio.create_task(planner.prepare(prompt("Something else.")))
        await asyncio.sleep(0)
        preparing.cancel()
        await asyncio.wait([preparing])
        await assert_nothing_runs(before)
        assert_complete(await complete(planner, prompt()))

    async def test_forgetting_is_harmless(self, planner: Planner) -> None:
        """A thread may be forgotten before its first turn, after it, and twice."""
        await planner.forget(ThreadId("never seen"))
        assert_complete(await complete(planner, prompt()))
        await planner.forget(ThreadId("contract"))
        await planner.forget(ThreadId("contract"))
        assert_complete(await complete(planner, prompt()))


class ServerContract(PlannerContract):
    """What planners over a real engine keep to besides."""

    async def test_too_long_a_prompt_is_refused_in_a_sentence(self, planner: Planner) -> None:
        """A prompt beyond the context raises PlannerError, and the next one is answered."""
        with pytest.raises(PlannerError, match="context"):
            await complete(planner, prompt_of("word " * 9000, thread="contract"))
        assert_complete(await complete(planner, prompt()))
