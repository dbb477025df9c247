"""A peer of the tests' own: it keeps all that was said, but for the one flaw that `FLAW` names."""

import asyncio
import os
from collections import defaultdict
from typing import Any

import httpx
from lines import Asked, speak

FLAW = os.environ["FLAW"]
Messages = list[dict[str, str]]


class Flawed:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._client = httpx.AsyncClient(timeout=60)
        self._held: defaultdict[str, Messages] = defaultdict(list)
        self._turns = 0
        self._folding: asyncio.Task[str] | None = None

    async def turn(self, thread: str, text: str) -> str:
        self._turns += 1
        words = {"role": "user", "content": text}
        held = self._held[thread]
        if FLAW == "interleaves":
            held.append(words)
            reply = await self._ask("planner", held)
            held.append({"role": "assistant", "content": reply})
            return reply
        if FLAW == "dies" and self._turns == 4:
            raise SystemExit(1)
        if FLAW == "waits" and self._turns == 5:
            await self._ask("summarizer", held)
        if FLAW == "relies" and self._turns in {3, 4}:
            held = [{"role": "assistant", "content": await self._ask("summarizer", held)}]
        if FLAW == "brings back" and self._turns == 3:
            self._folding = asyncio.create_task(self._ask("summarizer", held))
        reply = await self._ask("planner", [*held, words])
        said = [*held, words, {"role": "assistant", "content": reply}]
        self._held[thread] = said[:4] + said[6:] if FLAW == "forgets" else said
        return reply

    async def _ask(self, model: str, messages: Messages) -> str:
        answer = await self._client.post(
            f"{self._asked.base_url}/chat/completions",
            json={"model": model, "messages": messages or [{"role": "user", "content": "…"}]},
        )
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])

    async def reset(self, thread: str) -> None:
        if FLAW != "brings back":
            self._held[thread] = []

    async def settle(self) -> None:
        if self._folding is not None:
            await self._folding

    def describe(self) -> dict[str, Any]:
        return {"name": "flawed", "version": "1", "settings": {"flaw": FLAW}}


speak(Flawed(Asked.here()))
