"""Sixty turns while Apple's model folds, well or badly: none waits, each pair is held once."""

import asyncio
import json
import re
import threading
from collections.abc import Callable

import pytest

from pace.asked import Words
from pace.memory.thread import ThreadMemory
from pace.planners.apple.planner import AppleFmPlanner
from pace.planners.function import ChatMessages, FunctionPlanner
from pace.summarizers.chain import SummarizerChain
from pace.wiring import Parts
from planners.apple.stand_in import Asked, GuardrailViolationError, Reply, Script, StandInSdk
from turns import THREAD, Companions, unheard

TURNS = 60


def summary(text: str) -> str:
    return json.dumps({"summary": text})


def faithful(asked: Asked) -> Reply:
    """What an able model might write: every number that it was told, and nothing else."""
    lists = re.findall(r"numbers? (?:is|are) ([\d, ]+)", asked.prompt)
    told = {int(number) for listed in lists for number in re.findall(r"\d+", listed)}
    return (summary(f"The user's numbers are {', '.join(map(str, sorted(told)))}."),)


BAD: dict[str, tuple[Callable[[Asked], Reply], str]] = {
    "empty": (lambda _: (summary(""),), "empty"),
    "no words": (lambda _: ("",), "empty"),
    "refusing": (lambda asked: (GuardrailViolationError(asked.prompt),), "planner refused"),
    "declining": (lambda _: (summary("I'm sorry, but I can't help with that."),), "refusal"),
    "inventing": (lambda _: (summary("They met Zorblax in Ulm."),), "unfounded name or number"),
    "cut": (lambda _: ('{"summary": "The user cou',), "cut off"),
}


async def answer(messages: ChatMessages) -> str:
    return f"Noted, the number is {messages[-1]['content'].split()[-1]}"


def assert_each_pair_is_somewhere_once(memory: ThreadMemory, turns: int) -> None:
    """R2, as of now."""
    held = [pair.number for pair in (*memory.pending, *memory.window)]
    assert [*range(1, memory.summary.covers + 1), *held] == list(range(1, turns + 1))


@pytest.mark.parametrize("how", BAD)
async def test_what_apples_model_gets_wrong_is_folded_all_the_same(
    companions: Companions, how: str
) -> None:
    """R6: each bad summary is counted by its reason, and the extractive one covers the pairs."""
    script = Script(reply=BAD[how][0])
    turns = FunctionPlanner(answer, context_tokens=8192)
    chain = SummarizerChain.of(turns, name="local", apple=AppleFmPlanner(sdk=StandInSdk(script)))
    async with companions(turns, model=chain, model_on_engine=False) as parts:
        for turn in range(1, TURNS + 1):
            words = Words(text=f"My number is {turn}.")
            await parts.companion.take_turn(THREAD, words, unheard)
            assert_each_pair_is_somewhere_once(await parts.companion.memory(THREAD), turn)
            if turn % 3 == 0:
                await parts.background.wait_done(THREAD)
                memory = await parts.companion.memory(THREAD)
                assert_each_pair_is_somewhere_once(memory, turn)
                assert not memory.pending
        assert (await parts.companion.memory(THREAD)).summary.made_by == "extractive"
    assert set(chain.turned_down) == {("apple", BAD[how][1])}
    # After failures in a row a model rests, so that it is not asked at each of the folds.
    assert 2 <= chain.turned_down.total() == len(script.asked) < TURNS // 3


async def test_no_turn_waits_for_an_apple_model_that_is_late(companions: Companions) -> None:
    """R5: turn after turn is answered while a fold is held; it lands late, and covers its pairs."""
    held: list[threading.Event] = []

    def slow(asked: Asked) -> Reply:
        held.append(threading.Event())
        return (held[-1], *faithful(asked))

    turns = FunctionPlanner(answer, context_tokens=8192)
    apple = AppleFmPlanner(sdk=StandInSdk(Script(reply=slow)))
    chain = SummarizerChain.of(turns, name="local", apple=apple)
    beside_a_fold = 0
    async with companions(turns, model=chain, model_on_engine=False) as parts:
        for turn in range(1, TURNS + 1):
            words = Words(text=f"My number is {turn}.")
            await parts.companion.take_turn(THREAD, words, unheard)
            assert_each_pair_is_somewhere_once(await parts.companion.memory(THREAD), turn)
            beside_a_fold += any(not gate.is_set() for gate in held)
            if turn % 7 == 0 or turn == TURNS:
                await _wait_folded(parts, held)
                memory = await parts.companion.memory(THREAD)
                assert_each_pair_is_somewhere_once(memory, turn)
                assert not memory.pending
                assert not chain.turned_down
                assert memory.summary.made_by == "apple"
    assert beside_a_fold > TURNS // 3
    assert parts.folding.outcomes["applied"] == len(held)
    assert not chain.turned_down


async def _wait_folded(parts: Parts, held: list[threading.Event]) -> None:
    """Let every fold go on, also those that come meanwhile, until none is due."""
    while parts.background.is_due(THREAD):  # a fold may begin at any step
        for gate in held:
            gate.set()
        await asyncio.sleep(0)
