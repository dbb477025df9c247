"""Stand-ins that do as they are told, for tests of Pace and of programs built on it.

A scripted one fails its test when it is asked for more than its script holds, or for less. Gates
hold an answer until the test opens them, so that no interleaving needs a sleep.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta, timezone
from types import TracebackType
from typing import Self

from pace.errors import ActionRefusedError
from pace.memory.prompt import MESSAGE_TOKENS, Prompt
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import ThreadId
from pace.ports import (
    Action,
    ActionRequest,
    ActionResult,
    ActionTraits,
    Approval,
    Arguments,
    Finished,
    FinishReason,
    PlannerEvent,
    PlannerTraits,
    Risk,
    TextDelta,
    ThreadSummarizer,
)
from pace.speech.ports import RATE, Heard, Sound

# As `pace.speech.sound` has it, which needs an extra.
_SILENCE_DBFS = -100.0


class Gate:
    """Holds whoever comes to it until it is opened, and says when somebody came."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    @property
    def is_reached(self) -> bool:
        """Whether somebody came."""
        return self._reached.is_set()

    def open(self) -> None:
        """Let everybody pass, now and later."""
        self._opened.set()

    async def wait_reached(self) -> None:
        """Wait until somebody has come to the gate."""
        await self._reached.wait()

    async def wait_opened(self) -> None:
        """Come to the gate, and wait until it is open."""
        self._reached.set()
        await self._opened.wait()


class GatedPlayback:
    """The sound of a reply that has come as far as the test says, and is over at its gate."""

    def __init__(self, heard: int = 0) -> None:
        self.heard = heard
        """How many characters have sounded."""
        self.over = Gate()

    async def wait_over(self) -> None:
        """Wait at the gate."""
        await self.over.wait_opened()


ScriptStep = str | PlannerEvent | Gate | Exception
"""A chunk of words, an event, a gate to be held at, or an error to end with."""


class _Scripted:
    """Fails the test for calls that its script does not know, and for replies nobody asked for.

    As a context manager it does so at its end; `check` does where there is no `with`. An unscripted
    call raises at once, too, but what made it may be a task whose failure nobody sees.
    """

    def __init__(self, name: str, replies: int) -> None:
        self._script_of = name
        self._left = replies
        self._unscripted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.check()

    def check(self) -> None:
        """Fail for replies that were not used and for calls that were not scripted."""
        if self._unscripted:
            raise AssertionError(f"{self._script_of}: {self._unscripted} calls were not scripted")
        if self._left:
            raise AssertionError(f"{self._script_of}: {self._left} replies were not used")

    def _use_reply(self) -> None:
        if not self._left:
            self._unscripted += 1
            raise AssertionError(f"{self._script_of}: there is no reply left for this call")
        self._left -= 1


