"""No memory at all: each message goes to the model alone, by OpenAI's own client.

What the others take is counted above this. https://platform.openai.com/docs/api-reference/chat
"""

from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from openai import AsyncOpenAI


class Bare:
    def __init__(self, asked: Asked) -> None:
        self._system = asked.system
        self._client = AsyncOpenAI(base_url=asked.base_url, api_key=asked.api_key)

    async def turn(self, thread: str, text: str) -> str:  # noqa: ARG002  # threads hold nothing
        answer = await self._client.chat.completions.create(
            model="planner",
            messages=[
                {"role": "system", "content": self._system},
                {"role": "user", "content": text},
            ],
        )
        return answer.choices[0].message.content or ""

    async def reset(self, thread: str) -> None:
        """Nothing is held."""

    async def settle(self) -> None:
        """No work is left."""

    def describe(self) -> dict[str, Any]:
        none = "it holds no conversation"
        return {
            "name": "no memory",
            "version": f"openai {version('openai')}",
            "settings": {},
            "cannot": dict.fromkeys(("memory", "turn at once", "reset", "no model"), none),
        }


speak(Bare(Asked.here()))
