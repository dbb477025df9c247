"""Google's Agent Development Kit as https://google.github.io/adk-docs/context/compaction has it.

Compaction by tokens, which that page calls the primary one; the other keeps no turn word for word.
Its threshold is of the whole prompt: twice what four turns take, and a summary.
"""

from importlib.metadata import version
from typing import Any

from google.adk.agents import Agent
from google.adk.apps.app import App, EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.integrations.openai import OpenAILlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from lines import Asked, speak

_APP, _USER = "peers", "person"


class GoogleAdk:
    def __init__(self, asked: Asked) -> None:
        self._threshold = 2 * asked.max_tokens + asked.summary_tokens
        self._kept = 2 * asked.window_pairs
        planner, summarizer = (
            OpenAILlm(model=name, base_url=asked.base_url, api_key=asked.api_key)
            for name in ("planner", "summarizer")
        )
        self._sessions = InMemorySessionService()
        app = App(
            name=_APP,
            root_agent=Agent(name="assistant", model=planner, instruction=asked.system),
            events_compaction_config=EventsCompactionConfig(
                token_threshold=self._threshold,
                event_retention_size=self._kept,
                summarizer=LlmEventSummarizer(llm=summarizer),
            ),
        )
        self._runner = Runner(app=app, session_service=self._sessions, auto_create_session=True)

    async def turn(self, thread: str, text: str) -> str:
        said = types.Content(role="user", parts=[types.Part(text=text)])
        reply = ""
        async for event in self._runner.run_async(
            user_id=_USER, session_id=thread, new_message=said
        ):
            if event.error_code:
                raise RuntimeError(f"{event.error_code}: {event.error_message}")
            if event.is_final_response() and event.content and event.content.parts:
                reply += "".join(part.text or "" for part in event.content.parts)
        return reply

    async def reset(self, thread: str) -> None:
        await self._sessions.delete_session(app_name=_APP, user_id=_USER, session_id=thread)

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "Google ADK compaction",
            "version": version("google-adk"),
            "settings": {
                "token_threshold": self._threshold,
                "event_retention_size": self._kept,
                "sessions": "InMemorySessionService",
            },
            "cannot": {"no model": "it summarizes by a model only"},
        }


speak(GoogleAdk(Asked.here()))