class ScriptedPlanner(_Scripted):
    """Replies from a script, one reply per prompt, in order; remembers all that it was sent.

    A reply is one text, or a sequence of steps. `Finished` is added to a reply that neither has one
    nor ends with an error. `with ScriptedPlanner(...) as planner:` fails the test for replies that
    were not used and for prompts that were not scripted; so does `check`.
    """

    def __init__(
        self,
        *replies: str | Sequence[ScriptStep],
        traits: PlannerTraits | None = None,
        traits_gate: Gate | None = None,
        prepare_gate: Gate | None = None,
    ) -> None:
        self._replies = [(reply,) if isinstance(reply, str) else tuple(reply) for reply in replies]
        super().__init__("scripted planner", len(replies))
        self._traits = traits or PlannerTraits(
            name="scripted", model="script", context_tokens=8192, on_this_machine=True
        )
        self._traits_gate = traits_gate
        self._prepare_gate = prepare_gate
        self.prompts: list[Prompt] = []
        """Every prompt that a reply was asked for, in order."""
        self.stopped: list[Prompt] = []
        """Those whose stream was closed or cancelled before its end."""
        self.prepared: list[Prompt] = []
        """Every prompt that was to be prepared, in order."""
        self.stopped_prepares: list[Prompt] = []
        """Those whose prepare was cancelled at the gate."""
        self.forgotten: list[ThreadId] = []
        """Every thread that was to be forgotten, in order."""
        self.is_closed = False

    async def traits(self) -> PlannerTraits:
        """Give the traits it was made with; wait at their gate first, if there is one."""
        if self._traits_gate is not None:
            await self._traits_gate.wait_opened()
        return self._traits

    async def stream(self, prompt: Prompt) -> AsyncGenerator[PlannerEvent, None]:
        """Give the next reply, step by step."""
        self.prompts.append(prompt)
        self._use_reply()
        steps = self._replies[len(self.prompts) - 1]
        is_over = False
        try:
            async with aclosing(_played(steps)) as events:
                async for event in events:
                    is_over = isinstance(event, Finished)
                    yield event
        except Exception:
            is_over = True
            raise
        finally:
            if not is_over:
                self.stopped.append(prompt)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count by the estimate."""
        return [estimate_tokens(text) for text in texts]

    async def prepare(self, prompt: Prompt) -> int:
        """Remember the prompt; wait at the gate, if there is one."""
        self.prepared.append(prompt)
        if self._prepare_gate is not None:
            try:
                await self._prepare_gate.wait_opened()
            except asyncio.CancelledError:
                self.stopped_prepares.append(prompt)
                raise
        return sum(estimate_tokens(m.content) + MESSAGE_TOKENS for m in prompt.messages[:-1])

    async def forget(self, thread_id: ThreadId) -> None:
        """Remember which thread was to be forgotten."""
        self.forgotten.append(thread_id)

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True


async def _played(steps: Sequence[ScriptStep]) -> AsyncGenerator[PlannerEvent, None]:
    """The events of a reply; raises the script's error where it stands."""
    for step in steps:
        if isinstance(step, Gate):
            await step.wait_opened()
        elif isinstance(step, Exception):
            raise step
        elif isinstance(step, str):
            yield TextDelta(step)
        else:
            yield step
            if isinstance(step, Finished):
                return
    yield Finished(reason=FinishReason.STOP)


