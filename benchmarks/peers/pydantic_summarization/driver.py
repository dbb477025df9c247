"""summarization-pydantic-ai as https://pypi.org/project/summarization-pydantic-ai/0.1.11 has it.

The capability that is recommended there, with four turns kept where the default keeps none. With
Pydantic AI 2 its summaries do not stay in the history, and every turn summarizes all of it anew; so
it is measured with Pydantic AI 1.
"""

from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from pydantic_ai import Agent, ModelMessage, ModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai_summarization import ContextManagerCapability


class PydanticSummarization:
    def __init__(self, asked: Asked) -> None:
        self._kept = 2 * asked.window_pairs + 1  # the new message is among them
        self._budget = 2 * asked.max_tokens + asked.summary_tokens
        self._summary_tokens = asked.summary_tokens
        provider = OpenAIProvider(base_url=asked.base_url, api_key=asked.api_key)
        self._agent = Agent(
            OpenAIChatModel("planner", provider=provider),
            instructions=asked.system,
            capabilities=[
                ContextManagerCapability(
                    max_tokens=self._budget,
                    keep=("messages", self._kept),
                    summarization_model=OpenAIChatModel(
                        "summarizer",
                        provider=provider,
                        settings=ModelSettings(max_tokens=asked.summary_tokens),
                    ),
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
            "name": "summarization-pydantic-ai ContextManagerCapability",
            "version": version("summarization-pydantic-ai"),
            "settings": {
                "pydantic-ai-slim": version("pydantic-ai-slim"),
                "max_tokens": self._budget,
                "compress_threshold": "default: 0.9",
                "keep": f"{self._kept} messages",
                "max_tokens of a summary": self._summary_tokens,
            },
            "cannot": {
                "turn at once": "its caller holds the history and gives it to each run",
                "no model": "without one it drops (SlidingWindowCapability)",
            },
        }


speak(PydanticSummarization(Asked.here()))
