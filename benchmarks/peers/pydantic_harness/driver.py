"""Pydantic AI Harness as the page of its compaction has it, with `SummarizingCompaction`.

https://github.com/pydantic/pydantic-ai/tree/main/src/pydantic_ai_harness/pydantic_ai_harness/compaction
It summarizes in the turn, at eight turns, and keeps four. Summaries that are made ahead of time,
which it offers as an experiment, are `pydantic_harness_background`.
"""

from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from pydantic_ai import Agent, ModelMessage, ModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai_harness import SummarizingCompaction


class PydanticHarness:
    def __init__(self, asked: Asked) -> None:
        self._kept = 2 * asked.window_pairs + 1  # the new message is among them
        self._most = 4 * asked.window_pairs
        self._summary_tokens = asked.summary_tokens
        provider = OpenAIProvider(base_url=asked.base_url, api_key=asked.api_key)
        self._agent = Agent(
            OpenAIChatModel("planner", provider=provider),
            instructions=asked.system,
            capabilities=[
                SummarizingCompaction(
                    OpenAIChatModel("summarizer", provider=provider),
                    model_settings=ModelSettings(max_tokens=asked.summary_tokens),
                    max_messages=self._most,
                    keep_messages=self._kept,
                )
            ],
        )
        self._threads: dict[str, list[ModelMessage]] = {}

    async def turn(self, thread: str, text: str) -> str:
        held = self._threads.setdefault(thread, [])
        result = await self._agent.run(text, message_history=list(held))
        held[:] = result.all_messages()
        return result.output

    async def reset(self, thread: str) -> None:
        self._threads[thread] = []

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Pydantic AI Harness SummarizingCompaction",
            "version": version("pydantic-ai-harness"),
            "settings": {
                "max_messages": self._most,
                "keep_messages": self._kept,
                "max_tokens of a summary": self._summary_tokens,
                "preserve_first_user_message": "default: true",
            },
            "cannot": {
                "turn at once": "its caller holds the history and gives it to each run",
                "no model": "without one it drops (SlidingWindowCompaction)",
            },
        }


speak(PydanticHarness(Asked.here()))
