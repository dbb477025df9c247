"""Takes relayed turns: a request in, a planner's answer out, and what was said kept in between.

A turn is kept before its last byte is sent, which acknowledges it. When its client leaves, the
planner is stopped at once, and what had been said is kept as interrupted; a turn that fails leaves
no trace.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pace.doors.gateway.client import Client, ClientGoneError
from pace.doors.gateway.replies import first_choice, hear
from pace.doors.gateway.seeing.outcomes import Outcome, SeenTurn
from pace.doors.gateway.seeing.watching import Watching
from pace.memory.turn import ThreadId
from pace.planners.upstreams.port import Chunk, Upstream
from pace.relayed.asked import Asked, TurnFacts, thread_of
from pace.relaying import Relay, RelayedTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """What is asked, of whom, and by whom; `body` is that of a chat completion."""

    endpoint: str
    key_id: str
    asked: Asked
    body: Mapping[str, Any] = field(repr=False)

    @property
    def model(self) -> str:
        """The model asked for; empty if none is."""
        model = self.body.get("model")
        return model if isinstance(model, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A whole answer; `is_kept` is false if it could not be remembered."""

    answer: Mapping[str, object] = field(repr=False)
    turn: RelayedTurn
    is_kept: bool


class Sink(Protocol):
    """Where a streamed answer goes."""

    async def begin(self, turn: RelayedTurn) -> None:
        """The planner answers; called once, ahead of everything else."""
        ...

    async def say(self, chunk: Chunk) -> None:
        """A part of the answer."""
        ...

    async def end(self, *, is_kept: bool) -> None:
        """The answer is whole, and remembered if it could be."""
        ...


class Turns:
    """Takes turns through memory to whoever answers them."""

    def __init__(self, relay: Relay, upstream: Upstream, watching: Watching) -> None:
        self._relay = relay
        self._upstream = upstream
        self._watching = watching

    async def whole(self, request: TurnRequest, client: Client) -> Whole:
        """Take a turn whose answer is sent in one piece.

        Raises ClientGoneError, and leaves no trace then; and what a relay and a planner raise.
        """
        async with self._taken(request, is_streamed=False) as (turn, seen):
            async with client.staying():
                answer = await self._upstream.complete(turn.body, affinity=seen.thread_id or "")
            seen.counted(answer.get("usage"))
            hear(first_choice(answer).get("message"), turn, seen)
            is_kept = await turn.record()
            seen.outcome = Outcome.ANSWERED if is_kept else Outcome.NOT_KEPT
        return Whole(answer=answer, turn=turn, is_kept=is_kept)

    async def stream(self, request: TurnRequest, client: Client, sink: Sink) -> None:
        """Take a turn whose answer is sent as it comes; raises as `whole` does.

        Whatever is raised after the sink has begun came in the middle of the answer.
        """
        async with self._taken(request, is_streamed=True) as (turn, seen):
            relaying = _Relaying(turn, seen)
            try:
                async with client.staying():
                    await relaying.through(self._upstream, sink, seen.thread_id or "")
            except (ClientGoneError, asyncio.CancelledError):
                # Whoever had the whole reply may leave before it is acknowledged.
                await turn.record(interrupted=not relaying.is_finished)
                raise
            is_kept = await turn.record()
            seen.outcome = Outcome.ANSWERED if is_kept else Outcome.NOT_KEPT
            await sink.end(is_kept=is_kept)

    @asynccontextmanager
    async def _taken(
        self, request: TurnRequest, *, is_streamed: bool
    ) -> AsyncIterator[tuple[RelayedTurn, SeenTurn]]:
        seen = SeenTurn(request.endpoint, request.key_id, request.model, is_streamed)
        with self._watching.turn(seen):
            tokens = await self._upstream.context_tokens(request.model)
            body = self._upstream.answerable(request.body)
            async with self._relay.turn(request.asked, body, context_tokens=tokens) as turn:
                seen.composed(turn.facts, _thread_of(request, turn.facts))
                yield turn, seen


class _Relaying:
    """One streamed reply on its way."""

    def __init__(self, turn: RelayedTurn, seen: SeenTurn) -> None:
        self.is_finished = False
        self._turn = turn
        self._seen = seen

    async def through(self, upstream: Upstream, sink: Sink, affinity: str) -> None:
        """Hand every chunk on, and have the turn hear it."""
        turn, seen, has_begun = self._turn, self._seen, False
        async with aclosing(upstream.stream(turn.body, affinity=affinity)) as chunks:
            async for chunk in chunks:
                if not has_begun:
                    await sink.begin(turn)
                    has_begun = True
                choice = first_choice(chunk.data)
                hear(choice.get("delta"), turn, seen)
                if choice.get("finish_reason") is not None:
                    self.is_finished = True
                if (usage := chunk.data.get("usage")) is not None:
                    seen.counted(usage)
                await sink.say(chunk)
        if not has_begun:
            await sink.begin(turn)


def _thread_of(request: TurnRequest, facts: TurnFacts) -> ThreadId | None:
    return thread_of(request.asked.scope, facts.thread) if facts.thread else None
