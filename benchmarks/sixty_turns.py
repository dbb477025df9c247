"""Sixty turns with a llama.cpp server as planner and first summarizer: what its folds are worth.

    python benchmarks/sixty_turns.py [--model default|tiny] [--turns 60] [--think 8]
    python benchmarks/sixty_turns.py --apple late|empty|refusing|inventing

The server listens on a port of this machine and is spoken to as any local server is. The person
thinks for some seconds after each reply, and after every third not at all. After every turn each
pair must be in window, pending or covered, once; and no turn may wait for a fold: none may run any
more when a turn's request is sent. With --apple the stand-in for Apple's model folds, badly, while
a function answers the turns. Exits 1 if any of it does not hold.
"""

import argparse
import asyncio
import json
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from talk import LINES

from pace.companion import Words
from pace.endpoint import LoopbackUrl
from pace.folders import Folders
from pace.folding import FOLD_TIME_LIMIT
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Prompt
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.planners.apple.planner import AppleFmPlanner
from pace.planners.catalogue import DEFAULT, TINY
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.function import FunctionPlanner
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import SUMMARIES, Planner, PlannerEvent, PlannerTraits, TextDelta, ThreadSummarizer
from pace.summarizers.chain import SummarizerChain, in_words
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.wiring import Parts, assemble

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from planners.apple.stand_in import (
    Asked,
    GuardrailViolationError,
    Reply,
    Script,
    StandInSdk,
)

THREAD = ThreadId("sixty")
REPLY_TOKENS, FOLD_TOKENS = 60, 800
INSTRUCTIONS = "You are Pace, a friendly companion. Answer in one or two short sentences."
# How long the stand-in keeps a fold, when it is to be late.
LATE_SECONDS = 0.3


@dataclass
class Seen:
    """What happened, turn by turn and fold by fold."""

    first_words: list[tuple[float, bool]] = field(default_factory=list)
    """Seconds to the first word, and whether a fold was stopped for the turn."""
    sent_at: float = 0.0
    """When the last turn's request was sent."""
    sent_after: list[float] = field(default_factory=list)
    """Seconds from a person's words to that."""
    made: Counter[str] = field(default_factory=Counter)
    """Summaries that were written and passed their guard, by who made them."""
    fold_seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    folds_running: int = 0


class Watched:
    """A planner whose folds are seen to end before a turn's request is sent."""

    def __init__(self, inner: Planner, seen: Seen) -> None:
        self._inner = inner
        self._seen = seen

    async def traits(self) -> PlannerTraits:
        return await self._inner.traits()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        is_fold = prompt.thread_id == SUMMARIES
        if self._seen.folds_running and not is_fold:
            self._seen.faults.append("a turn's request was sent while a fold's was running")
        self._seen.folds_running += is_fold
        began = time.perf_counter()
        if not is_fold:
            self._seen.sent_at = began
        try:
            async with aclosing(self._inner.stream(prompt)) as events:
                async for event in events:
                    yield event
        finally:
            self._seen.folds_running -= is_fold
            if is_fold:
                self._seen.fold_seconds.append(time.perf_counter() - began)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return await self._inner.count_tokens(texts)

    async def prepare(self, prompt: Prompt) -> int:
        return await self._inner.prepare(prompt)

    async def forget(self, thread_id: ThreadId) -> None:
        await self._inner.forget(thread_id)

    async def aclose(self) -> None:
        await self._inner.aclose()


class Counted:
    """A summarizer whose summaries are counted by who made them."""

    def __init__(self, inner: ThreadSummarizer, seen: Seen) -> None:
        self._inner = inner
        self._seen = seen
        self.name = inner.name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        update = await self._inner.summarize(fold)
        self._seen.made[update.made_by] += 1
        return update


@asynccontextmanager
async def served(model: str) -> AsyncIterator[tuple[Planner, Planner]]:
    """A llama.cpp server on a port, and who speaks to it: for turns, and at length for folds."""
    file = TINY if model == "tiny" else DEFAULT
    settings = EngineSettings(path=Folders.of().models / file.file, name=file.title)
    engine = await EngineProcess.start(settings, over_socket=False)
    key = engine.client.headers["Authorization"].removeprefix("Bearer ")
    url = LoopbackUrl(f"{engine.root}/v1")
    turns = OpenAiWirePlanner(url, key=key, options=lambda: ReplyOptions(reply_tokens=REPLY_TOKENS))
    folds = OpenAiWirePlanner(url, key=key, options=lambda: ReplyOptions(reply_tokens=FOLD_TOKENS))
    try:
        yield turns, folds
    finally:
        await turns.aclose()
        await folds.aclose()
        await engine.aclose()


async def answer(messages: list[dict[str, str]]) -> str:
    return f"Noted: {messages[-1]['content'][:80]}"


