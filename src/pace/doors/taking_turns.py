"""Takes the turns of one conversation, in the order in which they were said, and shows them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from pace.asked import Say, TurnReport, Words
from pace.chat import ChatSession, Row
from pace.companion import Companion
from pace.doors.faults import fault_sentence
from pace.errors import PaceError
from pace.memory.turn import ThreadId, TurnId, is_blank
from pace.ports import Clock, PlannerEvent

STOPPED_EARLY = "Stopped before the first word; the model will not see your message."


class TakingTurns:
    """Hands words to whoever answers when their turn comes; `session` shows them all the while.

    `companion` is asked anew for each turn, since another one may have taken over while it waited.
    Whoever holds `order` keeps turns from beginning.
    """

    def __init__(
        self,
        session: ChatSession,
        thread_id: ThreadId,
        *,
        clock: Clock,
        companion: Callable[[], Companion],
    ) -> None:
        self.order = asyncio.Lock()
        self._session = session
        self._thread_id = thread_id
        self._clock = clock
        self._companion = companion
        self._alone: dict[TurnId, asyncio.Task[None]] = {}

    async def say(self, words: Words, say: Say | None = None) -> TurnReport:
        """Take one turn; raises as `Companion.take_turn` does, and its row says why."""
        self._show(words)
        try:
            words = await self._meant_for(words)
            async with self.order:
                report = await self._take(words, say)
        except PaceError as error:
            self._session.fail(words.turn_id, str(error))
            raise
        except asyncio.CancelledError:
            self._close_row(words)
            raise
        except Exception as error:
            self._session.fail(words.turn_id, fault_sentence(error))
            raise
        if is_blank(report.text):
            self._session.fail(words.turn_id, STOPPED_EARLY)
        else:
            self._session.commit(
                words.turn_id,
                report.text,
                interrupted=report.interrupted,
                cut_off=report.cut_off,
                broke_off=report.broke_off,
                sent=report.parts,
                trouble=report.trouble,
            )
        return report

    def submit(self, words: Words) -> None:
        """Take a turn in a task of its own; one that was submitted before is not taken again."""
        if self._session.row(words.turn_id) is not None:
            return
        self._show(words)
        turn = asyncio.create_task(self._say_alone(words), name="turn")
        self._alone[words.turn_id] = turn
        turn.add_done_callback(lambda _: self._alone.pop(words.turn_id, None))

    def stop(self) -> bool:
        """Stop the reply in progress, or give up the turn that is about to begin."""
        if self._companion().stop(self._thread_id):
            return True
        row = self._session.open_row
        turn = None if row is None else self._alone.get(row.turn_id)
        return turn is not None and turn.cancel()

    @asynccontextmanager
    async def held(self, ending: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Let no turn begin that is asked for from now on, while `ending` stops those before it.

        What it stops is recorded where it began before the block runs; what is said meanwhile comes
        after the block.
        """
        # In line before anything is awaited: whatever is said now stands behind it.
        place = asyncio.create_task(self.order.acquire(), name="place in line")
        try:
            await ending()
            await place
            yield
        finally:
            if not place.cancel() and not place.cancelled():
                self.order.release()

    async def give_up(self) -> None:
        """End all turns that were submitted, keeping what was said."""
        turns = tuple(self._alone.values())
        for turn in turns:
            turn.cancel()
        if turns:
            await asyncio.wait(turns)

    # --- inside

    def _show(self, words: Words) -> None:
        self._session.submit(
            Row(
                turn_id=words.turn_id,
                source=words.source,
                said_at=self._clock.local_time(),
                user_text=words.text,
                replaces=words.replaces,
            )
        )

    async def _meant_for(self, words: Words) -> Words:
        """Words that have to wait are meant for the session in which they were said."""
        if words.said_in is not None or not self.order.locked():
            return words
        memory = await self._companion().memory(self._thread_id)
        return replace(words, said_in=memory.session_id)

    async def _take(self, words: Words, say: Say | None) -> TurnReport:
        began_at = self._clock.now()

        async def hear(event: PlannerEvent) -> None:
            self._session.hear(words.turn_id, event, self._clock.now() - began_at)
            if say is not None:
                await say(event)

        return await self._companion().take_turn(self._thread_id, words, hear)

    async def _say_alone(self, words: Words) -> None:
        """Take a turn whose every outcome stands in its row, faults of ours included."""
        with suppress(Exception):
            await self.say(words)

    def _close_row(self, words: Words) -> None:
        """A turn was cancelled: what was said, or heard, is kept, as memory keeps it."""
        row = self._session.row(words.turn_id)
        reply = "" if row is None else row.reply_text
        if words.playback is not None:
            reply = reply[: words.playback.heard].rstrip()
        if is_blank(reply):
            self._session.fail(words.turn_id, STOPPED_EARLY)
        else:
            self._session.commit(words.turn_id, reply, interrupted=True, cut_off=False)
