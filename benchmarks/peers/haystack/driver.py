"""Haystack as https://docs.haystack.deepset.ai/docs/3.4/compaction has it.

An agent with `CompactionHook` and `SummarizationCompactor`, which go by a context window. It is set
to twice what four turns take and a summary; the aim of compaction is four turns and a summary.
"""

import os
from importlib.metadata import version
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # read when the library is imported

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.hooks.compaction import CompactionHook, SummarizationCompactor
from haystack.utils import Secret
from lines import Asked, speak

_COMPACT_AT = 0.9


class Haystack:
    def __init__(self, asked: Asked) -> None:
        self._window = 2 * asked.max_tokens + asked.summary_tokens
        self._to = round((asked.max_tokens + asked.summary_tokens) / self._window, 2)
        self._summary_tokens = asked.summary_tokens
        key = Secret.from_token(asked.api_key)
        summarizer = OpenAIChatGenerator(
            model="summarizer",
            api_base_url=asked.base_url,
            api_key=key,
            generation_kwargs={"max_tokens": asked.summary_tokens},
        )
        hook = CompactionHook(
            SummarizationCompactor(
                chat_generator=summarizer, approximate_summary_tokens=asked.summary_tokens
            ),
            context_window=self._window,
            compact_at=_COMPACT_AT,
            compact_to=self._to,
        )
        self._agent = Agent(
            chat_generator=OpenAIChatGenerator(
                model="planner", api_base_url=asked.base_url, api_key=key
            ),
            hooks={"before_llm": [hook]},
        )
        self._system = asked.system
        self._threads: dict[str, list[ChatMessage]] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._threads:
            await self.reset(thread)
        held = self._threads[thread]
        result = await self._agent.run_async(messages=[*held, ChatMessage.from_user(text)])
        held[:] = result["messages"]
        return str(result["last_message"].text)

    async def reset(self, thread: str) -> None:
        self._threads[thread] = [ChatMessage.from_system(self._system)]

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Haystack SummarizationCompactor",
            "version": version("haystack-ai"),
            "settings": {
                "context_window": self._window,
                "compact_at": _COMPACT_AT,
                "compact_to": self._to,
                "approximate_summary_tokens": self._summary_tokens,
            },
            "cannot": {
                "turn at once": "its caller holds the history and gives it to each run",
                "no model": "without one it drops (SlidingWindowCompactor)",
            },
        }


speak(Haystack(Asked.here()))
