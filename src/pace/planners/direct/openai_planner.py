"""Talks to OpenAI, to OpenRouter or to a server of the person's own through OpenAI's library."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from hashlib import blake2b
from typing import cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from pace.endpoint import RemoteUrl
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import SessionId, ThreadId
from pace.planners.client import FIRST_BYTE_LIMIT
from pace.planners.direct.calls import Answer, reply_of
from pace.planners.direct.connection import open_client
from pace.planners.direct.faults import Fault
from pace.planners.direct.keys import ApiKey
from pace.planners.direct.learned import Learned
from pace.planners.direct.limiter import Limiter
from pace.planners.direct.model_list import ListedModel, look_up, look_up_in_the_house
from pace.planners.direct.openai_wire import OpenAiReader, response_format
from pace.planners.direct.providers import LIKELY_CONTEXT, known_context
from pace.planners.direct.quiet import hush
from pace.planners.llama_server import wire_messages
from pace.planners.options import ReplyOptions
from pace.planners.server_facts import ANY_MODEL, ASSUMED_CONTEXT
from pace.ports import PlannerEvent, PlannerTraits
from pace.settings import Provider

_FORM, _ROUTING = "response_format", "provider"
# OpenAI's newer name counts reasoning, too, and is the only one that its newer models know.
_NEWER, _OLDER = "max_completion_tokens", "max_tokens"


class OpenAiPlanner:
    """A model behind OpenAI's API or one like it, with the person's own key.

    OpenAI is told to keep no copy of its own; it caches prompts by itself, and finds them by a
    random word for each session. Only a provider that says so is taken to keep to a form. Without
    a `model` it is the first that the server lists. `limiter` is shared by all that use the key.
    """

    def __init__(
        self,
        base: RemoteUrl,
        key: ApiKey | None,
        *,
        provider: Provider,
        model: str | None,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        limiter: Limiter | None = None,
        first_byte_limit: float = FIRST_BYTE_LIMIT,
    ) -> None:
        self._base = base
        self._host = base.host
        self._key = key
        self._provider = provider
        self._asked_model = model
        self._options = options
        self._limiter = limiter or Limiter()
        is_openai = provider is Provider.OPENAI
        self._learned = Learned(
            other_names={_NEWER: _OLDER} if is_openai else {_OLDER: _NEWER},
        )
        self._secret = secrets.token_bytes(16)
        self._listed: ListedModel | None = None
        self._looking = asyncio.Lock()
        # The library must be given some key; without one of ours its header is taken out again.
        self._client = openai.AsyncOpenAI(
            api_key=key.reveal() if key else "none",
            base_url=base.text,
            max_retries=0,
            http_client=open_client(base, key, first_byte_limit=first_byte_limit),
        )
        _ = self._client.chat.completions, self._client.models  # loaded when they are first used
        hush()

    async def traits(self) -> PlannerTraits:
        """What is known of the model; a server other than OpenAI's is asked for its list."""
        listed = await self._known()
        is_openai = self._provider is Provider.OPENAI
        context = known_context(listed.name) if is_openai else listed.context_tokens
        return PlannerTraits(
            name="direct",
            model=listed.name,
            context_tokens=context or (LIKELY_CONTEXT if is_openai else ASSUMED_CONTEXT),
            assumes_context=context is None,
            on_this_machine=False,
            summarizes=True,
            constrains=listed.keeps_to_form and self._learned.takes(_FORM),
            host=self._host,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event; one request, unless it fails in passing before the first event."""
        listed = await self._known()
        options = self._options()
        wire = _Wire(
            client=self._client,
            learned=self._learned,
            model=listed.name,
            host=self._host,
            longest=options.longest_reply,
            prompt=prompt,
            optional=lambda: self._optional(prompt, options, keeps_to_form=listed.keeps_to_form),
        )
        reply = reply_of(wire, self._limiter, host=self._host, provider=self._provider)
        async with aclosing(reply) as events:
            async for event in events:
                yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the estimate: the wire has no word for it."""
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002 - the port's
        """Nothing: reading ahead would be paid for."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: what the API caches, it drops by itself."""

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.close()

    def _optional(
        self, prompt: Prompt, options: ReplyOptions, *, keeps_to_form: bool
    ) -> dict[str, object]:
        """What a model may refuse without the reply being lost."""
        is_openai = self._provider is Provider.OPENAI
        fields: dict[str, object] = {
            _NEWER if is_openai else _OLDER: self._learned.room(options.reply_tokens),
            "stream_options": {"include_usage": True},
        }
        if options.temperature is not None:
            fields["temperature"] = options.temperature
        if is_openai:
            fields |= {"store": False, "prompt_cache_key": self._cache_key(prompt.session_id)}
        if prompt.reply_form and keeps_to_form:
            fields[_FORM] = response_format(prompt.reply_form)
            if self._provider is Provider.OPENROUTER and self._learned.takes(_FORM):
                # Otherwise it may choose a host that lets the form pass unread.
                fields[_ROUTING] = {"require_parameters": True}
        return fields

    def _cache_key(self, session_id: SessionId) -> str:
        """A word that stays the same for a session and tells nothing of it."""
        return blake2b(session_id.encode(), key=self._secret, digest_size=16).hexdigest()

    async def _known(self) -> ListedModel:
        if self._provider is Provider.OPENAI and self._asked_model:
            return ListedModel(name=self._asked_model, keeps_to_form=True)
        async with self._looking:  # who comes meanwhile waits for the same answer
            if self._listed is None:
                self._listed = await self._look_up()
        return self._listed or ListedModel(name=self._asked_model or ANY_MODEL)

    async def _look_up(self) -> ListedModel | None:
        if self._provider is Provider.CUSTOM and not self._base.is_encrypted:
            return await look_up_in_the_house(self._base, self._key, self._asked_model)
        return await look_up(self._client, self._asked_model, host=self._host)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wire:
    """How one prompt is asked about."""

    client: openai.AsyncOpenAI
    learned: Learned
    model: str
    host: str
    longest: int
    prompt: Prompt
    optional: Callable[[], dict[str, object]]

    def open(self) -> AbstractAsyncContextManager[Answer]:
        messages = wire_messages(self.prompt.messages)
        return self.client.chat.completions.with_streaming_response.create(
            model=self.model,
            messages=cast("list[ChatCompletionMessageParam]", messages),
            stream=True,
            extra_body=self.learned.fitted(self.optional()),
        )

    def reader(self) -> OpenAiReader:
        return OpenAiReader(self.host, longest=self.longest)

    @property
    def library_error(self) -> type[Exception]:
        return openai.OpenAIError

    def learn(self, fault: Fault) -> bool:
        return self.learned.learn(fault, self.optional())

    def learn_reasoning(self) -> bool:
        return self.learned.learn_reasoning()
