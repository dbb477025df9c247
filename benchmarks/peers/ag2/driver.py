"""AG2 as https://docs.ag2.ai/latest/docs/beta/advanced/compaction has it.

An agent with `SummarizeCompact`; as there, the trigger is twice the number of events that are kept.
The knowledge store that compaction is a part of is there for it alone: no tool and no log.
"""

from importlib.metadata import version
from typing import Any

from ag2 import Agent, KnowledgeConfig
from ag2.compact import CompactTrigger, SummarizeCompact
from ag2.config import OpenAIConfig
from ag2.knowledge import MemoryKnowledgeStore
from ag2.stream import MemoryStream
from lines import Asked, speak


class Ag2:
    def __init__(self, asked: Asked) -> None:
        self._kept = 2 * asked.window_pairs
        self._summary_tokens = asked.summary_tokens
        planner = OpenAIConfig(model="planner", base_url=asked.base_url, api_key=asked.api_key)
        summarizer = OpenAIConfig(
            model="summarizer",
            base_url=asked.base_url,
            api_key=asked.api_key,
            max_tokens=asked.summary_tokens,
        )
        self._agent = Agent(
            "assistant",
            prompt=asked.system,
            config=planner,
            knowledge=KnowledgeConfig(
                store=MemoryKnowledgeStore(),
                expose_tool=False,
                write_event_log=False,
                compact=SummarizeCompact(target=self._kept, config=summarizer),
                compact_trigger=CompactTrigger(max_events=2 * self._kept),
            ),
        )
        self._threads: dict[str, MemoryStream] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._threads:
            await self.reset(thread)
        reply = await self._agent.ask(text, stream=self._threads[thread])
        return str(reply.body)

    async def reset(self, thread: str) -> None:
        self._threads[thread] = MemoryStream()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "AG2 SummarizeCompact",
            "version": version("ag2"),
            "settings": {
                "target": self._kept,
                "max_events": 2 * self._kept,
                "max_tokens of a summary": self._summary_tokens,
            },
            "cannot": {"no model": "without one it drops (TailWindowCompact)"},
        }


speak(Ag2(Asked.here()))
