"""What a turn waits for: nothing of a slow fold, at most a batch of a running fold or prepare.

python benchmarks/waits.py [--model default|tiny]
"""

import argparse
import asyncio
import statistics
import time
from contextlib import aclosing

from pace.asked import Words
from pace.folders import Folders
from pace.memory.fitting import Room, compose
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Draft, Prompt
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId
from pace.planners.catalogue import DEFAULT, TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineSettings
from pace.planners.function import FunctionPlanner
from pace.planners.options import ReplyOptions
from pace.ports import PlannerEvent, Reading, ThreadSummarizer
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.summarizers.model import ModelSummarizer
from pace.wiring import assemble

TURNS = 200
SLOW_SECONDS = 10.0
TRIES = 10


class Slow:
    """Folds after ten seconds, like a model on a busy machine."""

    name = "slow"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        await asyncio.sleep(SLOW_SECONDS)
        return await ExtractiveSummarizer().summarize(fold)


async def unheard(event: PlannerEvent) -> None:
    """The reply is not looked at."""


async def turn_seconds(summarizer: ThreadSummarizer) -> list[float]:
    """The time of each turn with a planner that answers at once, its folds made by this one."""

    async def answer(messages: list[dict[str, str]]) -> str:
        return f"You said {len(messages)} things."

    parts = assemble(
        FunctionPlanner(answer, context_tokens=8192),
        system=lambda: "Be brief.",
        reply_tokens=lambda: 256,
        limits=ThreadLimits(window_size=4),
        fallback=summarizer,
    )
    work = asyncio.create_task(parts.companion.run())
    took = []
    for n in range(TURNS):
        began = time.perf_counter()
        words = Words(text=f"Tell me about number {n}, please.")
        await parts.companion.take_turn(ThreadId("bench"), words, unheard)
        took.append(time.perf_counter() - began)
        await asyncio.sleep(0)
    work.cancel()
    await asyncio.wait([work])
    return took


def long_prompt(mark: str) -> Prompt:
    """About 900 tokens that no cache knows, and a short question."""
    draft = Draft(
        thread_id=ThreadId("bench"),
        session_id=SessionId("bench"),
        system=f"{mark}. " + "The quick brown fox jumps over the lazy dog. " * 90,
        words="What jumps?",
        window=(),
        pending=(),
        summary="",
    )
    prompt = compose(draft, Room(context_tokens=8192, reply_tokens=256), estimate_tokens)
    if not isinstance(prompt, Prompt):
        raise TypeError("the prompt does not fit")
    return prompt


async def first_batch(planner: EmbeddedPlanner, prompt: Prompt) -> float:
    """From the call to the end of its first batch, in seconds; the rest is not read."""
    began = time.perf_counter()
    async with aclosing(planner.stream(prompt)) as events:
        async for event in events:
            if isinstance(event, Reading) and event.done:
                return time.perf_counter() - began
    raise RuntimeError("the engine tells no progress")


async def early_turns(planner: EmbeddedPlanner) -> tuple[list[float], list[float]]:
    """The first batch on a free engine, and on one that was preparing something else."""
    alone, early = [], []
    await planner.start()
    for n in range(TRIES):
        alone.append(await first_batch(planner, long_prompt(f"alone {n}")))
        prepare = asyncio.create_task(planner.prepare(long_prompt(f"ahead {n}")))
        await asyncio.sleep(0.5 + 0.07 * n)
        early.append(await first_batch(planner, long_prompt(f"early {n}")))
        await prepare
    return alone, early


async def turns_during_folds(planner: EmbeddedPlanner) -> list[float]:
    """The first batch of a turn that comes while the same engine folds; it reads, then writes."""

    async def answer(messages: list[dict[str, str]]) -> str:
        return f"Noted, message {len(messages)}: " + "the blue kettle costs 49 euros. " * 6

    parts = assemble(
        FunctionPlanner(answer, context_tokens=8192),
        system=lambda: "Be brief.",
        reply_tokens=lambda: 256,
        limits=ThreadLimits(window_size=1),
        model=ModelSummarizer(planner, name="embedded"),
    )
    work = asyncio.create_task(parts.companion.run())
    took = []
    for n in range(TRIES):
        thread_id = ThreadId(f"folded {n}")
        for text in ("Which kettles are there?", "And in blue?"):
            await parts.companion.take_turn(thread_id, Words(text=text), unheard)
        await asyncio.sleep(0.5 + 0.8 * n)
        if not parts.background.is_due(thread_id):
            raise RuntimeError("the fold was over before the turn came")
        with parts.background.turn():
            took.append(await first_batch(planner, long_prompt(f"fold {n}")))
        await parts.companion.reset(thread_id)
    work.cancel()
    await asyncio.wait([work])
    return took


def tell_waits(during: str, seconds: list[float], batch: float) -> None:
    waits = [max(0.0, each - batch) for each in seconds]
    print(
        f"  during a {during} it waits {statistics.median(waits):.2f} s more, at most "
        f"{max(waits):.2f} s: {max(waits) / batch:.1f} batches"
    )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    asked = parser.parse_args()
    quick = await turn_seconds(ExtractiveSummarizer())
    slow = await turn_seconds(Slow())
    ratio = statistics.median(slow) / statistics.median(quick)
    print(f"{TURNS} turns, all but the model: a fold of 5 ms and one of {SLOW_SECONDS:.0f} s")
    print(
        f"  median {statistics.median(quick) * 1e3:.2f} ms and {statistics.median(slow) * 1e3:.2f}"
    )
    print(f"  longest {max(quick) * 1e3:.2f} ms and {max(slow) * 1e3:.2f}; ratio {ratio:.2f}")
    file = TINY if asked.model == "tiny" else DEFAULT
    # Both models say that they cannot summarize; how long a turn waits does not ask how well.
    settings = EngineSettings(
        path=Folders.of().models / file.file, name=file.title, summarizes=True
    )
    planner = EmbeddedPlanner(settings, options=lambda: ReplyOptions(reply_tokens=800))
    try:
        alone, prepared = await early_turns(planner)
        folded = await turns_during_folds(planner)
    finally:
        await planner.aclose()
    batch = statistics.median(alone)
    print(f"{TRIES} turns on {file.title}: its first batch of 64 tokens takes {batch:.2f} s alone")
    tell_waits("prepare", prepared, batch)
    tell_waits("fold", folded, batch)


if __name__ == "__main__":
    asyncio.run(main())
