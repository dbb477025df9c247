"""LangChain's older memory, as its reference has it, in a `ConversationChain`.

https://reference.langchain.com/python/langchain-classic/memory/summary_buffer
Tokens are counted by the library's own estimate, since its tokenizer has to be fetched.
"""

import warnings
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from langchain_classic.chains import ConversationChain
from langchain_classic.memory import ConversationSummaryBufferMemory
from langchain_core.messages import BaseMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_openai import ChatOpenAI
from lines import Asked, speak

warnings.filterwarnings("ignore", message=".*deprecated.*")


class Estimating(ChatOpenAI):
    def get_num_tokens_from_messages(
        self,
        messages: Sequence[BaseMessage],
        tools: object = None,  # noqa: ARG002  # there are none
        **_: object,
    ) -> int:
        return count_tokens_approximately(messages)


class SummaryBuffer:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._chains: dict[str, ConversationChain] = {}

    async def turn(self, thread: str, text: str) -> str:
        if thread not in self._chains:
            self._chains[thread] = self._chain()
        said = await self._chains[thread].ainvoke({"input": text})
        return str(said["response"])

    def _chain(self) -> ConversationChain:
        asked = self._asked
        planner, summarizer = (
            Estimating(model=name, base_url=asked.base_url, api_key=asked.api_key)
            for name in ("planner", "summarizer")
        )
        prompt = ChatPromptTemplate.from_messages(
            [("system", asked.system), MessagesPlaceholder("history"), ("human", "{input}")]
        )
        memory = ConversationSummaryBufferMemory(
            llm=summarizer, max_token_limit=asked.max_tokens, return_messages=True
        )
        return ConversationChain(llm=planner, prompt=prompt, memory=memory)

    async def reset(self, thread: str) -> None:
        if thread in self._chains:
            await self._chains[thread].memory.aclear()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "LangChain ConversationSummaryBufferMemory",
            "version": f"langchain-classic {version('langchain-classic')}",
            "settings": {"max_token_limit": self._asked.max_tokens},
            "cannot": {"no model": "a summary is a model's"},
        }


speak(SummaryBuffer(Asked.here()))
