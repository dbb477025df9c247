"""LlamaIndex as https://developers.llamaindex.ai/python/examples/memory/chatsummarymemorybuffer.

A chat engine over `ChatSummaryMemoryBuffer`, whose limit is that of the messages kept whole.
"""

from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import ChatSummaryMemoryBuffer
from llama_index.llms.openai_like import OpenAILike


class SummaryBuffer:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._engines: dict[str, SimpleChatEngine] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._engines:
            self._engines[thread] = self._engine()
        return str(await self._engines[thread].achat(text))

    def _engine(self) -> SimpleChatEngine:
        asked = self._asked
        planner, summarizer = (
            OpenAILike(
                model=name, api_base=asked.base_url, api_key=asked.api_key, is_chat_model=True
            )
            for name in ("planner", "summarizer")
        )
        memory = ChatSummaryMemoryBuffer.from_defaults(llm=summarizer, token_limit=asked.max_tokens)
        return SimpleChatEngine.from_defaults(
            llm=planner, memory=memory, system_prompt=asked.system
        )

    async def reset(self, thread: str) -> None:
        if thread in self._engines:
            self._engines[thread].reset()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "LlamaIndex ChatSummaryMemoryBuffer",
            "version": version("llama-index-core"),
            "settings": {"token_limit": self._asked.max_tokens},
            "cannot": {"no model": "a summary is a model's"},
        }


speak(SummaryBuffer(Asked.here()))
