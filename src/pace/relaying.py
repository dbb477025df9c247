"""One relayed turn: a client's own messages in, a bounded prompt out, and what was said kept.

The client brings its system prompt and often its whole history. Where it does, its history is the
truth, and Pace holds what it made of the beginning; where it names a thread and sends only what is
new, the thread's own memory stands in for the rest.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

from pace.background import Background
from pace.counting import Estimates
from pace.errors import StoreError, SummarizerError
from pace.journal.rows import JournalTurn, TurnSource, TurnStatus
from pace.journaling import Journaling
from pace.memory.limits import PENDING_TOKENS
from pace.memory.prefixes import Prefix
from pace.memory.summary import Fold, RollingSummary
from pace.memory.thread import RecordOutcome, ThreadMemory, UnfinishedTurn
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId, TurnPair, is_blank
from pace.ports import Clock, ThreadSummarizer
from pace.relayed.asked import AUTO, Asked, MemoryUse, TurnFacts, thread_of
from pace.relayed.faults import TurnGoneError
from pace.relayed.history import ClientHistory, has_words, read_history, tokens_of
from pace.relayed.messages import Held, instructions_in, set_messages
from pace.sayable import sayable
from pace.threads import EndCause, HeldTurn, Threads

# What a reply may need of the context where the client does not say.
_REPLY_TOKENS = 1024
# How often work is looked for that a process may have left undone when it died, in seconds.
_TAKE_OVER_SECONDS = 30.0
_SWEEP_SECONDS = 15.0
# How long a summary for a long history at first sight is waited for; without one, what there is
# room for is shown as pending. (300 turns take 0.1 s, `benchmarks/relaying.py`.)
_AT_ONCE_SECONDS = 2.0
# Characters of a turn that waits for tools: four times what a context of 32,000 tokens holds.
_LONGEST_UNFINISHED = 500_000
# English prose, by OpenAI's documents on counting; for what is only compared, not fitted.
_CHARACTERS_PER_TOKEN = 4


class Relay:
    """Composes and records relayed turns. `run` owns the folding and the sweep.

    `summarizer` covers what nobody has folded yet, at once, so it has to be one that needs no
    model. With a `journal`, turns are written there under their thread.
    """

    def __init__(
        self,
        *,
        threads: Threads,
        background: Background,
        summarizer: ThreadSummarizer,
        clock: Clock,
        journal: Journaling | None = None,
    ) -> None:
        self._threads = threads
        self._background = background
        self._summarizer = summarizer
        self._clock = clock
        self._journal = journal
        self._estimates = Estimates()

    # --- one turn

    @asynccontextmanager
    async def turn(
        self, asked: Asked, body: Mapping[str, Any], *, context_tokens: int | None = None
    ) -> AsyncIterator["RelayedTurn"]:
        """A turn of the conversation asked for, composed; leaving without `record` leaves no trace.

        `context_tokens` is the planner's whole context, None if nobody knows. Raises
        RequestFaultError for messages that cannot be, PromptTooLongError, TurnGoneError, and
        StoreError for a named thread whose own memory is needed and cannot be had.
        """
        is_alone = asked.name is None and not has_words(body.get("messages"))
        if asked.stateless or is_alone or not self._threads.limits.remember:
            yield RelayedTurn(facts=_NO_MEMORY, body=dict(body))
            return
        history = read_history(body.get("messages"))
        asking = _Asking(asked, body, history, context_tokens)
        async with self._held(asking) as held:
            yield await self._composed(asking, held)

    @asynccontextmanager
    async def _held(self, asking: "_Asking") -> AsyncIterator[HeldTurn | None]:
        """The thread's turn; None while the store cannot be had and the client brings all."""
        async with AsyncExitStack() as holding:
            try:
                held = await holding.enter_async_context(
                    self._threads.hold(asking.thread_id, alone=asking.has_own_memory)
                )
            except StoreError:
                if asking.needs_own_memory:
                    raise
                held = None
            try:
                yield held
            finally:
                # A turn that cannot be given up, for want of the store, is lost by itself.
                with suppress(StoreError):
                    await holding.aclose()

    async def _composed(self, asking: "_Asking", held: HeldTurn | None) -> "RelayedTurn":
        memory = None if held is None else held.memory
        history = asking.history
        if asking.needs_own_memory and memory is not None:
            memory = asking.from_where(memory)
            parts = Held(window=memory.window, pending=memory.pending, summary=memory.summary.text)
            version, prefix = memory.summary.version, None
            said = memory.said_characters
        else:
            parts, version, prefix = await self._of_client(asking, memory)
            said = sum(turn.characters for turn in history.turns)
        composed = set_messages(
            asking.thread_id,
            SessionId("") if memory is None else memory.session_id,
            history,
            parts,
            context_tokens=asking.context_tokens,
            reply_tokens=_reply_tokens(asking.body),
            other_tokens=_other_tokens(asking.body),
            count=self._estimates.of,
        )
        facts = TurnFacts(
            thread=asking.name,
            session_id=None if memory is None else memory.session_id,
            session_began=memory is not None and not memory.relayed_turns,
            summary_version=version,
            window_pairs=composed.window_pairs,
            prompt_tokens=composed.prompt_tokens,
            tokens_saved=_saved(said, parts),
            memory=MemoryUse.UNAVAILABLE if memory is None else MemoryUse.ON,
            gave_way=composed.gave_way,
        )
        sent = {**asking.body, "messages": composed.messages}
        if not asking.asked.records:
            return RelayedTurn(facts=facts, body=sent)
        kept = None if held is None else _Kept(asking, held, prefix)
        return RelayedTurn(facts=facts, body=sent, record=self._finish, kept=kept)

    async def _of_client(
        self, asking: "_Asking", memory: ThreadMemory | None
    ) -> tuple[Held, int, Prefix | None]:
        """The client's history: its newest turns, a summary of the rest, and what to keep of it."""
        history, limits = asking.history, self._threads.limits
        older = max(0, len(history.turns) - limits.window_size)
        known = RollingSummary()
        if memory is not None and older:
            known = memory.known_of(history.digests, most=older)
        now = self._clock.local_time()
        pairs = [
            history.turns[at].pair(at + 1, history.digests[at + 1], now)
            for at in range(known.covers, len(history.turns))
        ]
        pending = tuple(pairs[: older - known.covers])
        said = (text for pair in pending for text in (pair.user_text, pair.reply_text))
        if sum(map(self._estimates.of, said)) > PENDING_TOKENS:
            known = await self._covered_at_once(asking.thread_id, memory, known, pending)
            pending = tuple(pair for pair in pending if pair.number > known.covers)
            pairs = [pair for pair in pairs if pair.number > known.covers]
        held = Held(
            window=tuple(pairs[len(pending) :]),
            pending=pending,
            summary=known.text,
            turns=history.turns[older:],
            instructions=instructions_in(history.turns[:older], history.instructions),
        )
        version = known.version
        if known.covers and not version and memory is not None:
            version = memory.last_version + 1  # what it gets when it is kept
        return held, version, self._to_keep(history, known, pairs)

    async def _covered_at_once(
        self,
        thread_id: ThreadId,
        memory: ThreadMemory | None,
        known: RollingSummary,
        pending: tuple[TurnPair, ...],
    ) -> RollingSummary:
        """A summary of what is too much to be shown as pending; the same if none can be made."""
        fold = Fold(
            thread_id=thread_id,
            session_id=SessionId("") if memory is None else memory.session_id,
            version=known.version + 1,
            prior=known,
            pairs=pending,
            budget=self._threads.limits.summary_tokens,
        )
        try:
            async with asyncio.timeout(_AT_ONCE_SECONDS):
                update = await self._summarizer.summarize(fold)
        except (SummarizerError, TimeoutError):
            return known
        return RollingSummary(
            text=update.text,
            version=0,  # it gets one when it is kept
            covers=update.covers,
            made_by=update.made_by,
            clauses=update.clauses,
        )

    def _to_keep(
        self, history: ClientHistory, known: RollingSummary, pairs: list[TurnPair]
    ) -> Prefix | None:
        """What the next request will need: all that will be older than the window then."""
        length = len(history.turns) + 1 - self._threads.limits.window_size
        if length < 1 or length < known.covers:
            return None
        return Prefix(
            digest=history.digests[length],
            covered=history.digests[known.covers],
            summary=known,
            pending=tuple(pair for pair in pairs if pair.number <= length),
        )

    # --- its end

    async def _finish(self, turn: "RelayedTurn", kept: "_Kept", *, interrupted: bool) -> bool:
        """Keep what a turn said; whether it is kept."""
        held, session_id = kept.held, kept.held.memory.session_id
        now = self._clock.now()
        finished = self._finished(turn, kept, interrupted=interrupted)

        def step(memory: ThreadMemory) -> tuple[ThreadMemory, bool]:
            is_kept = finished is None or memory.session_id == session_id
            if finished is not None and is_kept:
                memory = kept.asking.from_where(memory).accept(finished.turn_id)
                memory, outcome = memory.record(finished, now=now)
                is_kept = outcome is RecordOutcome.RECORDED
            return memory.keep_prefix(session_id, kept.prefix, now=now), is_kept

        try:
            is_kept = await held.finish(step)
        except (StoreError, TurnGoneError):
            return False
        self._background.nudge(kept.asking.thread_id)
        await self._write_down(turn, kept, interrupted=interrupted)
        return is_kept

    def _finished(
        self, turn: "RelayedTurn", kept: "_Kept", *, interrupted: bool
    ) -> FinishedTurn | None:
        """The pair for the thread's own memory, if the turn is over and the thread has one."""
        history = kept.asking.history
        if not kept.asking.has_own_memory or turn.is_going_on:
            return None
        if is_blank(turn.reply) or is_blank(history.current.user_text):
            return None
        said = (history.current.reply_text, turn.reply)
        return FinishedTurn(
            turn_id=turn.turn_id,
            session_id=kept.held.memory.session_id,
            user_text=history.current.user_text,
            reply_text="\n".join(text for text in said if text),
            recorded_at=self._clock.local_time(),
            interrupted=interrupted,
            replaces=_replaced(kept.held.memory, history),
        )

    async def _write_down(self, turn: "RelayedTurn", kept: "_Kept", *, interrupted: bool) -> None:
        if self._journal is None or is_blank(turn.reply):
            return
        await self._journal.record(
            JournalTurn(
                turn_id=turn.turn_id,
                thread_id=kept.asking.thread_id,
                session_id=kept.held.memory.session_id,
                source=TurnSource.GATEWAY,
                planner="gateway",
                model=str(kept.asking.body.get("model") or ""),
                said_at=self._clock.local_time(),
                status=TurnStatus.INTERRUPTED if interrupted else TurnStatus.ANSWERED,
                user_text=kept.asking.history.current.user_text,
                reply_text=turn.reply,
            )
        )

    # --- threads, for those who name them

    async def look(self, scope: str, name: str) -> ThreadMemory | None:
        """What is held of a thread; None if nothing is."""
        return await self._threads.peek(thread_of(scope, name))

    async def reset(self, scope: str, name: str) -> None:
        """Have nothing held of a thread, nor of a turn that is being answered in it now."""
        memory = await self._threads.look(thread_of(scope, name))
        await self._threads.end(memory.thread_id, memory.session_id, EndCause.RESET)

    async def keep_unfinished(self, scope: str, turn: "RelayedTurn", messages: str) -> None:
        """Hold a turn that waits for tools; one that is too large is not held, nor one on its own.

        Its client is told then to send the whole turn. Raises StoreError.
        """
        session_id = turn.facts.session_id
        if session_id is None or len(messages) > _LONGEST_UNFINISHED:
            return
        unfinished, now = UnfinishedTurn(turn_id=turn.turn_id, messages=messages), self._clock.now()
        await self._threads.change(
            thread_of(scope, turn.facts.thread),
            lambda memory: (memory.keep_unfinished(session_id, unfinished, now=now), None),
        )

    # --- life

    async def run(self) -> None:
        """Own the work apart from turns, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._background.run(), name="background")
            group.create_task(_again(_SWEEP_SECONDS, self._threads.sweep), name="sweep")
            group.create_task(_again(_TAKE_OVER_SECONDS, self._take_over), name="take over")

    async def _take_over(self) -> None:
        for thread_id in await self._threads.unfolded():
            self._background.nudge(thread_id)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A request that memory has to do with."""

    asked: Asked
    body: Mapping[str, Any]
    history: ClientHistory
    context_tokens: int | None

    @property
    def name(self) -> str:
        return self.asked.name or f"{AUTO}{self.history.beginning}"

    @property
    def thread_id(self) -> ThreadId:
        return thread_of(self.asked.scope, self.name)

    @property
    def has_own_memory(self) -> bool:
        """Whether the thread takes part in what is said, and is not only a name for it."""
        return self.asked.name is not None and not self.asked.brings_history

    def from_where(self, memory: ThreadMemory) -> ThreadMemory:
        """The thread as of the turn that this one goes on from; raises TurnGoneError."""
        after, unfinished = self.asked.after, memory.unfinished
        if after is None or (unfinished is not None and unfinished.turn_id == after):
            return memory
        if all(pair.turn_id != after for pair in memory.window):
            raise TurnGoneError
        return memory.back_to(after)

    @property
    def needs_own_memory(self) -> bool:
        """Whether the client sends only what is new."""
        return self.has_own_memory and not self.history.turns


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a turn needs at its end, to be kept."""

    asking: _Asking
    held: HeldTurn
    prefix: Prefix | None


class RelayedTurn:
    """A composed turn: `body` is for the planner, `facts` are for the client."""

    def __init__(
        self,
        *,
        facts: TurnFacts,
        body: dict[str, Any],
        record: "_Record | None" = None,
        kept: _Kept | None = None,
    ) -> None:
        self.facts = facts
        self.body = body
        self.turn_id = TurnId(str(uuid.uuid4()))
        self.reply = ""
        self.is_going_on = False
        self._record = record
        self._kept = kept

    def hear(self, text: str) -> None:
        """Words of the reply, as they come."""
        self.reply += sayable(text)

    def called_tools(self) -> None:
        """The reply asks for tools: the turn goes on in the client's next request."""
        self.is_going_on = True

    async def record(self, *, interrupted: bool = False) -> bool:
        """Keep the turn, once, before it is acknowledged; false if it could not be kept.

        A stateless one has nothing to keep, and an interrupted one in which nothing was said leaves
        no trace.
        """
        if self._record is None or (interrupted and is_blank(self.reply)):
            return True
        return self._kept is not None and await self._record(
            self, self._kept, interrupted=interrupted
        )


