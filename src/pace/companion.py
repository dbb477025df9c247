"""One turn, end to end: from a person's words to the recorded reply."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime

from pace.acting import Acting, TurnActions
from pace.asked import Say, TurnReport, Words
from pace.background import Background
from pace.counting import TokenCounts
from pace.early import EarlyPlanner
from pace.errors import (
    EmptyReplyError,
    EmptyWordsError,
    PlannerError,
    PromptTooLongError,
    RepeatedTurnError,
    SessionOverError,
)
from pace.journal.rows import JournalTurn, TurnStatus
from pace.journaling import Journaling
from pace.memory.fitting import DoesNotFit, Room
from pace.memory.prompt import (
    Draft,
    ExtraBlock,
    Message,
    Prompt,
    PromptParts,
    Role,
    recall_block,
)
from pace.memory.thread import RecordOutcome, ThreadMemory
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair, is_blank
from pace.ports import (
    SUMMARIES,
    Clock,
    Finished,
    FinishReason,
    Planner,
    PlannerEvent,
    PlannerTraits,
    Reasoned,
    TextDelta,
)
from pace.preparing import Preparing
from pace.sayable import sayable
from pace.threads import EndCause, SessionEnded, Threads, new_session_id

# Of a turn that was stopped before its prompt was made.
_NO_PARTS = PromptParts(system=0, summary=0, pending=0, window=0, facts=0, recalled=0, words=0)


@dataclass(slots=True)
class _Reply:
    """A reply as it comes in, who gives it, and when its words were said."""

    said_at: datetime
    planner: str = ""
    model: str = ""
    prompt: Prompt | None = None
    text: str = ""
    finished: Finished | None = None
    actions: TurnActions | None = None
    trouble: str = ""

    @property
    def has_acted(self) -> bool:
        """Whether an action was begun, so that what was done has to be recorded (R11)."""
        return self.actions is not None and self.actions.has_begun

    @property
    def broke_off(self) -> bool:
        """Whether the planner was gone before its reply had come to an end (R11)."""
        return self.finished is not None and self.finished.reason is FinishReason.BROKEN_OFF

    def take(self, event: PlannerEvent) -> None:
        if isinstance(event, TextDelta):
            self.text += event.text
        elif isinstance(event, Reasoned):
            self.text = event.kept
        elif isinstance(event, Finished):
            self.finished = event
            self.planner = event.planner or self.planner
            self.model = event.model or self.model


@dataclass(slots=True)
class _Answering:
    """A planner at work for one session."""

    session_id: SessionId
    task: asyncio.Task[None]
    was_stopped: bool = False

    def stop(self) -> None:
        if not self.task.done():
            self.was_stopped = True
            self.task.cancel()


class Companion:
    """Runs turns over threads, with whatever planner it was given.

    `run` owns the work apart from turns; a companion without it still answers, and folds nothing.
    With a `journal`, every turn is written there before it is acknowledged. With `acting`, turns
    may do what they are asked for.
    """

    def __init__(
        self,
        *,
        threads: Threads,
        planner: Planner,
        background: Background,
        counts: TokenCounts,
        preparing: Preparing,
        clock: Clock,
        system: Callable[[], str],
        reply_tokens: Callable[[], int],
        journal: Journaling | None = None,
        acting: Acting | None = None,
    ) -> None:
        self._threads = threads
        self._planner = EarlyPlanner(planner)
        self._background = background
        self._counts = counts
        self._preparing = preparing
        self._clock = clock
        self._system = system
        self._reply_tokens = reply_tokens
        self._journal = journal
        self._acting = acting
        self._answering: dict[ThreadId, _Answering] = {}
        threads.when_ended(self._session_ended)

    # --- one turn

    async def take_turn(self, thread_id: ThreadId, words: Words, say: Say) -> TurnReport:
        """Answer a person's words, telling `say` as they come, and record the pair.

        Stopped, by `stop` or by cancellation, it keeps what was said. Raises PlannerError,
        PromptTooLongError, EmptyWordsError, RepeatedTurnError or SessionOverError, and the thread
        is then as it was; raises StoreError when memory cannot be reached.
        """
        words = replace(words, text=sayable(words.text))
        if is_blank(words.text):
            raise EmptyWordsError
        self._refuse_own_reply(thread_id)
        reply = _Reply(said_at=self._clock.local_time())
        if words.said_in is None and self._threads.is_taken(thread_id):
            # Words that have to wait belong to the session in which they were said, not to one
            # that a reset begins meanwhile (R4).
            words = replace(words, said_in=(await self._threads.look(thread_id)).session_id)
        async with self._threads.in_order(thread_id):
            memory = await self._open(thread_id, words)
            if words.turn_id not in memory.open_turns:
                raise RepeatedTurnError
            if self._journal is not None:
                self._journal.begin(memory.session_id, words.turn_id)
            try:
                outcome, interrupted = await self._take_opened(memory, words, reply, say)
            finally:
                if self._journal is not None:
                    await self._journal.close(memory.session_id, words.turn_id)
        return TurnReport(
            turn_id=words.turn_id,
            session_id=memory.session_id,
            text=reply.text,
            interrupted=interrupted,
            cut_off=reply.finished is not None and reply.finished.reason is not FinishReason.STOP,
            remembered=outcome is RecordOutcome.RECORDED,
            parts=reply.prompt.parts if reply.prompt else _NO_PARTS,
            gave_way=reply.prompt.gave_way if reply.prompt else (),
            finished=reply.finished,
            model=reply.model,
            trouble=reply.trouble,
        )

    async def _take_opened(
        self, memory: ThreadMemory, words: Words, reply: _Reply, say: Say
    ) -> tuple[RecordOutcome, bool]:
        """Answer and record an accepted turn; what became of its pair, and if it was stopped."""
        try:
            interrupted = await self._answer(memory, words, reply, say)
        except asyncio.CancelledError:
            await self._close(memory, words, reply, interrupted=True)
            raise
        except BaseException as error:
            if not reply.has_acted:
                await self._abandon(memory.thread_id, words.turn_id)
                await self._write_down(memory, words, reply, TurnStatus.FAILED)
                raise
            if not isinstance(error, PlannerError):
                await self._close(memory, words, reply, interrupted=True)
                raise
            reply.trouble, interrupted = str(error), False
        finally:
            self._preparing.expect(memory.thread_id, None)
        return await self._close(memory, words, reply, interrupted=interrupted), interrupted

    async def accept(self, thread_id: ThreadId, turn_id: TurnId) -> None:
        """Accept a turn whose words are still being said, so that the thread is not idle meanwhile.

        `take_turn` goes on with it, or `withdraw` takes it back.
        """
        await self._open(thread_id, Words(text="", turn_id=turn_id))

    async def withdraw(self, thread_id: ThreadId, turn_id: TurnId) -> None:
        """What was being said was nothing: the turn was never there, and the idle time runs on."""
        await self._planner.give_up(thread_id)
        await self._threads.change(thread_id, lambda memory: (memory.withdraw(turn_id), None))

    async def write_ahead(self, thread_id: ThreadId, text: str) -> None:
        """Have an engine of this machine reply to words that probably are the next turn's.

        Returns when the reply is written or given up. A turn with these words takes it over, also
        before that; until then nothing of it is told, done or recorded. Cancelled, and by other
        words, it is given up. Does nothing while a turn runs, and for a planner that is elsewhere.
        """
        text = sayable(text)
        if is_blank(text) or self._threads.is_taken(thread_id):
            return
        try:
            traits = await self._planner.traits()
            if not (traits.prepares and traits.on_this_machine):
                return
            memory = await self._threads.look(thread_id)
            prompt = await self._prompt(memory, Words(text=text), traits)
        except (PlannerError, PromptTooLongError):
            return  # the turn tells it
        if self._acting is not None and self._acting.is_on:
            prompt = self._acting.formed(prompt, self._reply_tokens())
        with self._background.turn():
            await self._planner.write_ahead(prompt)

    def _refuse_own_reply(self, thread_id: ThreadId) -> None:
        """A planner that takes a turn of the thread it answers would wait for itself."""
        answering = self._answering.get(thread_id)
        if answering is not None and answering.task is asyncio.current_task():
            raise RuntimeError("a reply cannot take a turn of its own thread")

    async def _open(self, thread_id: ThreadId, words: Words) -> ThreadMemory:
        """The idle gate, and the turn's acceptance, as one change."""
        following = new_session_id()
        now = self._clock.now()

        def step(memory: ThreadMemory) -> tuple[ThreadMemory, ThreadMemory]:
            if words.said_in not in {None, memory.session_id}:
                raise SessionOverError
            opened = memory.end_if_idle(following, now=now).accept(words.turn_id)
            return opened, opened

        return await self._threads.change(thread_id, step, ending=EndCause.IDLE)

    async def _compose(
        self,
        memory: ThreadMemory,
        text: str,
        traits: PlannerTraits,
        blocks: tuple[ExtraBlock, ...] = (),
    ) -> Prompt:
        composed = await self._counts.compose(
            Draft.of(memory, system=self._system(), words=text, blocks=blocks),
            Room(context_tokens=traits.context_tokens, reply_tokens=self._reply_tokens()),
        )
        if isinstance(composed, DoesNotFit):
            raise PromptTooLongError(tokens=composed.tokens, room=composed.room)
        return composed

    async def _answer(self, memory: ThreadMemory, words: Words, reply: _Reply, say: Say) -> bool:
        """Compose and let the planner answer, in a task that can be stopped; whether it was."""
        task = asyncio.create_task(self._stream(memory, words, reply, say), name="answer")
        answering = _Answering(memory.session_id, task)
        self._answering[memory.thread_id] = answering
        try:
            await asyncio.wait([task])
        finally:
            del self._answering[memory.thread_id]
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if task.cancelled() and answering.was_stopped:
            return True
        await task
        return False

    async def _stream(self, memory: ThreadMemory, words: Words, reply: _Reply, say: Say) -> None:
        with self._background.turn():
            await self._write(memory, words, reply, say)
        if is_blank(reply.text):
            raise EmptyReplyError
        if words.playback is not None:
            # The engine is free while the person listens, and nearly all of the next prompt known.
            self._preparing.expect(memory.thread_id, self._finished(memory, words, reply))
            self._background.nudge(memory.thread_id)
            await words.playback.wait_over()

    async def _write(self, memory: ThreadMemory, words: Words, reply: _Reply, say: Say) -> None:
        """Compose the prompt and let the planner write its reply."""
        if words.replaces is not None:
            memory = memory.take_back(words.replaces)
        traits = await self._planner.traits()
        reply.planner, reply.model = traits.name, traits.model
        prompt = reply.prompt = await self._prompt(memory, words, traits)
        self._preparing.forget(memory.thread_id)

        async def hear(event: PlannerEvent) -> None:
            heard = event
            if isinstance(event, TextDelta):
                heard = TextDelta(sayable(event.text))
            elif isinstance(event, Reasoned):
                heard = Reasoned(sayable(event.kept))
            reply.take(heard)
            await say(heard)

        if self._acting is not None and self._acting.is_on:
            reply.actions = TurnActions(
                thread_id=memory.thread_id,
                session_id=memory.session_id,
                turn_id=words.turn_id,
                reply_tokens=self._reply_tokens(),
                asks_again=words.replaces is not None,
            )
            await self._acting.answer(self._planner, prompt, reply.actions, hear)
        else:
            async with aclosing(self._planner.stream(prompt)) as events:
                async for event in events:
                    await hear(event)

    async def _prompt(self, memory: ThreadMemory, words: Words, traits: PlannerTraits) -> Prompt:
        """What the planner is to be shown for these words, with the blocks before them."""
        blocks = (*words.blocks, *self._recalled(memory, words.text))
        if self._acting is not None:
            blocks = (*blocks, *self._acting.blocks(memory))
        return await self._compose(memory, words.text, traits, blocks)

    def _recalled(self, memory: ThreadMemory, text: str) -> tuple[ExtraBlock, ...]:
        block = recall_block(memory, text)
        return () if block is None else (block,)

    async def _close(
        self, memory: ThreadMemory, words: Words, reply: _Reply, *, interrupted: bool
    ) -> RecordOutcome:
        """Record the pair in the session in which it began; nothing said is nothing recorded."""
        if interrupted and words.playback is not None and not reply.has_acted:
            reply.text = reply.text[: words.playback.heard].rstrip()
        if is_blank(reply.text):
            await self._abandon(memory.thread_id, words.turn_id)
            await self._write_down(memory, words, reply, TurnStatus.FAILED)
            return RecordOutcome.NOT_OPEN
        finished = self._finished(memory, words, reply, interrupted=interrupted)
        now = self._clock.now()
        outcome = await self._threads.change(
            memory.thread_id, lambda held: held.record(finished, now=now)
        )
        self._background.nudge(memory.thread_id)
        is_whole = not (interrupted or reply.broke_off)
        status = TurnStatus.ANSWERED if is_whole else TurnStatus.INTERRUPTED
        await self._write_down(memory, words, reply, status)
        return outcome

    def _finished(
        self, memory: ThreadMemory, words: Words, reply: _Reply, *, interrupted: bool = False
    ) -> FinishedTurn:
        return FinishedTurn(
            turn_id=words.turn_id,
            session_id=memory.session_id,
            user_text=words.text,
            reply_text=reply.text,
            recorded_at=self._clock.local_time(),
            interrupted=interrupted or reply.broke_off,
            replaces=words.replaces,
        )

    async def _write_down(
        self, memory: ThreadMemory, words: Words, reply: _Reply, status: TurnStatus
    ) -> None:
        """Have the journal keep the turn as it was said; a failed one replaces nothing."""
        if self._journal is None:
            return
        is_failed = status is TurnStatus.FAILED
        turn = JournalTurn(
            turn_id=words.turn_id,
            thread_id=memory.thread_id,
            session_id=memory.session_id,
            source=words.source,
            planner=reply.planner,
            model=reply.model,
            said_at=reply.said_at,
            status=status,
            user_text=words.text,
            reply_text="" if is_failed else reply.text,
        )
        await self._journal.record(turn, replaces=None if is_failed else words.replaces)

    async def _abandon(self, thread_id: ThreadId, turn_id: TurnId) -> None:
        now = self._clock.now()
        await self._threads.change(
            thread_id, lambda memory: (memory.abandon(turn_id, now=now), None)
        )
        self._background.nudge(thread_id)

    # --- what a person may do besides

    def stop(self, thread_id: ThreadId) -> bool:
        """Stop the reply in progress, keeping what was said; False if there is none."""
        answering = self._answering.get(thread_id)
        if answering is None:
            return False
        answering.stop()
        return True

    async def take_back(self, thread_id: ThreadId) -> TurnPair | None:
        """Take the last pair back, and give it; None if the window is empty."""

        def step(memory: ThreadMemory) -> tuple[ThreadMemory, TurnPair | None]:
            if not memory.window:
                return memory, None
            return memory.take_back(memory.window[-1].turn_id), memory.window[-1]

        taken = await self._threads.change(thread_id, step)
        self._background.nudge(thread_id)
        if taken is not None and self._journal is not None:
            await self._journal.took_back(taken.turn_id)
        return taken

    async def strike(self, thread_id: ThreadId, text: str) -> None:
        """Have a text forgotten by window, pending pairs, summary and the engine's cache."""
        await self._threads.change(thread_id, lambda memory: (memory.strike(text), None))
        await self._forget_cache(thread_id)  # and what actions brought
        self._background.nudge(thread_id)

    async def reset(self, thread_id: ThreadId, cause: EndCause = EndCause.RESET) -> None:
        """End the live session: nothing said in it is held any more, and a reply in it stops."""
        memory = await self._threads.look(thread_id)
        await self._threads.end(thread_id, memory.session_id, cause)

    # --- questions

    async def memory(self, thread_id: ThreadId) -> ThreadMemory:
        """The thread as it is."""
        return await self._threads.look(thread_id)

    async def conversation_history(self, thread_id: ThreadId) -> tuple[Message, ...]:
        """The live exchange list: the verbatim window as messages, exactly as said."""
        memory = await self._threads.look(thread_id)
        return tuple(
            message
            for pair in memory.verbatim_window
            for message in (
                Message(Role.USER, pair.user_text),
                Message(Role.ASSISTANT, pair.reply_text),
            )
        )

    async def next_prompt(self, thread_id: ThreadId, words: str) -> Prompt:
        """The prompt as it would be with these words, for those who want to see it."""
        traits = await self._planner.traits()
        memory = await self._threads.look(thread_id)
        return await self._compose(memory, words, traits, self._recalled(memory, words))

    # --- life

    async def run(self, *, sweep_seconds: float = 15.0) -> None:
        """Own the work apart from turns, and drop idle threads when their time comes."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._background.run(), name="background")
            group.create_task(self._sweep(sweep_seconds), name="sweep")

    async def _sweep(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._threads.sweep()

    async def _session_ended(self, ended: SessionEnded) -> None:
        answering = self._answering.get(ended.thread_id)
        if answering is not None and answering.session_id == ended.session_id:
            answering.stop()
        if self._journal is not None:
            await self._journal.session_ended(ended)
        await self._forget_cache(ended.thread_id)
        self._background.nudge(ended.thread_id)

    async def _forget_cache(self, thread_id: ThreadId) -> None:
        self._preparing.forget(thread_id)
        if self._acting is not None:
            self._acting.forget(thread_id)
        try:
            with self._background.turn():
                await self._planner.forget(thread_id)
                await self._planner.forget(SUMMARIES)
        except PlannerError:
            # An engine that does not answer holds no cache that anyone could reach.
            return
