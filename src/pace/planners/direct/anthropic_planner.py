"""Talks to Anthropic's API through its own library."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import cast

import anthropic
from anthropic.types import MessageParam, TextBlockParam

from pace.endpoint import RemoteUrl
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.planners.client import FIRST_BYTE_LIMIT
from pace.planners.direct.anthropic_wire import (
    AnthropicReader,
    output_config,
    system_blocks,
    turn_messages,
)
from pace.planners.direct.calls import Answer, reply_of
from pace.planners.direct.connection import open_client
from pace.planners.direct.faults import Fault
from pace.planners.direct.keys import ApiKey
from pace.planners.direct.learned import Learned
from pace.planners.direct.limiter import Limiter
from pace.planners.direct.providers import LIKELY_CONTEXT, known_context
from pace.planners.direct.quiet import hush
from pace.planners.options import ReplyOptions
from pace.ports import PlannerEvent, PlannerTraits
from pace.settings import Provider

# A gateway may not know marks for its cache, and not every model can be held to a schema.
_CACHE, _FORM = "cache_control", "output_config"


class AnthropicPlanner:
    """A model of Anthropic's, with the person's own key.

    Its prompts keep their stable prefix cached there for some minutes. The temperature is left to
    the model: the API of this library's version knows none. `limiter` is shared by all that use
    the key.
    """

    def __init__(
        self,
        base: RemoteUrl,
        key: ApiKey,
        *,
        model: str,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        limiter: Limiter | None = None,
        first_byte_limit: float = FIRST_BYTE_LIMIT,
    ) -> None:
        self._host = base.host
        self._model = model
        self._options = options
        self._limiter = limiter or Limiter()
        self._learned = Learned()
        # All that the library would take from the environment is given, so that it looks there for
        # no other key or address, and traces nothing.
        self._client = anthropic.AsyncAnthropic(
            api_key=key.reveal(),
            base_url=base.text.removesuffix("/v1"),
            max_retries=0,
            http_client=open_client(base, key, first_byte_limit=first_byte_limit),
            open_telemetry=False,
        )
        _ = self._client.messages  # the library loads its parts when they are first used
        hush()

    async def traits(self) -> PlannerTraits:
        """What is known of the model; nothing is asked for it."""
        context = known_context(self._model)
        return PlannerTraits(
            name="direct",
            model=self._model,
            context_tokens=context or LIKELY_CONTEXT,
            assumes_context=context is None,
            on_this_machine=False,
            summarizes=True,
            constrains=self._learned.takes(_FORM),
            host=self._host,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event; one request, unless it fails in passing before the first event."""
        wire = _Wire(
            client=self._client,
            learned=self._learned,
            model=self._model,
            host=self._host,
            options=self._options(),
            prompt=prompt,
        )
        reply = reply_of(wire, self._limiter, host=self._host, provider=Provider.ANTHROPIC)
        async with aclosing(reply) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the estimate: asking the API would send the texts once more."""
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002 - the port's
        """Nothing: reading ahead would be paid for."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: what the API caches, it drops by itself within minutes."""

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wire:
    """How one prompt is asked about."""

    client: anthropic.AsyncAnthropic
    learned: Learned
    model: str
    host: str
    options: ReplyOptions
    prompt: Prompt

    def open(self) -> AbstractAsyncContextManager[Answer]:
        marked = self.learned.takes(_CACHE)
        system = system_blocks(self.prompt.messages, marked=marked)
        turns = turn_messages(self.prompt.messages, marked=marked)
        return self.client.messages.with_streaming_response.create(
            model=self.model,
            max_tokens=self.learned.room(self.options.reply_tokens),
            system=cast("list[TextBlockParam]", system) if system else anthropic.omit,
            messages=cast("list[MessageParam]", turns),
            stream=True,
            extra_body=self._form() if self.learned.takes(_FORM) else {},
        )

    def reader(self) -> AnthropicReader:
        return AnthropicReader(self.host, longest=self.options.longest_reply)

    @property
    def library_error(self) -> type[Exception]:
        return anthropic.AnthropicError

    def learn(self, fault: Fault) -> bool:
        return self.learned.learn(fault, [*self._form(), _CACHE])

    def learn_reasoning(self) -> bool:
        return self.learned.learn_reasoning()

    def _form(self) -> Mapping[str, object]:
        form = self.prompt.reply_form and output_config(self.prompt.reply_form)
        return {_FORM: form} if form else {}