def apple_stand_in(how: str) -> Planner:
    """Apple's model as it is at its worst."""

    def reply(asked: Asked) -> Reply:
        if how == "refusing":
            return (GuardrailViolationError(asked.prompt),)
        if how == "empty":
            return (json.dumps({"summary": ""}),)
        if how == "inventing":
            return (json.dumps({"summary": "They met Zorblax in Ulm and paid 9,117 euros."}),)
        late = threading.Event()
        asyncio.get_running_loop().call_later(LATE_SECONDS, late.set)
        return (late, json.dumps({"summary": "The user plans a trip."}))

    return AppleFmPlanner(sdk=StandInSdk(Script(reply=reply)))


def check(memory: ThreadMemory, turns: int, seen: Seen, when: str) -> None:
    """Each pair is in window, pending or covered, once."""
    held = [pair.number for pair in (*memory.pending, *memory.window)]
    if [*range(1, memory.summary.covers + 1), *held] != list(range(1, turns + 1)):
        seen.faults.append(f"{when} turn {turns}: covered {memory.summary.covers}, held {held}")


async def talk(parts: Parts, seen: Seen, *, turns: int, think: float) -> None:
    """The conversation, as a person might hold it."""
    for turn, line in enumerate(LINES[:turns], 1):
        folds = parts.folding.outcomes["pre-empted"]
        began = time.perf_counter()
        first: list[float] = []

        async def say(
            event: PlannerEvent, began: float = began, first: list[float] = first
        ) -> None:
            if isinstance(event, TextDelta) and not first:
                first.append(time.perf_counter() - began)

        await parts.companion.take_turn(THREAD, Words(text=line), say)
        stopped = parts.folding.outcomes["pre-empted"] > folds
        seen.sent_after.append(seen.sent_at - began)
        seen.first_words += [(seconds, stopped) for seconds in first]
        memory = await parts.companion.memory(THREAD)
        check(memory, turn, seen, "after")
        print(
            f"turn {turn:>2}  first word {first[0]:5.2f} s{' (a fold was stopped)' * stopped}  "
            f"pending {len(memory.pending)}, covered {memory.summary.covers} "
            f"by {memory.summary.made_by or 'nobody'}",
            flush=True,
        )
        if turn % 3:
            await asyncio.sleep(think)
            check(await parts.companion.memory(THREAD), turn, seen, "while thinking after")
    await parts.background.wait_done(THREAD)
    check(await parts.companion.memory(THREAD), turns, seen, "at the end, after")


def tell(parts: Parts, chain: SummarizerChain, seen: Seen) -> None:
    """The figures."""
    outcomes = parts.folding.outcomes
    print(f"\nfolds that ended, by how: {dict(outcomes.most_common())}")
    print(
        f"summaries that passed, by who made them: {dict(seen.made)}; landed {outcomes['applied']}"
    )
    print(f"turned down: {in_words(chain.turned_down) or 'none'}")
    if seen.fold_seconds:
        print(f"a model's fold took {statistics.median(seen.fold_seconds):.1f} s (median)")
    if max(seen.sent_after) > 0:
        print(f"a turn's request was sent within {max(seen.sent_after):.2f} s of the words")
    for stopped, which in ((False, "other turns"), (True, "turns that stopped a fold")):
        seconds = [each for each, did in seen.first_words if did is stopped]
        if seconds:
            print(
                f"first word, {which} ({len(seconds)}): median {statistics.median(seconds):.2f} s, "
                f"longest {max(seconds):.2f} s"
            )
    print("\n".join(seen.faults) or "no turn waited for a fold, and each pair was held once")


async def run(asked: argparse.Namespace) -> int:
    seen = Seen()
    if asked.apple:
        turns: Planner = FunctionPlanner(answer, context_tokens=8192)
        apple = apple_stand_in(asked.apple)
        chain = SummarizerChain.of(turns, name="local", apple=apple, time_limit=FOLD_TIME_LIMIT)
        return await measured(turns, chain, asked, seen)
    async with served(asked.model) as (turns, folds):
        watched = Watched(folds, seen)
        chain = SummarizerChain.of(watched, name="local", time_limit=FOLD_TIME_LIMIT)
        return await measured(Watched(turns, seen), chain, asked, seen)


async def measured(
    planner: Planner, chain: SummarizerChain, asked: argparse.Namespace, seen: Seen
) -> int:
    parts = assemble(
        planner,
        system=lambda: INSTRUCTIONS,
        reply_tokens=lambda: REPLY_TOKENS,
        limits=ThreadLimits(window_size=4),
        model=Counted(chain, seen),
        model_on_engine=not asked.apple,
        fallback=Counted(ExtractiveSummarizer(), seen),
    )
    work = asyncio.create_task(parts.companion.run())
    usual = 0.1 if asked.apple else 8.0
    think = usual if asked.think is None else asked.think
    try:
        await talk(parts, seen, turns=asked.turns, think=think)
    finally:
        work.cancel()
        await asyncio.wait([work])
    tell(parts, chain, seen)
    return bool(seen.faults)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--think", type=float, help="seconds between a reply and the next words")
    parser.add_argument("--apple", choices=("late", "empty", "refusing", "inventing"))
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
