"""Pace in ten lines of another program."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pace.conversation import Conversation
from pace.errors import PlannerError
from pace.memory.limits import ThreadLimits

README = Path(__file__).parent.parent / "README.md"


async def test_a_function_gets_bounded_prompts_and_folds_happen_apart() -> None:
    """The function sees the block, the window and the words; what is older is folded."""
    seen: list[list[dict[str, str]]] = []

    async def answer(messages: list[dict[str, str]]) -> str:
        seen.append(messages)
        return f"Answer {len(seen)}."

    limits = ThreadLimits(window_size=2)
    async with Conversation(answer, system="Be brief.", limits=limits) as conversation:
        assert await conversation.say("My gate is B42.") == "Answer 1."
        for n in range(2, 7):
            await conversation.say(f"Question {n}?")
        await conversation.wait_folded()
        memory = await conversation.memory()
        await conversation.say("Which gate?")
        await conversation.reset()
        await conversation.say("And now?")
    assert memory.summary.covers == 4
    assert "B42" in memory.summary.text
    assert [m["role"] for m in seen[6]] == ["system", *["user", "assistant"] * 2, "user"]
    assert "B42" in seen[6][0]["content"]
    assert seen[7] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "And now?"},
    ]


async def test_a_function_may_stream() -> None:
    """An async generator's pieces are one reply."""

    async def answer(messages: list[dict[str, str]]) -> AsyncIterator[str]:
        for word in messages[-1]["content"].split():
            yield word.upper()

    async with Conversation(answer) as conversation:
        assert await conversation.say("a b c") == "ABC"


async def test_what_the_function_raises_is_a_failed_turn() -> None:
    """The cause is kept, and the thread is as it was."""

    async def answer(messages: list[dict[str, str]]) -> str:
        raise ConnectionError(messages[-1]["content"])

    async with Conversation(answer) as conversation:
        with pytest.raises(PlannerError, match="ConnectionError") as caught:
            await conversation.say("secret")
        assert "secret" not in str(caught.value)
        assert (await conversation.memory()).is_empty


@pytest.mark.parametrize("wrong", [7, None, b"bytes", ["a"]])
async def test_a_function_that_gives_no_text_is_told_so(wrong: object) -> None:
    """A reply that is no string fails the turn in a sentence, as everything else does."""

    async def answer(_: list[dict[str, str]]) -> str:
        return wrong  # type: ignore[return-value]

    async with Conversation(answer) as conversation:
        with pytest.raises(PlannerError, match="gives a str"):
            await conversation.say("hi")
        assert (await conversation.memory()).is_empty


async def test_a_conversation_works_inside_its_block_only() -> None:
    """Outside, where nothing folds, both ways in say so instead of waiting for ever."""

    async def answer(_: list[dict[str, str]]) -> str:
        return "Yes."

    conversation = Conversation(answer)
    with pytest.raises(RuntimeError, match="async with"):
        await conversation.say("hi")
    with pytest.raises(RuntimeError, match="async with"):
        await conversation.wait_folded()


def test_the_readme_example_runs() -> None:
    """The README's library example is at most ten lines, and works as printed."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    exec(compile(example, "README.md", "exec"), {"__name__": "__main__"})  # noqa: S102  # our own text
