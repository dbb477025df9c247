"""Time to the first token over one conversation on the model of this machine, as ratios.

    python benchmarks/first_token.py [--turns 60] [--model default|tiny] [--modes prepared,...]

Modes, one after the other, each a conversation of its own over the same lines:
  prepared    Pace as it is; the person reads until the prefix is prepared
  floor       within `prepared`: each prompt once more, with all but the new words in the cache
  at once     Pace as it is; the person answers at once, so that the prepare is pre-empted
  unprepared  Pace without prepare
  full        the whole history each time, without Pace's memory
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from talk import LINES

from pace.asked import Words
from pace.clock import SystemClock
from pace.folders import Folders
from pace.memory.fitting import Room, compose
from pace.memory.limits import ThreadLimits
from pace.memory.prompt import Draft, Message, Prompt, Role
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId
from pace.planners.catalogue import DEFAULT, TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.options import ReplyOptions
from pace.ports import Planner, PlannerEvent, TextDelta
from pace.wiring import Parts, assemble

THREAD = ThreadId("bench")
SYSTEM = "You are Pace, a friendly companion. Answer in one or two short sentences."
REPLY_TOKENS = 60


@dataclass
class Series:
    """First-token times of one mode, in seconds, by turn."""

    name: str
    seconds: list[float] = field(default_factory=list)

    def median(self, first: int, last: int) -> float:
        return statistics.median(self.seconds[first - 1 : last])


class Watch:
    """Notes when a reply's first words come."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.first_token: float | None = None

    async def hear(self, event: PlannerEvent) -> None:
        if isinstance(event, TextDelta) and self.first_token is None:
            self.first_token = time.perf_counter() - self._began


class Unprepared:
    """A planner that never reads ahead; everything else is the inner one's."""

    def __init__(self, inner: Planner) -> None:
        self._inner = inner
        self.stream = inner.stream
        self.count_tokens = inner.count_tokens
        self.forget = inner.forget
        self.aclose = inner.aclose
        self.traits = inner.traits

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002
        return 0


class Recorded:
    """A planner that remembers the last prompt it was sent."""

    def __init__(self, inner: Planner) -> None:
        self._inner = inner
        self.last: Prompt | None = None
        self.count_tokens = inner.count_tokens
        self.forget = inner.forget
        self.aclose = inner.aclose
        self.prepare = inner.prepare
        self.traits = inner.traits

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        self.last = prompt
        async with aclosing(self._inner.stream(prompt)) as events:
            async for event in events:
                yield event


@asynccontextmanager
async def companion(planner: Planner) -> AsyncIterator[Parts]:
    parts = assemble(
        planner,
        system=lambda: SYSTEM,
        reply_tokens=lambda: REPLY_TOKENS,
        limits=ThreadLimits(),
    )
    work = asyncio.create_task(parts.companion.run())
    try:
        yield parts
    finally:
        await parts.companion.reset(THREAD)
        work.cancel()
        await asyncio.wait([work])


async def first_token_of(planner: Planner, prompt: Prompt) -> float:
    """Stream a prompt until its first words, and stop."""
    watch = Watch()
    async with aclosing(planner.stream(prompt)) as events:
        async for event in events:
            await watch.hear(event)
            if watch.first_token is not None:
                return watch.first_token
    raise RuntimeError("the model said nothing")


async def talk(
    planner: Planner, lines: tuple[str, ...], series: Series, *, reads: bool, floor: Series | None
) -> None:
    recorded = Recorded(planner)
    async with companion(recorded) as parts:
        parts.background.nudge(THREAD)
        for line in lines:
            if reads:
                await parts.background.wait_done(THREAD)
            watch = Watch()
            await parts.companion.take_turn(THREAD, Words(text=line), watch.hear)
            series.seconds.append(watch.first_token or 0.0)
            if floor is not None and recorded.last is not None:
                with parts.background.turn():
                    await planner.prepare(recorded.last)
                    floor.seconds.append(await first_token_of(planner, recorded.last))
            show(series, floor)


async def talk_in_full(planner: Planner, lines: tuple[str, ...], series: Series) -> None:
    """What a chat without any memory management does: send everything, every time."""
    messages = [Message(Role.SYSTEM, SYSTEM)]
    traits = await planner.traits()
    empty = ThreadMemory(
        thread_id=THREAD, session_id=SessionId("full"), last_active_at=SystemClock().now()
    )
    for line in lines:
        messages.append(Message(Role.USER, line))
        room = Room(context_tokens=traits.context_tokens, reply_tokens=REPLY_TOKENS)
        frame = compose(Draft.of(empty, system=SYSTEM, words=line), room, estimate_tokens)
        if not isinstance(frame, Prompt):
            raise TypeError("the line alone does not fit")
        prompt = Prompt(
            thread_id=THREAD,
            session_id=SessionId("full"),
            messages=tuple(messages),
            parts=frame.parts,
        )
        watch, reply = Watch(), ""
        async with aclosing(planner.stream(prompt)) as events:
            async for event in events:
                await watch.hear(event)
                reply += event.text if isinstance(event, TextDelta) else ""
        messages.append(Message(Role.ASSISTANT, reply))
        series.seconds.append(watch.first_token or 0.0)
        show(series, None)


def show(series: Series, floor: Series | None) -> None:
    turn = len(series.seconds)
    beside = f"  floor {floor.seconds[-1]:.2f} s" if floor is not None and floor.seconds else ""
    print(f"{series.name:>10}  turn {turn:>2}  {series.seconds[-1]:.2f} s{beside}", flush=True)


def report(results: list[Series], floor: Series, turns: int) -> None:
    """Medians over the turns after the window slides, and beside the floor."""
    base = floor.median(6, turns)
    third = max(6, turns // 3)
    print(f"\nMedian first-token time, turns 6 to {turns}, and beside the floor of {base:.2f} s:")
    for series in [floor, *results]:
        middle = series.median(6, turns)
        early, late = series.median(6, third), series.median(turns - third + 1, turns)
        worst = max(series.seconds[5:turns])
        print(
            f"{series.name:>10}  {middle:6.2f} s  {middle / base:5.2f}x   turns 6-{third}: "
            f"{early:.2f} s   last {third}: {late:.2f} s   worst {worst:.2f} s"
        )


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    parser.add_argument("--modes", default="prepared,at once,unprepared,full")
    asked = parser.parse_args()
    lines = LINES[: asked.turns]
    file = TINY if asked.model == "tiny" else DEFAULT
    planner = EmbeddedPlanner.of(
        file,
        Folders.of().models / file.file,
        options=lambda: ReplyOptions(temperature=0.0, reply_tokens=REPLY_TOKENS),
    )
    floor = Series("floor")
    results: list[Series] = []
    try:
        for mode in asked.modes.split(","):
            series = Series(mode)
            results.append(series)
            if mode == "full":
                await talk_in_full(planner, lines, series)
            else:
                used = Unprepared(planner) if mode == "unprepared" else planner
                await talk(
                    used,
                    lines,
                    series,
                    reads=mode != "at once",
                    floor=floor if mode == "prepared" else None,
                )
            await planner.forget(THREAD)
    finally:
        await planner.aclose()
    report(results, floor, len(lines))


if __name__ == "__main__":
    asyncio.run(main())
