"""langmem as https://langchain-ai.github.io/langmem/guides/summarization has it.

A graph with a checkpointer: `SummarizationNode` before the model, the running summary in the state.
It summarizes all that it held once that is too much, so four turns stand word for word on average.
"""

from importlib.metadata import version
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage
from langchain_core.messages.utils import count_tokens_approximately
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langmem.short_term import RunningSummary, SummarizationNode
from lines import Asked, speak
from typing_extensions import TypedDict


class State(MessagesState):
    context: dict[str, RunningSummary]


class ModelInput(TypedDict):
    summarized_messages: list[AnyMessage]
    context: dict[str, RunningSummary]


class LangMem:
    def __init__(self, asked: Asked) -> None:
        def model(name: str) -> ChatOpenAI:
            return ChatOpenAI(model=name, base_url=asked.base_url, api_key=asked.api_key)

        planner = model("planner")
        self._limits = {
            "max_tokens": 2 * asked.max_tokens + asked.summary_tokens,
            "max_tokens_before_summary": 2 * asked.max_tokens,
            "max_summary_tokens": asked.summary_tokens,
        }

        async def answer(state: ModelInput) -> dict[str, list[Any]]:
            prompt = [SystemMessage(asked.system), *state["summarized_messages"]]
            return {"messages": [await planner.ainvoke(prompt)]}

        graph = StateGraph(State)
        node = SummarizationNode(
            model=model("summarizer").bind(max_tokens=asked.summary_tokens),
            token_counter=count_tokens_approximately,
            **self._limits,
        )
        graph.add_node("summarize", node)
        graph.add_node("answer", answer)
        graph.add_edge(START, "summarize")
        graph.add_edge("summarize", "answer")
        self._threads = InMemorySaver()
        self._graph = graph.compile(checkpointer=self._threads)

    async def turn(self, thread: str, text: str) -> str:
        state = await self._graph.ainvoke(
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
            "name": "langmem SummarizationNode",
            "version": version("langmem"),
            "settings": self._limits,
            "cannot": {"no model": "a summary is a model's"},
        }


speak(LangMem(Asked.here()))
