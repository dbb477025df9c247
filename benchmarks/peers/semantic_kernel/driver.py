"""Semantic Kernel with `ChatHistorySummarizationReducer`, as its agent sample has it.

https://learn.microsoft.com/python/api/semantic-kernel/semantic_kernel.contents.chathistorysummarizationreducer
The thread is reduced after each reply; as in the sample, the threshold is as large as the target.
"""

import os
from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from openai import AsyncOpenAI

os.environ["AZURE_TELEMETRY_DISABLED"] = "true"  # read when the library is imported

from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.connectors.ai.open_ai import (
    OpenAIChatCompletion,
    OpenAIChatPromptExecutionSettings,
)
from semantic_kernel.contents import ChatHistorySummarizationReducer


class SemanticKernel:
    def __init__(self, asked: Asked) -> None:
        client = AsyncOpenAI(base_url=asked.base_url, api_key=asked.api_key)
        self._summary_tokens = asked.summary_tokens
        self._messages = 2 * asked.window_pairs
        self._summarizer = OpenAIChatCompletion(ai_model_id="summarizer", async_client=client)
        self._agent = ChatCompletionAgent(
            name="assistant",
            instructions=asked.system,
            service=OpenAIChatCompletion(ai_model_id="planner", async_client=client),
        )
        self._threads: dict[str, ChatHistoryAgentThread] = {}

    async def turn(self, thread: str, text: str) -> str:
        held = self._threads.get(thread) or self._begun(thread)
        response = await self._agent.get_response(messages=text, thread=held)
        await held.reduce()
        return str(response.content)

    def _begun(self, thread: str) -> ChatHistoryAgentThread:
        reducer = ChatHistorySummarizationReducer(
            service=self._summarizer,
            target_count=self._messages,
            threshold_count=self._messages,
            execution_settings=OpenAIChatPromptExecutionSettings(max_tokens=self._summary_tokens),
        )
        return self._threads.setdefault(thread, ChatHistoryAgentThread(chat_history=reducer))

    async def reset(self, thread: str) -> None:
        if held := self._threads.pop(thread, None):
            await held.delete()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Semantic Kernel ChatHistorySummarizationReducer",
            "version": version("semantic-kernel"),
            "settings": {
                "target_count": self._messages,
                "threshold_count": self._messages,
                "max_tokens of a summary": self._summary_tokens,
                "fail_on_error": "default: true",
            },
            "cannot": {"no model": "without one it drops (ChatHistoryTruncationReducer)"},
        }


speak(SemanticKernel(Asked.here()))
