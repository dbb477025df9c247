"""Talks to any OpenAI-compatible server on this machine, in the words that all of them know."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerError
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.planners.chat_stream import stream_reply
from pace.planners.client import FIRST_BYTE_LIMIT, open_client
from pace.planners.llama_server import LlamaServer, wire_messages
from pace.planners.options import ReplyOptions
from pace.planners.server_facts import ANSWER_LIMIT, ASSUMED_CONTEXT, ServerFacts, look_up
from pace.ports import PlannerEvent, PlannerTraits


class OpenAiWirePlanner:
    """A server that the person runs: LM Studio, Ollama, llama.cpp, vLLM and their like.

    It gets standard fields only. `socket` reaches a server at a Unix socket instead of a port.
    `first_byte_limit` is in seconds, and long, since a server may load its model first;
    `answer_limit` is for what it answers without one.
    """

    def __init__(
        self,
        base: LoopbackUrl,
        *,
        model: str | None = None,
        key: str | None = None,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        socket: Path | None = None,
        first_byte_limit: float = FIRST_BYTE_LIMIT,
        answer_limit: float = ANSWER_LIMIT,
    ) -> None:
        self._base = base.text
        self._asked_model = model
        self._options = options
        self._server = f"the server at {base}"
        self._client = open_client(socket=socket, key=key, first_byte_limit=first_byte_limit)
        self._answer_limit = answer_limit
        self._facts: ServerFacts | None = None

    async def traits(self) -> PlannerTraits:
        """What the server says of itself; asked again while it still loads its model."""
        facts = await self._known()
        return PlannerTraits(
            name="local",
            model=facts.model,
            context_tokens=facts.context_tokens or ASSUMED_CONTEXT,
            assumes_context=facts.context_tokens is None,
            on_this_machine=True,
            summarizes=True,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event; exactly one request, which is never repeated."""
        model = self._asked_model or (await self._known()).model
        options = self._options()
        body = {
            "model": model,
            "messages": wire_messages(prompt.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            **options.standard_fields(),
        }
        reply = stream_reply(
            self._client,
            f"{self._base}/chat/completions",
            body,
            server=self._server,
            longest=options.longest_reply,
        )
        async with aclosing(reply) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the server's own tokenizer where it has one, else by the estimate."""
        try:
            facts = await self._known()
            if facts.has_tokenizer:
                root = self._base.removesuffix("/v1")
                server = LlamaServer(self._client, root, server=self._server)
                async with asyncio.timeout(self._answer_limit):
                    return await server.count_tokens(texts)
        except (PlannerError, TimeoutError):
            pass  # the turn itself will say what is wrong; a count need not
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002 - the port's
        """Nothing: the usual wire has no word for it."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: what such a server caches, it neither tells nor lets go of."""

    async def aclose(self) -> None:
        """Close connections; the server is the person's, and stays."""
        await self._client.aclose()

    async def _known(self) -> ServerFacts:
        if self._facts is not None:
            return self._facts
        facts = await look_up(
            self._client,
            self._base,
            model=self._asked_model,
            server=self._server,
            limit=self._answer_limit,
        )
        if not facts.is_loading:
            self._facts = facts
        return facts