class ScriptedSummarizer(_Scripted):
    """Answers folds from a script, in order; remembers every fold.

    A reply is a text, which becomes an update that covers all pairs of the fold; a whole update,
    given as it is; or an error to raise. `with ScriptedSummarizer(...) as summarizer:` fails the
    test for replies that were not used and for folds that were not scripted; so does `check`.
    """

    def __init__(self, *replies: str | SummaryUpdate | Exception, name: str = "scripted") -> None:
        self._replies = replies
        super().__init__("scripted summarizer", len(replies))
        self._name = name
        self.folds: list[Fold] = []
        """Every fold that was asked for, in order."""

    @property
    def name(self) -> str:
        """The name it was made with."""
        return self._name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Give the next reply."""
        self.folds.append(fold)
        self._use_reply()
        reply = self._replies[len(self.folds) - 1]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, SummaryUpdate):
            return reply
        return SummaryUpdate(
            session_id=fold.session_id,
            version=fold.version,
            covers=fold.pairs[-1].number,
            text=reply,
            made_by=self._name,
            prefix=fold.prefix,
        )


class GatedSummarizer:
    """Holds every fold until it is released, then lets another summarizer answer it.

    Folds may be released in any order, by their versions, so that a late one lands after a newer.
    """

    def __init__(self, inner: ThreadSummarizer) -> None:
        self._inner = inner
        self._gates: dict[int, Gate] = {}
        self._is_open = False
        self._asked = asyncio.Condition()
        self.folds: list[Fold] = []
        """Every fold that was asked for, in order."""
        self.stopped: list[Fold] = []
        """Those that were cancelled while they were held."""

    @property
    def name(self) -> str:
        """The inner summarizer's."""
        return self._inner.name

    async def wait_asked(self, times: int = 1) -> Fold:
        """Wait until so many folds have been asked for; gives the last of them."""
        async with self._asked:
            await self._asked.wait_for(lambda: len(self.folds) >= times)
        return self.folds[times - 1]

    def release(self, version: int) -> None:
        """Let the fold of this version go on, now or when it comes."""
        self._gate(version).open()

    def release_all(self) -> None:
        """Let every fold go on, also those to come."""
        self._is_open = True
        for gate in self._gates.values():
            gate.open()

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Wait to be released, then answer as the inner summarizer does."""
        self.folds.append(fold)
        async with self._asked:
            self._asked.notify_all()
        try:
            await self._gate(fold.version).wait_opened()
        except asyncio.CancelledError:
            self.stopped.append(fold)
            raise
        return await self._inner.summarize(fold)

    def _gate(self, version: int) -> Gate:
        gate = self._gates.setdefault(version, Gate())
        if self._is_open:
            gate.open()
        return gate


class ScriptedAction:
    """An action that does nothing but remember; it takes one text, `what`.

    Each run gives the next of `results`: a line, a whole result, a gate to be held at before the
    next one, or an error to raise. Without any it says what it did.
    """

    def __init__(
        self,
        name: str,
        *results: str | ActionResult | Gate | Exception,
        risk: Risk = Risk.LOW,
        time_limit: float = 30.0,
    ) -> None:
        self._results = list(results)
        self._traits = ActionTraits(
            name=name,
            description=f"Do {name}.",
            arguments={
                "type": "object",
                "properties": {"what": {"type": "string"}},
                "required": ["what"],
                "additionalProperties": False,
            },
            risk=risk,
            time_limit=time_limit,
        )
        self.runs: list[Arguments] = []
        """The arguments of every run, in order."""

    @property
    def traits(self) -> ActionTraits:
        """What it was made as."""
        return self._traits

    def checked(self, arguments: Arguments) -> Arguments:
        """Take `what`, a text, and nothing else."""
        if set(arguments) != {"what"} or not isinstance(arguments["what"], str):
            raise ActionRefusedError(f"{self._traits.name} takes one text, what.")
        return arguments

    def would(self, arguments: Arguments) -> str:
        """Name itself and its text."""
        return f"{self._traits.name} {arguments['what']}"

    async def run(self, arguments: Arguments) -> ActionResult:
        """Remember the arguments, and give the next result."""
        self.runs.append(arguments)
        while self._results:
            result = self._results.pop(0)
            if isinstance(result, Gate):
                await result.wait_opened()
            elif isinstance(result, Exception):
                raise result
            else:
                return result if isinstance(result, ActionResult) else ActionResult(line=result)
        return ActionResult(line=f"Did {self.would(arguments)}.")


class FixedActions:
    """The actions it was made with."""

    def __init__(self, *actions: Action) -> None:
        self._actions = actions

    def offered(self) -> Sequence[Action]:
        """All of them, always."""
        return self._actions

    async def run(self) -> None:
        """No work stands behind them."""

    def settings_changed(self) -> None:
        """They stay as they are."""

    def farewell(self) -> str:
        """Nothing is lost."""
        return ""


class ScriptedApprover(_Scripted):
    """Gives the person's words from a script, in order; remembers what was asked."""

    def __init__(self, *words: Approval | Gate) -> None:
        self._words = [word for word in words if isinstance(word, Approval)]
        self._gates = [word for word in words if isinstance(word, Gate)]
        super().__init__("scripted approver", len(self._words))
        self.requests: list[ActionRequest] = []
        """Everything that was asked, in order."""

    async def ask(self, request: ActionRequest) -> Approval:
        """Give the next word; wait at its gates first, if there are any."""
        self.requests.append(request)
        for gate in self._gates:
            await gate.wait_opened()
        self._use_reply()
        return self._words[len(self.requests) - 1]


class ManualClock:
    """A clock that stands until it is moved.

    It starts at noon of 1 June 2026, two hours east of UTC, unless told otherwise.
    """

    def __init__(self, local_time: datetime | None = None) -> None:
        zone = timezone(timedelta(hours=2))
        self._local = local_time or datetime(2026, 6, 1, 12, tzinfo=zone)
        self._now = self._local.astimezone(UTC)

    def now(self) -> datetime:
        """Give the time on the idle clock."""
        return self._now

    def local_time(self) -> datetime:
        """Give the time on the wall."""
        return self._local

    def advance(self, by: timedelta) -> None:
        """Let time pass, on both readings."""
        self._now += by
        self._local += by

    def set_local_time(self, local_time: datetime) -> None:
        """Change the wall clock alone, as people and time servers do."""
        self._local = local_time


