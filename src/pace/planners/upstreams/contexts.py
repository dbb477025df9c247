"""How much context a server's models have, asked once and remembered for a while."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from pace.endpoint import LoopbackUrl, RemoteUrl
from pace.errors import PlannerError
from pace.planners.client import open_client
from pace.planners.server_facts import look_up

# How the entries of a list of models name it: vLLM; OpenRouter and LM Studio; Groq.
_FIELDS = ("max_model_len", "context_length", "context_window")
# A server may be restarted with another context; one that did not say may be loading its model.
_KNOWN_FOR = 600.0
_UNKNOWN_FOR = 30.0
# Clients may ask for names that nobody has.
_MOST_NAMES = 1000


class Contexts:
    """The contexts of one server's models, in tokens.

    A server of one's own is asked in each way that one may have to tell it; a provider only by its
    list of models. One question is on the way at a time; none takes more than `limit` seconds.
    """

    def __init__(
        self,
        base: LoopbackUrl | RemoteUrl,
        key: str | None,
        models: Callable[[], Awaitable[Sequence[Mapping[str, object]]]],
        *,
        limit: float,
    ) -> None:
        self._base = base
        self._key = key
        self._models = models
        self._limit = limit
        self._asking = asyncio.Lock()
        self._known: dict[str, tuple[int | None, float]] = {}

    async def of(self, model: str) -> int | None:
        """What is known, or what the server says now; None if it does not say."""
        if (known := self._fresh(model)) is not None:
            return known[0]
        async with self._asking:
            if (known := self._fresh(model)) is not None:
                return known[0]
            context = await self._asked(model)
            if len(self._known) >= _MOST_NAMES:
                self._known.clear()
            self._known[model] = context, self._now()
            return context

    def forget(self) -> None:
        """Ask again next time what the server has said; what it did not say can wait."""
        self._known = {name: known for name, known in self._known.items() if known[0] is None}

    def _fresh(self, model: str) -> tuple[int | None, float] | None:
        known = self._known.get(model)
        if known is None:
            return None
        age = self._now() - known[1]
        return known if age <= (_UNKNOWN_FOR if known[0] is None else _KNOWN_FOR) else None

    async def _asked(self, model: str) -> int | None:
        try:
            listed = await self._models()
        except PlannerError:
            return None
        entry: Mapping[str, object] = next((e for e in listed if e.get("id") == model), {})
        for field in _FIELDS:
            if isinstance(context := entry.get(field), int) and context > 0:
                return context
        if listed and not entry:
            return None
        if isinstance(self._base, RemoteUrl) and self._base.is_encrypted:
            return None
        client = open_client(key=self._key, first_byte_limit=self._limit)
        try:
            facts = await look_up(
                client, self._base.text, model=model, server=str(self._base), limit=self._limit
            )
        except PlannerError:
            return None
        finally:
            await client.aclose()
        return facts.context_tokens

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
