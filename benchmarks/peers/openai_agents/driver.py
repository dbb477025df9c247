"""OpenAI's Agents SDK as https://openai.github.io/openai-agents-python/sessions has it.

Its compaction session; by default it compacts once ten replies are stored, and then keeps none of
them, so that four and a half turns stand word for word on average.
"""

from importlib.metadata import version
from typing import Any

from agents import (
    Agent,
    Runner,
    SQLiteSession,
    set_default_openai_client,
    set_tracing_disabled,
)
from agents.memory import OpenAIResponsesCompactionSession
from lines import Asked, speak
from openai import AsyncOpenAI

# The constructor takes no name that is not one of OpenAI's models.
_NAME_IT_TAKES = "gpt-4.1"


class OpenAiAgents:
    def __init__(self, asked: Asked) -> None:
        set_tracing_disabled(True)
        self._client = AsyncOpenAI(base_url=asked.base_url, api_key=asked.api_key)
        set_default_openai_client(self._client, use_for_tracing=False)
        self._agent = Agent(name="assistant", instructions=asked.system, model="planner")
        self._threads: dict[str, OpenAIResponsesCompactionSession] = {}

    async def turn(self, thread: str, text: str) -> str:
        session = self._threads.get(thread) or self._begun(thread)
        result = await Runner.run(self._agent, text, session=session)
        return str(result.final_output)

    def _begun(self, thread: str) -> OpenAIResponsesCompactionSession:
        session = OpenAIResponsesCompactionSession(
            session_id=thread,
            underlying_session=SQLiteSession(thread),
            client=self._client,
            model=_NAME_IT_TAKES,
            compaction_mode="input",
        )
        session.model = "summarizer"
        return self._threads.setdefault(thread, session)

    async def reset(self, thread: str) -> None:
        if thread in self._threads:
            await self._threads[thread].clear_session()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "OpenAI Agents SDK, compaction session",
            "version": version("openai-agents"),
            "settings": {
                "session": "OpenAIResponsesCompactionSession over SQLiteSession in memory",
                "should_trigger_compaction": "default: 10 replies stored",
                "compaction_mode": "input",
            },
            "cannot": {"no model": "it needs OpenAI's /responses/compact"},
        }


speak(OpenAiAgents(Asked.here()))
