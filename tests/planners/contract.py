"""What every planner keeps to, whatever it is made of."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from pace.errors import EmptyReplyError, PlannerError
from pace.memory.prompt import Prompt
from pace.memory.turn import ThreadId
from pace.ports import Finished, Planner, PlannerEvent, TextDelta, Thinking
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


@dataclass(frozen=True, slots=True)
class Running:
    """What a process has going: its tasks, and how many processes and sockets are open.

    A client may keep one connection for its next request, so one socket more is none left behind.
    """

    tasks: frozenset[asyncio.Task[Any]]
    children: int
    sockets: int

    @classmethod
    def now(cls) -> Self:
        """Counted; without /proc only the tasks are."""
        return cls(frozenset(asyncio.all_tasks()), _children(), _sockets())

    async def wait_no_more(self) -> None:
        """Wait until nothing runs besides; whatever a closed reply left ends by itself, soon."""
        await assert_nothing_runs(set(self.tasks))
        async with asyncio.timeout(10):
            # The system tells nobody when one closes.
            while _children() > self.children or _sockets() > self.sockets + 1:  # noqa: ASYNC110
                await asyncio.sleep(0)


def _children() -> int:
    listed = Path("/proc/self/task").glob("*/children")
    return sum(len(children.read_text().split()) for children in listed)


def _sockets() -> int:
    count = 0
    for descriptor in Path("/proc/self/fd").glob("*"):
        try:
            count += str(descriptor.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue  # the one that was open to list them
    return count


STAGES: dict[str, Callable[[PlannerEvent], bool]] = {
    "prefill": lambda _: True,
    "decode": lambda event: isinstance(event, TextDelta),
    "after the last token": lambda event: isinstance(event, Finished),
}


async def cancelled_at(planner: Planner, is_there: Callable[[PlannerEvent], bool]) -> None:
    """Read a reply in a task that is cancelled at an event, wherever the planner waits next."""
    turn = asyncio.current_task()
    async with aclosing(planner.stream(prompt())) as events:
        async for event in events:
            if turn is not None and is_there(event):
                asyncio.get_running_loop().call_soon(turn.cancel)


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

    @pytest.mark.parametrize("stage", STAGES)
    async def test_a_cancelled_turn_leaves_nothing(self, planner: Planner, stage: str) -> None:
        """Cancelled in prefill, in decode or after the last token: no process, socket or task."""
        assert_complete(await complete(planner, prompt()))
        before = Running.now()
        for _ in range(3):
            turn = asyncio.create_task(cancelled_at(planner, STAGES[stage]))
            await asyncio.wait([turn])
            await before.wait_no_more()
        assert_complete(await complete(planner, prompt()))
        await before.wait_no_more()

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
        assert traits.on_this_machine or traits.host
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


class FaultContract:
    """What planners keep to when their engine is at fault.

    Inherit it, and give those of the fixtures that the engine can be brought to; what it cannot,
    is skipped with the reason.
    """

    @pytest.fixture
    def silent(self) -> Planner:
        """One whose engine answers without a word."""
        pytest.skip("its engine cannot be made to say nothing")

    @pytest.fixture
    def failing(self) -> Planner:
        """One whose engine ends in an error of its library's, before the first word."""
        pytest.skip("its engine raises no error of a library's")

    @pytest.fixture
    def reasoning(self) -> Planner:
        """One whose engine reasons "secret plan 991", then says "Sure, 42."."""
        pytest.skip("its engine does not reason")

    @pytest.fixture
    def unsized(self) -> Planner:
        """One whose engine does not tell its context."""
        pytest.skip("its context is always known")

    @pytest.fixture
    def received(self) -> Callable[[], list[tuple[str, str]]]:
        """The roles and contents that the engine of `listening` was sent last."""
        pytest.skip("what its engine receives cannot be seen")

    @pytest.fixture
    def listening(self) -> Planner:
        """One whose engine keeps what it is sent."""
        pytest.skip("what its engine receives cannot be seen")

    async def test_an_empty_reply_is_an_error(self, silent: Planner) -> None:
        """A reply without words raises EmptyReplyError, and none of it is shown."""
        shown: list[PlannerEvent] = []

        async def read() -> None:
            async for event in silent.stream(prompt()):
                shown.append(event)  # noqa: PERF401  # what came before the error counts

        with pytest.raises(EmptyReplyError):
            await read()
        assert not [event for event in shown if isinstance(event, TextDelta | Finished)]

    async def test_a_foreign_error_is_a_cause(self, failing: Planner) -> None:
        """What a library raises becomes a PlannerError in words, with its cause, and no echo."""
        with pytest.raises(PlannerError) as caught:
            await complete(failing, prompt("canary words 77"))
        assert caught.value.__cause__ is not None
        assert not isinstance(caught.value.__cause__, PlannerError)
        assert "canary" not in str(caught.value)

    async def test_reasoning_is_no_word_of_a_reply(self, reasoning: Planner) -> None:
        """B60: what a model reasons never stands in a TextDelta; it is told as Thinking."""
        events = await complete(reasoning, prompt())
        said = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert said.strip() == "Sure, 42."
        assert any(isinstance(event, Thinking) for event in events)

    async def test_an_unknown_context_is_assumed_and_said_to_be(self, unsized: Planner) -> None:
        """Without a word from the engine a cautious context is taken, and marked as assumed."""
        traits = await unsized.traits()
        assert traits.assumes_context
        assert 0 < traits.context_tokens <= 8192

    async def test_every_tier_is_sent_the_same_messages(
        self, listening: Planner, received: Callable[[], list[tuple[str, str]]]
    ) -> None:
        """R13: roles and contents arrive byte for byte as the prompt has them, in their order."""
        asked = prompt_of(
            "naïve 北京 🌍\n\n  two spaces  ",
            thread="contract",
            system="You are Pace.\n\n<conversation_so_far>\nA record.\n</conversation_so_far>",
            window=(("First?\t", " Yes. "), ('{"a": 1}', "\\u0041 \u2028 done")),
        )
        assert_complete(await complete(listening, asked))
        assert received() == [(message.role.value, message.content) for message in asked.messages]
