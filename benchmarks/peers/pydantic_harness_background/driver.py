"""Pydantic AI Harness as the page of its compaction has it, with a summary made ahead of time.

https://github.com/pydantic/pydantic-ai/tree/main/src/pydantic_ai_harness/pydantic_ai_harness/compaction
`FallbackCompaction` with its experimental `background_start`, and the chain and share of that page:
what cannot be summarized is dropped. The trigger is twice what four turns take, and a summary.
"""

from importlib.metadata import version
from typing import Any
from uuid import uuid4

from lines import Asked, speak
from pydantic_ai import Agent, ModelMessage, ModelSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai_harness import (
    FallbackCompaction,
    SlidingWindowCompaction,
    SummarizingCompaction,
)

_BACKGROUND_START = 0.85


class PydanticHarnessBackground:
    def __init__(self, asked: Asked) -> None:
        self._kept = 2 * asked.window_pairs + 1  # the new message is among them
        self._trigger = 2 * asked.max_tokens + asked.summary_tokens
        self._summary_tokens = asked.summary_tokens
        provider = OpenAIProvider(base_url=asked.base_url, api_key=asked.api_key)
        summarizing = SummarizingCompaction(
            OpenAIChatModel("summarizer", provider=provider),
            model_settings=ModelSettings(max_tokens=asked.summary_tokens),
            max_messages=1,
            keep_messages=self._kept,
        )
        dropping = SlidingWindowCompaction(max_messages=1, keep_messages=self._kept)
        self._compaction = FallbackCompaction(
            [summarizing, dropping], max_tokens=self._trigger, background_start=_BACKGROUND_START
        )
        self._agent = Agent(
            OpenAIChatModel("planner", provider=provider),
            instructions=asked.system,
            capabilities=[self._compaction],
        )
        self._threads: dict[str, tuple[str, list[ModelMessage]]] = {}

    async def turn(self, thread: str, text: str) -> str:
        conversation, held = self._threads.setdefault(thread, (uuid4().hex, []))
        result = await self._agent.run(
            text, message_history=list(held), conversation_id=conversation
        )
        held[:] = result.all_messages()
        return result.output

    async def reset(self, thread: str) -> None:
        if begun := self._threads.pop(thread, None):
            await self._compaction.discard_background_compaction(begun[0])

    async def settle(self) -> None:
        """What it does ahead of time cannot be waited for without taking it; turns wait for it."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Pydantic AI Harness FallbackCompaction, in the background",
            "version": version("pydantic-ai-harness"),
            "settings": {
                "max_tokens": self._trigger,
                "background_start": f"{_BACKGROUND_START} (experimental)",
                "fallback_chain": "SummarizingCompaction, then SlidingWindowCompaction",
                "keep_messages": self._kept,
                "max_tokens of a summary": self._summary_tokens,
            },
            "cannot": {
                "turn at once": "its caller holds the history and gives it to each run",
                "no model": "without one it drops (SlidingWindowCompaction)",
            },
        }


speak(PydanticHarnessBackground(Asked.here()))
