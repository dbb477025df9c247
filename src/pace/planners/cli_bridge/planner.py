"""Answers by a command-line assistant of the person's: one run for each turn, and none kept."""

import asyncio
import os
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

from pace.errors import PlannerError
from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.planners.answers import parsed
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.environment import environment_for, leading_elsewhere
from pace.planners.cli_bridge.finding import find_program, vendor_of
from pace.planners.cli_bridge.patience import Limits, Patience, Trouble
from pace.planners.cli_bridge.program import Launch, Program, SilentError
from pace.planners.cli_bridge.reply import Reply
from pace.planners.cli_bridge.room import Room, private_room
from pace.planners.cli_bridge.vendor import Spoken
from pace.planners.options import ReplyOptions
from pace.ports import Notice, PlannerEvent, PlannerTraits
from pace.settings import Provider

_DEFAULT_MODEL = "default"
_LINES = 20
_LONGEST_LINE = 400
# What a program takes from its last line to its end.
_END_LIMIT = 1.0
_LOGIN_LIMIT = 5.0
_SIGNED_OUT = 1


class CliPlanner:
    """A vendor's program, with the login that it has and the model that it takes or is given.

    `executable` takes the place of the one on the search path. Temperature and the length of a
    reply cannot be told to it; a reply far beyond the length is cut.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        model: str | None = None,
        options: Callable[[], ReplyOptions] = ReplyOptions,
        executable: Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._provider = provider
        self._vendor = vendor_of(provider)
        self._facts = self._vendor.facts
        self._faults = self._facts.faults
        self._model = model
        self._options = options
        self._executable = executable
        self._limits = limits or Limits()
        self._running: set[Program] = set()
        self._has_told_unused = False
        self.diagnosis: tuple[str, ...] = ()
        """What the last run to fail said on standard error, words of the conversation blanked."""

    @property
    def keeps(self) -> str:
        """What the program keeps or adds by itself, in a sentence; empty for nothing."""
        return self._facts.keeps

    async def traits(self) -> PlannerTraits:
        """What is known without asking it; its context is a cautious guess."""
        return PlannerTraits(
            name="cli",
            model=self._model or _DEFAULT_MODEL,
            context_tokens=self._facts.context_tokens,
            assumes_context=True,
            on_this_machine=False,
            summarizes=True,
            host=self._facts.host,
        )

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Run it once; closing the stream ends it and all that it started."""
        spoken, said = self._vendor.spoken(prompt.messages), Said(prompt.messages)
        unused = self._leading_elsewhere()
        if unused and not self._has_told_unused:
            self._has_told_unused = True
            yield Notice(self._faults.not_used(unused))

        def arguments(room: Room) -> Sequence[str]:
            return self._vendor.arguments(room, model=self._model)

        async with self._run(arguments, spoken) as program:
            try:
                async with aclosing(self._events(program, said)) as events:
                    async for event in events:
                        yield event
            except PlannerError:
                self.diagnosis = said.without_words(program.last_stderr)
                raise

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """By the estimate."""
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:  # noqa: ARG002  # the port's
        """Nothing: each run begins anew."""
        return 0

    async def forget(self, thread_id: ThreadId) -> None:
        """Nothing: no session of the program's is kept or named."""

    async def aclose(self) -> None:
        """End what still runs."""
        await asyncio.gather(*(program.aclose() for program in tuple(self._running)))

    @asynccontextmanager
    async def _run(
        self, arguments: Callable[[Room], Sequence[str]], spoken: Spoken
    ) -> AsyncIterator[Program]:
        """A running program in a room of its own, both gone at the end; raises PlannerError."""
        found = self._executable or find_program(self._provider)
        if found is None:
            raise self._faults.missing()
        async with AsyncExitStack() as stack:
            try:
                files = private_room(self._facts.fixed_files, self._facts.work_files)
                room, watch = await stack.enter_async_context(files)
            except OSError as error:
                raise self._faults.cannot_start(error) from error
            launch = Launch(
                argv=(str(found.absolute()), *arguments(room)),
                environment=environment_for(
                    os.environ,
                    passed=self._passed(),
                    settings={**self._facts.settings, **self._vendor.environment(room)},
                    temporary=room.temporary,
                ),
                folder=room.work,
                standard_input=spoken.standard_input,
                pipe=spoken.pipe,
            )
            program = await self._started(launch)
            watch.begins(program.process_id)
            self._running.add(program)
            try:
                yield program
            finally:
                try:
                    await program.aclose()
                    watch.ended()
                finally:
                    self._running.discard(program)

    async def _started(self, launch: Launch) -> Program:
        try:
            return await Program.start(launch)
        except FileNotFoundError as error:
            raise self._faults.missing() from error
        except OSError as error:
            raise self._faults.cannot_start(error) from error

    def _leading_elsewhere(self) -> tuple[str, ...]:
        return leading_elsewhere(os.environ, self._facts.elsewhere)

    def _passed(self) -> frozenset[str]:
        """No key that may be meant for another service: this one would get to know it."""
        facts = self._facts
        return facts.passed - facts.keys if self._leading_elsewhere() else facts.passed

    async def _events(self, program: Program, said: Said) -> AsyncGenerator[PlannerEvent, None]:
        reader = self._vendor.reader(said)
        reply = Reply(longest=self._options().longest_reply)
        trouble = Trouble(self._limits.trouble)
        patience = Patience(program, reply, self._limits)
        plain: deque[str] = deque(maxlen=_LINES)
        async with aclosing(self._told(program, reply, plain)) as told:
            async for event in told:
                for words in (taken := reader.take(event)):
                    for shown in reply.take(words):
                        yield shown
                patience.note_line(has_words=bool(taken))
                if trouble.begins(reader):
                    yield await self._trouble_told()
                if trouble.is_too_long():
                    raise self._faults.unreachable()
                if reader.told.reason or patience.is_over():
                    break
        if reader.told.reason is None and not (reply.has_words or reply.has_reasoned):
            if patience.is_over():
                raise self._faults.wordless()
            raise await self._fault_at_end(program, plain, said)
        for last in reply.finish(reader.told):
            yield last

    async def _told(
        self, program: Program, reply: Reply, plain: deque[str]
    ) -> AsyncGenerator[Mapping[str, object], None]:
        """The program's events, empty ones for lines that are none. A reply may break off."""
        limits = self._limits
        lines = program.lines(first_limit=limits.first, silence_limit=limits.silence)
        try:
            async with aclosing(lines):
                async for line in lines:
                    if isinstance(event := parsed(line), dict):
                        yield event
                    else:
                        plain.append(line[:_LONGEST_LINE])
                        yield {}
        except SilentError as error:
            if not reply.has_words:
                raise self._faults.silent() from error

    async def _trouble_told(self) -> Notice:
        """What to tell of it; raises PlannerSignedOutError if that is why."""
        if await self._is_signed_out():
            raise self._faults.signed_out()
        return Notice(
            f"The program {self._facts.name} has trouble reaching {self._faults.company}, and "
            "tries again."
        )

    async def _fault_at_end(
        self, program: Program, plain: Sequence[str], said: Said
    ) -> PlannerError:
        """Why a program ended without telling it in a form of its own."""
        code = await program.wait_ended(_END_LIMIT)
        if code in self._facts.signed_out_codes:
            return self._faults.signed_out()
        notices = map(said.without_passages, (*plain, *program.last_stderr))
        return self._faults.by_notice(notices, self._faults.ended(code))

    async def _is_signed_out(self) -> bool:
        """Whether the program says so when asked; only some can be."""
        if not self._facts.asks_login or any(map(os.environ.get, self._facts.keys)):
            return False

        def arguments(room: Room) -> Sequence[str]:  # noqa: ARG001
            return self._facts.asks_login

        async with self._run(arguments, Spoken(standard_input="")) as program:
            return await program.wait_ended(_LOGIN_LIMIT) == _SIGNED_OUT