# --- speech


class ScriptedDetector:
    """Says of each chunk what its script says, and silence after its end."""

    def __init__(self, *probabilities: float) -> None:
        self._left = list(reversed(probabilities))
        self.resets = 0
        """How often it was to forget."""

    def probability(self, chunk: bytes) -> float:  # noqa: ARG002  # the script knows
        """The next of the script."""
        return self._left.pop() if self._left else 0.0

    def reset(self) -> None:
        """Count it."""
        self.resets += 1


class ScriptedRecogniser(_Scripted):
    """Hears what its script says: a text, a whole `Heard`, or an error; at a gate it waits."""

    name = "scripted recogniser"

    def __init__(self, *replies: str | Heard | Exception, gate: Gate | None = None) -> None:
        super().__init__(self.name, len(replies))
        self._replies = list(reversed(replies))
        self._gate = gate
        self.sounds: list[Sound] = []
        """Every sound that was to be recognised, in order."""
        self.stopped = 0
        """How many calls were cancelled at the gate."""

    async def recognise(
        self,
        sound: Sound,
        *,
        language: str | None = None,
        words: bool = False,  # noqa: ARG002  # the script says
    ) -> Heard:
        """The next reply."""
        self.sounds.append(sound)
        self._use_reply()
        reply = self._replies.pop()
        if self._gate is not None:
            try:
                await self._gate.wait_opened()
            except asyncio.CancelledError:
                self.stopped += 1
                raise
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Heard):
            return reply
        return Heard(
            text=reply,
            language=language or "en",
            no_speech=0.01,
            log_probability=-0.2,
            compression=1.0,
        )

    async def aclose(self) -> None:
        """There is nothing to let go of."""


class ScriptedVoice:
    """Makes a second of silence for every ten characters; fails instead, if it is to."""

    name = "scripted voice"

    def __init__(self, *languages: str, fault: Exception | None = None) -> None:
        self.languages = frozenset(languages or {"en"})
        self._fault = fault
        self.spoken: list[str] = []
        """All that it was to say, in order."""

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:  # noqa: ARG002
        """The sound of a text, as one piece."""
        self.spoken.append(text)
        if self._fault is not None:
            raise self._fault
        yield Sound(b"\0\0" * (RATE * len(text) // 10))

    async def aclose(self) -> None:
        """There is nothing to end."""


class ScriptedMicrophone:
    """Hears what its script says: chunks, gates that it waits at, errors; then it has ended."""

    def __init__(self, *steps: bytes | Gate | Exception) -> None:
        self._steps = steps
        self.is_open = False
        """Whether somebody is listening."""

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The chunks of the script, from its beginning."""
        self.is_open = True
        try:
            for step in self._steps:
                if isinstance(step, Gate):
                    await step.wait_opened()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.is_open = False


class ManualSpeaker:
    """Plays as far as the test says: of what it was given, so many seconds have sounded."""

    def __init__(self) -> None:
        self.played = 0.0
        """Seconds that have sounded; set by the test."""
        self.level = _SILENCE_DBFS
        """How loud in dBFS is what sounds; set by the test."""
        self.given = 0.0
        """Seconds of sound that it was given since it was stopped last."""
        self.stops = 0
        """How often it was to be silent."""
        self.is_paused = False
        """Whether it holds its sound."""
        self.silent = Gate()
        """Whoever waits until all has sounded waits here; another one from each stop on."""

    async def play(self, sound: Sound) -> None:
        """Take it."""
        self.given += sound.seconds

    async def wait_silent(self) -> None:
        """Wait at the gate."""
        await self.silent.wait_opened()

    def pause(self) -> None:
        """Nothing sounds by itself."""
        self.is_paused = True

    def resume(self) -> None:
        """Nothing sounds by itself."""
        self.is_paused = False

    def stop(self) -> None:
        """Drop what has not sounded."""
        self.stops += 1
        self.is_paused = False
        self.played = self.given = 0.0
        self.silent.open()
        self.silent = Gate()

    async def aclose(self) -> None:
        """There is nothing to let go of."""
