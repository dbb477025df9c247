"""What llama.cpp's server offers beyond the usual wire: its tokenizer, its template, its slots."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from os.path import commonprefix

import httpx

from pace.memory.prompt import Message
from pace.planners.answers import body_of, events_of, mapping, parsed, whole
from pace.planners.chat_stream import refusal, unreachable

# Stand for what is to come; what both renderings begin with is what any words will follow.
_ANY_WORDS = ("A", "7")
# How many texts are counted at once; more would only queue in the server.
_AT_ONCE = 8


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages in the words of the wire."""
    return [{"role": message.role.value, "content": message.content} for message in messages]


class LlamaServer:
    """One llama.cpp server. Every call raises PlannerError, with no word of what was sent."""

    def __init__(self, client: httpx.AsyncClient, root: str, *, server: str) -> None:
        self._client = client
        self._root = root
        self._server = server

    async def context_tokens(self) -> int:
        """The context of one slot."""
        facts = await self._ask("GET", "/props")
        return _count(mapping(facts.get("default_generation_settings")).get("n_ctx"))

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Each text's tokens; what looks like a special token counts as plain text."""
        turnstile = asyncio.Semaphore(_AT_ONCE)

        async def count(text: str) -> int:
            async with turnstile:
                return len(await self.tokens(text))

        return list(await asyncio.gather(*(count(text) for text in texts)))

    async def tokens(self, text: str, *, with_special: bool = False) -> list[int]:
        """The ids of a text's tokens; with special ones where their signs stand, if asked."""
        answer = await self._ask(
            "POST", "/tokenize", {"content": text, "parse_special": with_special}
        )
        tokens = answer.get("tokens")
        return tokens if isinstance(tokens, list) else []

    async def prefix(self, messages: Sequence[Message]) -> str:
        """How a prompt begins, as the model's template sets it, up to its last message's words."""
        renderings = []
        for words in _ANY_WORDS:
            last = {"role": messages[-1].role.value, "content": words}
            sent = [*wire_messages(messages[:-1]), last]
            answer = await self._ask("POST", "/apply-template", {"messages": sent})
            renderings.append(whole(str(answer.get("prompt", ""))))
        return commonprefix(renderings)  # noqa: RUF071 - character by character is what we need

    async def read(self, prefix: str, slot: int | None = None) -> AsyncGenerator[int, None]:
        """Read a text into a slot, telling how many tokens it holds; closing stops the reading.

        Without a slot the server takes the one that holds most of the text already, or the one that
        has been idle longest.
        """
        body = {
            "prompt": prefix,
            **({} if slot is None else {"id_slot": slot}),
            "cache_prompt": True,
            "n_predict": 0,
            "stream": True,
            "return_progress": True,
        }
        try:
            async with self._client.stream(
                "POST", f"{self._root}/completion", json=body
            ) as response:
                if response.status_code != HTTPStatus.OK:
                    raise refusal(self._server, None, response.status_code)
                async with aclosing(events_of(response, server=self._server)) as events:
                    async for event in events:
                        if event.data in {"", "[DONE]"}:
                            continue
                        chunk = parsed(event.data)
                        if not isinstance(chunk, dict) or chunk.get("error"):
                            raise refusal(self._server, mapping(chunk).get("error"))
                        if progress := mapping(chunk.get("prompt_progress")):
                            yield _count(progress.get("processed"))
        except httpx.HTTPError as error:
            raise unreachable(error, self._server) from error

    async def erase(self, slot: int) -> None:
        """Empty a slot's cache; waits until the slot is idle."""
        await self._ask("POST", f"/slots/{slot}?action=erase")

    async def _ask(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> Mapping[str, object]:
        try:
            async with self._client.stream(method, f"{self._root}{path}", json=body) as response:
                answer = parsed(await body_of(response, server=self._server))
        except httpx.HTTPError as error:
            raise unreachable(error, self._server) from error
        if response.status_code != HTTPStatus.OK or not isinstance(answer, dict):
            raise refusal(self._server, mapping(answer).get("error"), response.status_code)
        return answer


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
