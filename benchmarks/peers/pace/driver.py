"""Pace as `docs/tiers.md` has it for a server of one's own, with summaries by a model there.

Its limits are the defaults: four turns word for word, 400 tokens of summary. With `no_model` the
extractive summarizer makes all summaries, as it does whenever a model's is no good.
"""

import asyncio
from importlib.metadata import version
from typing import Any

from lines import Asked, speak

from pace.asked import Words
from pace.endpoint import LoopbackUrl
from pace.memory.limits import ThreadLimits
from pace.memory.turn import ThreadId
from pace.planners.options import ReplyOptions
from pace.planners.wire import OpenAiWirePlanner
from pace.ports import PlannerEvent
from pace.summarizers.chain import SummarizerChain
from pace.wiring import assemble


class Pace:
    def __init__(self, asked: Asked) -> None:
        self._no_model = asked.no_model
        self._limits = ThreadLimits(
            window_size=asked.window_pairs, summary_tokens=asked.summary_tokens
        )
        options = ReplyOptions()
        base = LoopbackUrl(asked.base_url)
        planner = OpenAiWirePlanner(base, model="planner", key=asked.api_key)
        summarizer = OpenAiWirePlanner(base, model="summarizer", key=asked.api_key)
        self._parts = assemble(
            planner,
            system=lambda: asked.system,
            reply_tokens=lambda: options.reply_tokens,
            limits=self._limits,
            model=None if asked.no_model else SummarizerChain.of(summarizer, name="summarizer"),
            model_on_engine=False,
        )
        self._threads: set[ThreadId] = set()
        self._running: asyncio.Task[None] | None = None

    async def turn(self, thread: str, text: str) -> str:
        if self._running is None:
            self._running = asyncio.create_task(self._parts.companion.run())
        thread_id = ThreadId(thread)
        self._threads.add(thread_id)
        report = await self._parts.companion.take_turn(thread_id, Words(text=text), _heard)
        return report.text

    async def reset(self, thread: str) -> None:
        await self._parts.companion.reset(ThreadId(thread))

    async def settle(self) -> None:
        for thread_id in self._threads:
            await self._parts.background.wait_done(thread_id)

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Pace",
            "version": version("pace"),
            "settings": {
                "window": self._limits.window_size,
                "summary_tokens": self._limits.summary_tokens,
                "summaries": "extractive" if self._no_model else "model, guarded",
            },
        }


async def _heard(event: PlannerEvent) -> None:
    """The reply is given whole at its end."""


speak(Pace(Asked.here()))
