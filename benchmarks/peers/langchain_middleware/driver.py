"""LangChain as https://docs.langchain.com/oss/python/langchain/middleware/built-in has it.

An agent with a checkpointer and `SummarizationMiddleware`. As there, it begins to summarize at
about twice what it then keeps, the summary besides.
"""

from importlib.metadata import version
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from lines import Asked, speak


class LangChain:
    def __init__(self, asked: Asked) -> None:
        def model(name: str) -> ChatOpenAI:
            return ChatOpenAI(model=name, base_url=asked.base_url, api_key=asked.api_key)

        self._trigger = ("tokens", 2 * asked.max_tokens + asked.summary_tokens)
        self._keep = ("messages", 2 * asked.window_pairs)
        self._threads = InMemorySaver()
        self._agent = create_agent(
            model("planner"),
            tools=[],
            system_prompt=asked.system,
            checkpointer=self._threads,
            middleware=[
                SummarizationMiddleware(
                    model=model("summarizer"), trigger=self._trigger, keep=self._keep
                )
            ],
        )

    async def turn(self, thread: str, text: str) -> str:
        state = await self._agent.ainvoke(
            {"messages": [{"role": "user", "content": text}]},
            {"configurable": {"thread_id": thread}},
        )
        return str(state["messages"][-1].content)

    async def reset(self, thread: str) -> None:
        await self._threads.adelete_thread(thread)

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "LangChain SummarizationMiddleware",
            "version": version("langchain"),
            "settings": {"trigger": self._trigger, "keep": self._keep},
            "cannot": {"no model": "a summary is a model's"},
        }


speak(LangChain(Asked.here()))
