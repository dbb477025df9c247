"""LlamaIndex as https://developers.llamaindex.ai/python/examples/memory/memory has it.

An agent over `Memory`, whose older messages are flushed to a `FactExtractionMemoryBlock` that is
never truncated.
"""

from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import FactExtractionMemoryBlock, Memory
from llama_index.llms.openai_like import OpenAILike

_MOST_FACTS = 50


class WithFacts:
    def __init__(self, asked: Asked) -> None:
        def model(name: str) -> OpenAILike:
            return OpenAILike(
                model=name,
                api_base=asked.base_url,
                api_key=asked.api_key,
                is_chat_model=True,
                is_function_calling_model=True,
            )

        limit = asked.max_tokens + asked.summary_tokens
        self._settings = {
            "token_limit": limit,
            "chat_history_token_ratio": round(asked.max_tokens / limit, 2),
            "token_flush_size": asked.max_tokens // asked.window_pairs,
        }
        self._summarizer = model("summarizer")
        self._agent = FunctionAgent(llm=model("planner"), tools=[], system_prompt=asked.system)
        self._memories: dict[str, Memory] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._memories:
            self._memories[thread] = self._memory(thread)
        return str(await self._agent.run(text, memory=self._memories[thread]))

    def _memory(self, thread: str) -> Memory:
        facts = FactExtractionMemoryBlock(
            name="facts", llm=self._summarizer, max_facts=_MOST_FACTS, priority=0
        )
        return Memory.from_defaults(session_id=thread, memory_blocks=[facts], **self._settings)

    async def reset(self, thread: str) -> None:
        if thread in self._memories:
            await self._memories[thread].areset()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "LlamaIndex Memory with facts",
            "version": version("llama-index-core"),
            "settings": {**self._settings, "max_facts": _MOST_FACTS},
            "cannot": {"no model": "facts are extracted by a model"},
        }


speak(WithFacts(Asked.here()))