class _Record(Protocol):
    async def __call__(self, turn: RelayedTurn, kept: _Kept, *, interrupted: bool) -> bool: ...


_NO_MEMORY = TurnFacts(memory=MemoryUse.STATELESS)


def _replaced(memory: ThreadMemory, history: ClientHistory) -> TurnId | None:
    """The last pair, if the client's history ends before it: it was edited or asked for again."""
    last, before = len(memory.window) - 1, len(memory.window) - 2
    if before < 0 or not history.turns or _is_same(memory.window[last], history):
        return None
    return memory.window[last].turn_id if _is_same(memory.window[before], history) else None


def _is_same(pair: TurnPair, history: ClientHistory) -> bool:
    newest = history.turns[-1]
    same_words = pair.user_text.strip() == newest.user_text.strip()
    return same_words and pair.reply_text.strip() == newest.reply_text.strip()


def _reply_tokens(body: Mapping[str, Any]) -> int:
    for name in ("max_completion_tokens", "max_tokens"):
        if isinstance(asked := body.get(name), int) and asked > 0:
            return asked
    return _REPLY_TOKENS


# Fields of a request that a planner reads, too.
_READ = ("tools", "functions", "response_format")


def _other_tokens(body: Mapping[str, Any]) -> int:
    return sum(tokens_of(body[name]) for name in _READ if body.get(name))


def _saved(said: int, held: Held) -> int:
    """About how many tokens of history the prompt does without."""
    pairs = (*held.pending, *held.window)
    shown = len(held.summary) + sum(len(p.user_text) + len(p.reply_text) for p in pairs)
    return max(0, ceil((said - shown) / _CHARACTERS_PER_TOKEN))


async def _again(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    """Do it every so often; a store that cannot be had now is asked again the next time."""
    while True:
        await asyncio.sleep(seconds)
        try:
            await work()
        except StoreError:
            continue
