"""Agent Framework with `SummarizationStrategy`, as its page on compaction has it.

https://learn.microsoft.com/agent-framework/agents/conversations/compaction
What its history holds is summarized after each run: by `before_strategy` the summary would be of
that run only. As there, half as many messages above those it keeps before it summarizes.
"""

import os
from importlib.metadata import version
from typing import Any

os.environ["AGENT_FRAMEWORK_USER_AGENT_DISABLED"] = "true"  # read when the library is imported

from agent_framework import (
    Agent,
    AgentSession,
    CompactionProvider,
    InMemoryHistoryProvider,
    SummarizationStrategy,
)
from agent_framework.openai import OpenAIChatCompletionClient
from lines import Asked, speak


class AgentFramework:
    def __init__(self, asked: Asked) -> None:
        self._target, self._above = 2 * asked.window_pairs, asked.window_pairs
        planner, summarizer = (
            OpenAIChatCompletionClient(name, base_url=asked.base_url, api_key=asked.api_key)
            for name in ("planner", "summarizer")
        )
        history = InMemoryHistoryProvider(skip_excluded=True)
        compaction = CompactionProvider(
            after_strategy=SummarizationStrategy(
                client=summarizer, target_count=self._target, threshold=self._above
            ),
            history_source_id=history.source_id,
        )
        self._agent = Agent(
            client=planner,
            name="assistant",
            instructions=asked.system,
            context_providers=[history, compaction],
        )
        self._threads: dict[str, AgentSession] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._threads:
            await self.reset(thread)
        session = self._threads[thread]
        response = await self._agent.run(text, session=session)
        return str(response.text)

    async def reset(self, thread: str) -> None:
        self._threads[thread] = self._agent.create_session()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Agent Framework SummarizationStrategy",
            "version": version("agent-framework-core"),
            "settings": {
                "after_strategy": "SummarizationStrategy",
                "target_count": self._target,
                "threshold": self._above,
                "max_summary_input_tokens": "default: 8000",
                "history": "InMemoryHistoryProvider, skip_excluded",
            },
            "cannot": {"no model": "without one it drops (SlidingWindowStrategy)"},
        }


speak(AgentFramework(Asked.here()))
