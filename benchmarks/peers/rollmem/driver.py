"""rollmem as https://pypi.org/project/rollmem/0.6.0 has it, with `AsyncRollingMemory`.

It leaves to its caller how to summarize: here the model is asked, for a short text, as that page
advises. Without a model it drops what no longer fits.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from lines import Asked, speak
from openai import AsyncOpenAI
from rollmem import AsyncRollingMemory, Message

_SUMMARIZE = (
    "Update the summary of this conversation with the new messages. Keep names, numbers, dates and "
    "decisions. Answer with the summary only."
)


class Rollmem:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._client = AsyncOpenAI(base_url=asked.base_url, api_key=asked.api_key)
        self._threads: dict[str, AsyncRollingMemory] = {}

    async def turn(self, thread: str, text: str) -> str:
        memory = self._threads.get(thread) or self._begun(thread)
        await memory.add_user_message(text)
        told = [{"role": said.role, "content": said.content} for said in memory.get_messages()]
        answer = await self._client.chat.completions.create(
            model="planner", messages=[{"role": "system", "content": self._asked.system}, *told]
        )
        reply = answer.choices[0].message.content or ""
        await memory.add_assistant_message(reply)
        return reply

    def _begun(self, thread: str) -> AsyncRollingMemory:
        return self._threads.setdefault(
            thread,
            AsyncRollingMemory(
                max_tokens=self._asked.max_tokens,
                summarize_fn=None if self._asked.no_model else self._summary,
                token_counter=_tokens,
            ),
        )

    async def _summary(self, summary: str, messages: Sequence[Message]) -> str:
        told = "\n".join(str(message) for message in messages)
        answer = await self._client.chat.completions.create(
            model="summarizer",
            messages=[
                {"role": "system", "content": _SUMMARIZE},
                {"role": "user", "content": f"Summary so far:\n{summary}\n\nNew messages:\n{told}"},
            ],
            max_tokens=self._asked.summary_tokens,
        )
        return answer.choices[0].message.content or ""

    async def reset(self, thread: str) -> None:
        if thread in self._threads:
            self._threads[thread].clear()

    async def settle(self) -> None:
        """All its work is done in turns."""

    def describe(self) -> dict[str, Any]:
        return {
            "name": "rollmem AsyncRollingMemory",
            "version": version("rollmem"),
            "settings": {
                "max_tokens": self._asked.max_tokens,
                "token_counter": "characters / 4",
                "summarize_fn": None if self._asked.no_model else "asks the model",
            },
        }


def _tokens(text: str) -> int:
    return len(text) // 4


speak(Rollmem(Asked.here()))
