"""The local tier over a real llama.cpp server at a port: what it reads ahead, and lets go of."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from pace.endpoint import LoopbackUrl
from pace.memory.prompt import Prompt, ReplyForm
from pace.planners.client import open_client
from pace.planners.local.looking import find_servers
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import Finished, Notice, TextDelta
from planners.prompts import prompt_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

WINDOW = tuple((f"What about {n}?", f"The number {n} is a fine number. " * 5) for n in range(4))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def llama(tiny: Path) -> AsyncIterator[str]:
    """The address of a running server with two slots, which it gives out itself."""
    program = Path(__file__).with_name("llama_program.py")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(program), str(tiny), "2"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={"GOMP_SPINCOUNT": "1000", **os.environ},  # as the engine of ours, and why
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield (await process.stdout.readline()).decode().strip()
    process.stdin.close()
    await process.wait()


@pytest_asyncio.fixture(loop_scope="session")
async def planner(llama: str) -> AsyncIterator[OpenAiWirePlanner]:
    planner = OpenAiWirePlanner(
        LoopbackUrl(f"{llama}/v1"), options=lambda: ReplyOptions(temperature=0, reply_tokens=4)
    )
    yield planner
    await planner.aclose()


async def finish_of(planner: OpenAiWirePlanner, prompt: Prompt) -> Finished:
    async with aclosing(planner.stream(prompt)) as events:
        *others, last = [event async for event in events]
    assert isinstance(last, Finished)
    assert not [event for event in others if isinstance(event, Notice)]
    return last


async def is_reading(llama: str) -> bool:
    async with open_client() as client:
        slots = (await client.get(f"{llama}/slots")).json()
    return any(slot["is_processing"] for slot in slots)


async def test_a_real_server_says_what_it_is(planner: OpenAiWirePlanner) -> None:
    """Its model, the context of one slot, and what it can do are read from it."""
    traits = await planner.traits()
    assert (traits.model, traits.context_tokens) == ("tiny", 2048)
    assert (traits.prepares, traits.constrains, traits.assumes_context) == (True, True, False)
    assert await planner.models() == ("tiny",)


async def test_what_was_prepared_is_not_read_again(planner: OpenAiWirePlanner) -> None:
    """After a prepare the next turn finds the whole prefix read, whatever its words are."""
    held = await planner.prepare(prompt_of("?", system="Be Pace.", window=WINDOW))
    asked = prompt_of("Good day to you all.", system="Be Pace.", window=WINDOW)
    finished = await finish_of(planner, asked)
    assert held > 200
    assert finished.cached_tokens is not None
    assert finished.cached_tokens >= held - 1


async def test_a_prepare_that_is_stopped_stops_the_server(
    llama: str, planner: OpenAiWirePlanner
) -> None:
    """B34: a closed connection ends the server's reading, and the turn goes on from there."""
    window = tuple((f"And {n}?", f"Well, {n} is one more of them. " * 5) for n in range(10))
    preparing = asyncio.create_task(planner.prepare(prompt_of("?", system="Hm.", window=window)))
    while not await is_reading(llama):
        pass
    preparing.cancel()
    await asyncio.wait([preparing])
    while await is_reading(llama):
        pass
    finished = await finish_of(planner, prompt_of("Hi.", system="Hm.", window=window))
    assert finished.prompt_tokens is not None
    assert finished.cached_tokens is not None
    assert finished.cached_tokens < finished.prompt_tokens * 3 // 4


@pytest.mark.parametrize("grammar", ["", 'root ::= "{\\"a\\": \\"" [a-z]{1,3} "\\"}"'])
async def test_a_real_server_holds_a_reply_to_its_form(llama: str, grammar: str) -> None:
    """A model that would never write JSON by itself does under a schema, or a grammar."""
    planner = OpenAiWirePlanner(
        LoopbackUrl(f"{llama}/v1"),
        options=lambda: ReplyOptions(temperature=0, reply_tokens=64),
    )
    schema = (
        '{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}},'
        ' "required": ["a"], "additionalProperties": false}'
    )
    prompt = replace(prompt_of("Say hello."), reply_form=ReplyForm(schema, grammar))
    async with aclosing(planner), aclosing(planner.stream(prompt)) as events:
        text = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    assert text.startswith("{")
    assert text.endswith("}")
    assert '"a"' in text


async def test_a_real_server_is_found(llama: str) -> None:
    """Whoever looks is told its kind and its one model."""
    address = LoopbackUrl(f"{llama}/v1")
    (found,) = await find_servers(addresses=[address])
    assert found.offer == f"llama.cpp at {llama.removeprefix('http://')}, 1 model"
    assert (found.models, found.context_tokens) == (("tiny",), 2048)
