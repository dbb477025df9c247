"""What each peer is put through, and how that is counted: the same turns, the same log for all.

A turn is *lost* if it was answered and what was planted in it stands nowhere in the prompt of the
last turn, once the summarizer is well and no work is left. A turn *waited* if it took a fifth of a
second longer than the planner took for it. A turn without an answer after ten seconds is given up,
and failed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise

import planted
from fake_model import PLANNER, FakeModel, Fault, Request
from player import Answer
from stage import Cast, Stage, staged

from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens

Figures = dict[str, object]
Scenario = Callable[[Cast], Awaitable[Figures]]

TURNS = 12
GIVEN_UP_AFTER = 10.0
_SLOW = 2.0
_WAITED = 0.2
_AT_ONCE = 4
_ROUNDS = 4
_LOOKED_AT = (10, 30, 60)
_GIVEN_UP = Answer(reply="", error="given up", seconds=GIVEN_UP_AFTER, cpu_us=0.0)


# --- waiting


async def waiting(cast: Cast) -> Figures:
    """Twelve turns with a planner that answers at once and a summarizer that takes 2 s."""
    async with staged(cast.peer, cast.python, FakeModel(summarizer_seconds=_SLOW)) as stage:
        answers = [await stage.say(number) for number in range(TURNS)]
        planner = [_planner_seconds(stage, number) for number in range(TURNS)]
    over = [a.seconds - seconds for a, seconds in zip(answers, planner, strict=True)]
    # The first turn also opens connections and loads what a library loads late.
    waited = [seconds for seconds in over[1:] if seconds >= _WAITED]
    return {
        "seconds": round(sum(waited), 1),
        "turns": len(waited),
        "failed": _failed(answers),
        "of": TURNS,
    }


def _planner_seconds(stage: Stage, number: int) -> float:
    named = planted.code(number)
    return sum(r.seconds for r in stage.model.asked(PLANNER) if named in r.words)


def _failed(answers: Sequence[Answer]) -> int:
    return sum(answer.error is not None for answer in answers)


# --- faults


async def faults(cast: Cast) -> Figures:
    """Twelve turns with each fault of the summarizer; then it is well, and one turn more."""
    if why := cast.cannot("memory"):
        return {"cannot": why}
    return {fault.value: await _with_fault(cast, fault) for fault in Fault}


async def _with_fault(cast: Cast, fault: Fault) -> Figures:
    async with staged(cast.peer, cast.python, FakeModel(fault=fault)) as stage:
        answers = [await _patiently(stage, number) for number in range(TURNS)]
        stage.model.fault = None
        stage.model.break_off()
        await stage.player.settle()
        return {"failed": _failed(answers), **await _lost(stage, answers), "of": TURNS}


async def _patiently(stage: Stage, number: int) -> Answer:
    """A turn, or its failure after ten seconds; what then still hangs is broken off."""
    turn = asyncio.create_task(stage.say(number))
    done, _ = await asyncio.wait([turn], timeout=GIVEN_UP_AFTER)
    if done:
        return turn.result()
    stage.model.break_off()
    await asyncio.wait([turn], timeout=4 * GIVEN_UP_AFTER)
    stage.model.hang_again()
    if turn.done():
        turn.result()
    else:
        turn.cancel()
    return _GIVEN_UP


async def _lost(stage: Stage, answers: Sequence[Answer]) -> Figures:
    """One more turn, and which of the answered ones its prompt does not hold."""
    last = len(answers)
    turn = asyncio.create_task(stage.say(last))
    await asyncio.wait([turn], timeout=GIVEN_UP_AFTER)
    turn.cancel()
    shown = planted.codes_in(stage.last_prompt())
    said = [number for number, answer in enumerate(answers) if answer.error is None]
    return {"lost": sum(planted.code(number) not in shown for number in said)}


# --- messages at once


async def concurrent(cast: Cast) -> Figures:
    """One message, then four rounds of four at once on the same thread."""
    if why := cast.cannot("turn at once"):
        return {"cannot": why}
    model = FakeModel(planner_seconds=0.2, summarizer_seconds=0.2)
    async with staged(cast.peer, cast.python, model) as stage:
        answers = [await stage.say(0)]
        for start in range(1, _ROUNDS * _AT_ONCE, _AT_ONCE):
            coming = (stage.say(number) for number in range(start, start + _AT_ONCE))
            answers += await asyncio.gather(*coming)
        await stage.player.settle()
        lost = await _lost(stage, answers)
        prompts = model.asked(PLANNER)
    return {
        "failed": _failed(answers),
        **lost,
        "of": len(answers),
        "not in turn": sum(not _alternates(prompt) for prompt in prompts),
        "prompts": len(prompts),
    }


def _alternates(prompt: Request) -> bool:
    """Whether user and assistant speak in turn, whatever system messages stand between them."""
    roles = [said.role for said in prompt.messages if said.role != "system"]
    return all(one != other for one, other in pairwise(roles)) and roles[-1:] == ["user"]


# --- a reset during a fold


async def reset(cast: Cast) -> Figures:
    """Talk until a summary is being made, reset meanwhile, and go on for six turns."""
    if why := cast.cannot("reset"):
        return {"cannot": why}
    async with staged(cast.peer, cast.python, FakeModel(summarizer_seconds=_SLOW)) as stage:
        said = await _until_folding(stage)
        if not said:
            return {"cannot": "it made no summary"}
        turn = said.pop()
        answer = await stage.player.reset("a")
        if not answer.get("done"):
            return {"cannot": str(answer.get("error", "it did not"))}
        await asyncio.wait([turn])
        await stage.player.settle()
        before = range(len(said) + 1)
        after = range(TURNS * 2, TURNS * 2 + 6)
        stage.model.summarizer_seconds = 0.0
        for number in after:
            await stage.say(number)
        shown = frozenset[str]().union(*(_codes_shown(stage, number) for number in after))
    return {"came back": sum(planted.code(n) in shown for n in before), "said": len(before)}


async def _until_folding(stage: Stage) -> list[asyncio.Task[Answer]]:
    """The turns up to the one in which, or after which, a summary was asked for; none if none."""
    turns: list[asyncio.Task[Answer]] = []
    for number in range(TURNS):
        turns.append(asyncio.create_task(stage.say(number)))
        folding = asyncio.create_task(stage.model.wait_summarizing())
        await asyncio.wait([turns[-1], folding], return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait([folding], timeout=0.5)
        if folding.done():
            return turns
        folding.cancel()
        await asyncio.wait([turns[-1]])
    return []


def _codes_shown(stage: Stage, number: int) -> frozenset[str]:
    prompt = stage.prompt(number)
    return frozenset() if prompt is None else planted.codes_in(prompt.text)


# --- tokens


async def tokens(cast: Cast) -> Figures:
    """The prompts of turns 10, 30 and 60, nothing left to do before each."""
    async with staged(cast.peer, cast.python, FakeModel()) as stage:
        figures: Figures = {}
        for number in range(max(_LOOKED_AT)):
            await stage.say(number)
            await stage.player.settle()
            if number + 1 in _LOOKED_AT:
                prompt = stage.prompt(number)
                figures[str(number + 1)] = tokens_of(prompt) if prompt else None
    return figures


def tokens_of(prompt: Request) -> int:
    return sum(estimate_tokens(said.text) + MESSAGE_TOKENS for said in prompt.messages)


# --- own work


async def work(cast: Cast) -> Figures:
    """The processor's time for a turn late in a talk: of the turn alone, and of all there is."""
    async with staged(cast.peer, cast.python, FakeModel()) as stage:
        taken: list[float] = []
        before = 0.0
        for number in range(max(_LOOKED_AT)):
            if number == _MEASURED.start:
                before = stage.player.processor_seconds()
            answer = await stage.say(number)
            await stage.player.settle()
            if number in _MEASURED:
                taken.append(answer.cpu_us)
        everything = (stage.player.processor_seconds() - before) / len(_MEASURED)
    return {"turn us": round(sorted(taken)[len(taken) // 2]), "all us": round(everything * 1e6)}


_MEASURED = range(30, 60)

SCENARIOS: dict[str, Scenario] = {
    "waiting": waiting,
    "faults": faults,
    "concurrent": concurrent,
    "reset": reset,
    "tokens": tokens,
    "work": work,
}
ALONE = {"work"}
"""What is measured while nothing else runs."""
