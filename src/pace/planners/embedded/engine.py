"""The planner on this machine: it starts its engine when first needed, and again after a crash."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pace.errors import PlannerError, PlannerUnreachableError
from pace.memory.prompt import Prompt
from pace.memory.turn import ThreadId
from pace.planners.catalogue import ModelFile
from pace.planners.chat_stream import stream_reply
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.embedded.slots import SlotTable
from pace.planners.llama_server import LlamaServer, wire_messages
from pace.planners.options import ReplyOptions
from pace.ports import PlannerEvent, PlannerTraits

_SERVER = "the model on this machine"
# What to do is decided by the likeliest token; a little chance is left, so that a reply that is
# made anew is another one.
_FORM_TEMPERATURE = 0.2
# A penalty for single tokens would fall on the quotes that end every string of the form; this one
# falls on sequences, which end at quotes (llama.cpp's "don't repeat yourself").
_NO_LOOPS = {"dry_multiplier": 0.8, "dry_allowed_length": 4, "dry_penalty_last_n": 512}


@dataclass(slots=True)
class _Running:
    """One run of the engine, and what it holds."""

    process: EngineProcess
    server: LlamaServer
    slots: SlotTable
    context_tokens: int


@dataclass(slots=True)
class _Held:
    """How far a prepare has come."""

    tokens: int = 0


class EmbeddedPlanner:
    """Answers with a model file, in a child process that ends with this one.

    One prompt is read or answered at a time. A turn stops a prepare at once and keeps what it has
    read. Each thread keeps its slot of the engine; no thread's cache is used for another.
    """

    def __init__(
        self,
        settings: EngineSettings,
        *,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        over_socket: bool | None = None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._over_socket = over_socket
        self._running: _Running | None = None
        self._is_closed = False
        self._starting = asyncio.Lock()
        self._engine_free = asyncio.Lock()
        self._prepares: dict[asyncio.Task[None], _Held] = {}

    @classmethod
    def of(
        cls, file: ModelFile, path: Path, *, options: Callable[[], ReplyOptions] = ReplyOptions
    ) -> Self:
        """One for a file of the catalogue, which says what suits it."""
        settings = EngineSettings(
            path=path,
            name=file.title,
            summarizes=file.summarizes,
            repeat_penalty=file.repeat_penalty,
        )
        return cls(settings, options=options)

    @property
    def process_id(self) -> int | None:
        """The engine's process, while it runs."""
        return None if self._running is None else self._running.process.process_id

    @property
    def tokens_prepared(self) -> int:
        """How many tokens the prepare that runs now has read; 0 when none does."""
        return max((held.tokens for held in self._prepares.values()), default=0)

    async def start(self) -> None:
        """Load the model now, rather than at the first turn; raises PlannerError."""
        await self._engine()

    async def device(self) -> str:
        """What the engine computes on: the name of a GPU, or CPU."""
        return (await self._engine()).process.device

    async def traits(self) -> PlannerTraits:
        """Starts the engine, since only it knows its context."""
        engine = await self._engine()
        return PlannerTraits(
            name="embedded",
            model=self._settings.name,
            context_tokens=engine.context_tokens,
            on_this_machine=True,
            prepares=True,
            summarizes=self._settings.summarizes,
            constrains=True,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Reply from the thread's own slot; waits only for another reply, never for a prepare."""
        self._pre_empt()
        async with self._engine_free:
            engine = await self._engine()
            try:
                slot = await self._claim(engine, prompt)
                options = self._options()
                body = {
                    "model": self._settings.name,
                    "messages": wire_messages(prompt.messages),
                    "stream": True,
                    "stream_options": {"include_usage": True},
                    **options.standard_fields(),
                    **self._own_fields(slot),
                    **self._form_fields(prompt, options),
                }
                url = f"{engine.process.root}/v1/chat/completions"
                reply = stream_reply(
                    engine.process.client,
                    url,
                    body,
                    server=_SERVER,
                    longest=options.longest_reply,
                    keeps_torn=False,
                )
                async with aclosing(reply) as events:
                    async for event in events:
                        yield event
            except PlannerUnreachableError as error:
                raise await self._crashed(engine) from error

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the model's own tokenizer."""
        engine = await self._engine()
        try:
            return await engine.server.count_tokens(texts)
        except PlannerUnreachableError as error:
            raise await self._crashed(engine) from error

    async def prepare(self, prompt: Prompt) -> int:
        """Read everything before the last message's words into the thread's slot.

        Gives the tokens held, fewer if a turn came in between: it keeps what was read.
        """
        held = _Held()
        task = asyncio.create_task(self._read_ahead(prompt, held), name="prepare")
        self._prepares[task] = held
        try:
            await asyncio.wait({task})
        finally:
            del self._prepares[task]
            task.cancel()
            await asyncio.wait({task})
        if not task.cancelled():
            task.result()
        return held.tokens

    async def forget(self, thread_id: ThreadId) -> None:
        """Erase the thread's slot; if the engine does not run, there is nothing to erase."""
        engine = self._running
        if engine is None or (slot := engine.slots.release(thread_id)) is None:
            return
        try:
            await engine.server.erase(slot.number)
        except PlannerUnreachableError:
            await self._crashed(engine)
        except PlannerError:
            return  # it stays marked, and is erased before its next use
        else:
            engine.slots.clean(slot.number)

    async def aclose(self) -> None:
        """End the engine for good; a reply in progress ends with an error."""
        self._is_closed = True
        self._pre_empt()
        async with self._starting:
            engine, self._running = self._running, None
            if engine is not None:
                await engine.process.aclose()

    async def _engine(self) -> _Running:
        async with self._starting:
            if self._is_closed:
                raise PlannerError("The model on this machine was closed. Start Pace again.")
            if self._running is not None and not await self._running.process.is_answering():
                engine, self._running = self._running, None
                await engine.process.aclose()
            if self._running is None:
                self._running = await self._started()
            return self._running

    async def _started(self) -> _Running:
        process = await EngineProcess.start(self._settings, over_socket=self._over_socket)
        server = LlamaServer(process.client, process.root, server=_SERVER)
        try:
            context_tokens = await server.context_tokens()
        except BaseException:
            await process.aclose()
            raise
        return _Running(process, server, SlotTable(self._settings.slots), context_tokens)

    async def _crashed(self, engine: _Running) -> PlannerError:
        """What to raise; the next call starts a new engine."""
        if self._running is engine:
            self._running = None
        return await engine.process.crash()

    async def _read_ahead(self, prompt: Prompt, held: _Held) -> None:
        async with self._engine_free:
            engine = await self._engine()
            try:
                prefix = await engine.server.prefix(prompt.messages)
                if not prefix:
                    return
                slot = await self._claim(engine, prompt)
                async with aclosing(engine.server.read(prefix, slot)) as steps:
                    async for tokens in steps:
                        held.tokens = tokens
            except PlannerUnreachableError as error:
                raise await self._crashed(engine) from error

    async def _claim(self, engine: _Running, prompt: Prompt) -> int:
        slot = engine.slots.claim(prompt.thread_id, prompt.session_id)
        if slot.is_dirty:
            await engine.server.erase(slot.number)
            engine.slots.clean(slot.number)
        return slot.number

    def _own_fields(self, slot: int) -> dict[str, object]:
        """What only llama.cpp's server knows."""
        fields: dict[str, object] = {"id_slot": slot, "cache_prompt": True, "return_progress": True}
        if self._settings.repeat_penalty is not None:
            fields["repeat_penalty"] = self._settings.repeat_penalty
        return fields

    def _form_fields(self, prompt: Prompt, options: ReplyOptions) -> dict[str, object]:
        """Have the engine decode under the reply's form; it ends at the form's last brace."""
        if prompt.reply_form is None:
            return {}
        fields: dict[str, object] = {"grammar": prompt.reply_form.grammar}
        if options.temperature is not None:
            fields["temperature"] = min(options.temperature, _FORM_TEMPERATURE)
        if self._settings.repeat_penalty is not None:
            fields |= {"repeat_penalty": 1.0, **_NO_LOOPS}
        return fields

    def _pre_empt(self) -> None:
        for task in self._prepares:
            task.cancel()
