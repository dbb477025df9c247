"""Talks to any OpenAI-compatible server on this machine, in the words that all of them know."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from pathlib import Path

from pace.endpoint import LoopbackUrl
from pace.errors import PlannerError, PlannerRefusedError, PlannerUnreachableError
from pace.memory.prompt import Prompt, ReplyForm
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.planners.asking import ANSWER_LIMIT, Asking
from pace.planners.chat_stream import read_prompt, stream_reply
from pace.planners.client import FIRST_BYTE_LIMIT, open_client
from pace.planners.llama_server import LlamaServer, wire_messages
from pace.planners.model_names import shown_name
from pace.planners.options import ReplyOptions
from pace.planners.server_facts import (
    ASSUMED_CONTEXT,
    ServerFacts,
    ServerKind,
    look_again,
    look_up,
)
from pace.planners.watching import ReplyWatch
from pace.ports import Finished, Loading, Notice, PlannerEvent, PlannerTraits

# Who decodes under a JSON Schema, by their documents; whoever does not know the field ignores it,
# and would leave us in the belief that it did.
_CONSTRAINING = frozenset(
    {ServerKind.LLAMA_CPP, ServerKind.LM_STUDIO, ServerKind.OLLAMA, ServerKind.VLLM}
)
# Who keeps the prompt of one request for the next one that begins with the same words, and serves
# one person. (vLLM may keep it, too, and reads fast enough without.)
_KEEPING = frozenset({ServerKind.LLAMA_CPP, ServerKind.LM_STUDIO, ServerKind.OLLAMA})
# How a server says that it does not take a field, or its schema.
_FIELD_REFUSED = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED}
)
# How often a server that loads is asked whether it has.
_POLL_SECONDS = 0.5
# How many models a sentence names.
_NAMED = 5


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
        self._chat = f"{self._base}/chat/completions"
        self._root = self._base.removesuffix("/v1")
        self._llama = LlamaServer(self._client, self._root, server=self._server)
        self._load_limit = first_byte_limit
        self._answer_limit = answer_limit
        self._facts: ServerFacts | None = None
        self._chosen_model: str | None = None
        self._refuses_forms = False
        self._watch = ReplyWatch()

    async def traits(self) -> PlannerTraits:
        """What the server says of itself; asked again while it still loads its model."""
        facts = await self._known()
        return PlannerTraits(
            name="local",
            model=facts.model,
            context_tokens=self._watch.believed(facts.context_tokens or ASSUMED_CONTEXT),
            assumes_context=facts.context_tokens is None,
            on_this_machine=True,
            prepares=facts.kind in _KEEPING,
            summarizes=True,
            constrains=facts.kind in _CONSTRAINING and not self._refuses_forms,
        )

    async def models(self) -> tuple[str, ...]:
        """The models that can be asked for, embedding models left out; empty if it does not say."""
        return (await self._known()).models

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply event by event, by one request that is never repeated.

        Only a server that refuses the reply's form, before it has begun, is asked once more without
        it. A model that is not in the server's memory yet is told, and waited for.
        """
        facts = await self._known()
        if facts.is_loading:
            yield Loading(self._asked_model or "")
            facts = await self._loaded()
        elif not facts.is_loaded:
            yield Loading(facts.model)
        self._refuse_missing(facts)
        try:
            async with aclosing(self._formed(prompt, facts)) as events:
                async for event in events:
                    if isinstance(event, Finished):
                        for notice in await self._noticed(prompt, facts, event):
                            yield notice
                    yield event
        except PlannerError:
            self._facts = None  # it may be another server by now, or the same with another model
            raise

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the server's own tokenizer where it has one, else by the estimate."""
        counted = await self._counted(texts)
        return [estimate_tokens(text) for text in texts] if counted is None else counted

    async def prepare(self, prompt: Prompt) -> int:
        """Have all but the last words read ahead, where the server keeps what it has read.

        A model that is not in the server's memory is not loaded for it.
        """
        facts = await self._known()
        if facts.kind not in _KEEPING or facts.is_loading or not facts.is_loaded:
            return 0
        if facts.has_tokenizer:
            return await self._read_prefix(prompt)
        # By a request like any other, since that is all there is: of its reply one token is made.
        body = {**self._body(prompt, facts), "max_tokens": 1}
        return await read_prompt(
            self._client,
            self._chat,
            body,
            server=self._server,
            longest=self._options().longest_reply,
        )

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: what such a server caches, it neither tells nor lets go of."""

    async def aclose(self) -> None:
        """Close connections; the server is the person's, and stays."""
        await self._client.aclose()

    # --- one reply

    def _body(self, prompt: Prompt, facts: ServerFacts) -> dict[str, object]:
        return {
            "model": facts.model,
            "messages": wire_messages(prompt.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            **self._options().standard_fields(),
        }

    async def _formed(
        self, prompt: Prompt, facts: ServerFacts
    ) -> AsyncGenerator[PlannerEvent, None]:
        """The reply, in the prompt's form if the server decodes under one."""
        body = self._body(prompt, facts)
        takes_forms = facts.kind in _CONSTRAINING and not self._refuses_forms
        if prompt.reply_form is None or not takes_forms:
            async with aclosing(self._reply(body)) as events:
                async for event in events:
                    yield event
            return
        has_begun = False
        try:
            formed = {**body, **_form_field(prompt.reply_form, facts.kind)}
            async with aclosing(self._reply(formed)) as events:
                async for event in events:
                    has_begun = True
                    yield event
        except PlannerRefusedError as error:
            if has_begun or error.status not in _FIELD_REFUSED:
                raise
        if has_begun:
            return
        async with aclosing(self._reply(body)) as events:
            async for event in events:
                self._refuses_forms = True  # it takes all but the form
                yield event

    def _reply(self, body: Mapping[str, object]) -> AsyncGenerator[PlannerEvent, None]:
        return stream_reply(
            self._client,
            self._chat,
            body,
            server=self._server,
            longest=self._options().longest_reply,
        )

    async def _noticed(
        self, prompt: Prompt, facts: ServerFacts, finished: Finished
    ) -> Sequence[Notice]:
        """What the reply shows of the server; its own tokenizer is asked where counts differ."""
        texts = [message.content for message in prompt.messages]
        read, least = finished.prompt_tokens, None
        if facts.has_tokenizer and read is not None and read < sum(map(estimate_tokens, texts)):
            counted = await self._counted(texts)
            least = None if counted is None else sum(counted)
        return self._watch.notices(
            prompt, facts, finished, reply_tokens=self._options().reply_tokens, least=least
        )

    def _refuse_missing(self, facts: ServerFacts) -> None:
        if facts.has_model:
            return
        some = ", ".join(map(shown_name, facts.models[:_NAMED])) or "no other that could answer"
        more = f" and {len(facts.models) - _NAMED} more" if len(facts.models) > _NAMED else ""
        raise PlannerRefusedError(
            f"{self._server} has no model {shown_name(facts.model)!r}. It has {some}{more}. "
            "Choose one with: pace settings planner.model NAME",
            status=HTTPStatus.NOT_FOUND,
        )

    # --- the server besides

    async def _known(self) -> ServerFacts:
        """What is known of the server; what may change by itself is asked again each time."""
        if self._facts is None:
            facts = await self._looked_up(self._asked_model or self._chosen_model)
            if self._asked_model is None and not facts.has_model:
                facts = await self._looked_up(None)
        elif self._facts.loads_when_asked:
            facts = await look_again(
                self._client,
                self._base,
                self._facts,
                server=self._server,
                limit=self._answer_limit,
            )
        else:
            return self._facts
        if not facts.is_loading:
            self._facts = facts
            self._chosen_model = facts.model
        return facts

    async def _looked_up(self, model: str | None) -> ServerFacts:
        return await look_up(
            self._client,
            self._base,
            model=model,
            server=self._server,
            limit=self._answer_limit,
        )

    async def _loaded(self) -> ServerFacts:
        """Wait until the server has read its model, however many minutes that takes."""
        try:
            async with asyncio.timeout(self._load_limit):
                while True:
                    await asyncio.sleep(_POLL_SECONDS)
                    asking = Asking(self._client, self._server, self._answer_limit)
                    await asking.get(f"{self._root}/health")
                    if asking.was_told_to_wait:
                        continue
                    facts = await self._known()
                    if not facts.is_loading:
                        return facts
        except TimeoutError as error:
            raise PlannerUnreachableError(
                f"{self._server} has not loaded its model in {self._load_limit / 60:.0f} minutes. "
                "Look at its own window or log, and ask again."
            ) from error

    async def _counted(self, texts: Sequence[str]) -> list[int] | None:
        """By the server's own tokenizer; None if it has none, or does not answer."""
        try:
            facts = self._facts or await self._known()
            if not facts.has_tokenizer:
                return None
            async with asyncio.timeout(self._answer_limit):
                return await self._llama.count_tokens(texts)
        except (PlannerError, TimeoutError):
            return None  # the turn itself will say what is wrong; a count need not

    async def _read_prefix(self, prompt: Prompt) -> int:
        prefix = await self._llama.prefix(prompt.messages)
        held = 0
        if prefix:
            async with aclosing(self._llama.read(prefix)) as steps:
                async for tokens in steps:
                    held = tokens
        return held


def _form_field(form: ReplyForm, kind: ServerKind) -> dict[str, object]:
    if form.grammar and kind is ServerKind.LLAMA_CPP:
        return {"grammar": form.grammar}
    schema = {"name": "envelope", "strict": True, "schema": json.loads(form.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}
