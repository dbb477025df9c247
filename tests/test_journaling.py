"""What a companion writes into the journal, and that no fault of the journal reaches a turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pace.asked import TurnReport, Words
from pace.errors import PlannerRefusedError
from pace.history import PaceHistory
from pace.journal.rows import Entry, JournalTurn, TurnSource
from pace.journaling import Journaling
from pace.memory.limits import ThreadLimits
from pace.memory.turn import TurnId
from pace.ports import Planner, PlannerEvent, TextDelta
from pace.testing import Gate, ManualClock, ScriptedPlanner, ScriptedSummarizer
from pace.threads import EndCause
from pace.wiring import Parts, assemble
from turns import THREAD, unheard


@dataclass
class Journaled:
    """A companion with a journal, and what was told of it."""

    parts: Parts
    history: PaceHistory
    told: list[str] = field(default_factory=list)
    keeps: bool = True

    async def say(self, text: str, **more: object) -> TurnReport:
        words = Words(text=text, **more)  # type: ignore[arg-type]
        return await self.parts.companion.take_turn(THREAD, words, unheard)

    async def entries(self) -> list[Entry]:
        return [entry async for entry in self.history.entries()]

    async def rows(self) -> list[tuple[str, str, str]]:
        """Status, words and reply of each turn of the journal."""
        return [
            (entry.turn.status, entry.turn.user_text, entry.turn.reply_text)
            for entry in await self.entries()
        ]

    async def endings(self) -> list[str | None]:
        """How each conversation ended, the oldest first."""
        return [past.cause for past in reversed(await self.history.conversations())]


@asynccontextmanager
async def journaled(
    planner: Planner,
    path: Path,
    clock: ManualClock,
    history: PaceHistory | None = None,
    **limits: object,
) -> AsyncIterator[Journaled]:
    history = history or PaceHistory(path)
    told: list[str] = []
    journal = Journaling(history, clock=clock, keeps=lambda: subject.keeps, tell=told.append)
    parts = assemble(
        planner,
        system=lambda: "You are Pace.",
        reply_tokens=lambda: 256,
        limits=ThreadLimits(**limits),  # type: ignore[arg-type]
        fallback=ScriptedSummarizer(*["A summary."] * 9),
        clock=clock,
        journal=journal,
    )
    subject = Journaled(parts, history, told)
    work = asyncio.create_task(parts.companion.run())
    try:
        yield subject
    finally:
        work.cancel()
        await asyncio.wait([work])
        await history.aclose()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.db"


async def test_a_turn_stands_in_the_journal_exactly_as_it_was_said(
    path: Path, clock: ManualClock
) -> None:
    """Words, reply, who answered, by which way and when; numbered in order."""
    async with journaled(ScriptedPlanner(" It is\nteal. ", "Yes."), path, clock) as subject:
        report = await subject.say(" What's its\tcolour? ")
        await subject.say("Sure?", source=TurnSource.VOICE)
        first, second = await subject.entries()
    assert (first.number, second.number) == (1, 2)
    assert (first.turn.user_text, first.turn.reply_text) == (
        " What's its\tcolour? ",
        " It is\nteal. ",
    )
    assert (first.turn.turn_id, first.turn.session_id) == (report.turn_id, report.session_id)
    assert (first.turn.planner, first.turn.model) == ("scripted", "script")
    assert (first.turn.source, second.turn.source) == (TurnSource.CHAT, TurnSource.VOICE)
    assert first.turn.said_at == clock.local_time()


async def test_a_turn_is_in_the_journal_before_it_is_acknowledged(
    path: Path, clock: ManualClock
) -> None:
    """Whoever has the report can count on the row."""
    async with journaled(ScriptedPlanner("Teal."), path, clock) as subject:
        await subject.say("Colour?")
        other = PaceHistory(path)
        assert [entry.turn.user_text async for entry in other.entries()] == ["Colour?"]
        await other.aclose()


async def test_a_failed_turn_is_kept_as_failed_and_never_sent_again(
    path: Path, clock: ManualClock
) -> None:
    """The journal shows it; the next prompt and the summary know nothing of it (B49)."""
    refused = PlannerRefusedError("HTTP 500", status=500)
    planner = ScriptedPlanner(["Half a", refused], "Four.")
    async with journaled(planner, path, clock) as subject:
        with pytest.raises(PlannerRefusedError):
            await subject.say("Delete my alarms.")
        await subject.say("What is 2+2?")
        assert await subject.rows() == [
            ("failed", "Delete my alarms.", ""),
            ("answered", "What is 2+2?", "Four."),
        ]
    assert [message.content for message in planner.prompts[1].messages[1:]] == ["What is 2+2?"]


async def test_a_stopped_reply_is_kept_as_far_as_it_was_said(
    path: Path, clock: ManualClock
) -> None:
    """With words it is interrupted, without any it failed."""
    gate, silent = Gate(), Gate()
    planner = ScriptedPlanner(["Step one. ", gate], [silent])
    async with journaled(planner, path, clock) as subject:
        for held in (gate, silent):
            turn = asyncio.create_task(subject.say("How?"))
            await held.wait_reached()
            subject.parts.companion.stop(THREAD)
            await turn
        assert await subject.rows() == [
            ("interrupted", "How?", "Step one. "),
            ("failed", "How?", ""),
        ]


async def test_both_a_replaced_turn_and_its_successor_are_kept(
    path: Path, clock: ManualClock
) -> None:
    """The old one is marked; if the new one fails, the old one is as it was."""
    refused = PlannerRefusedError("HTTP 500", status=500)
    async with journaled(ScriptedPlanner("Teal.", [refused], "Green."), path, clock) as subject:
        old = (await subject.say("Colour?")).turn_id
        with pytest.raises(PlannerRefusedError):
            await subject.say("Colour!", replaces=old)
        assert (await subject.rows())[0][0] == "answered"
        await subject.say("Colour?", replaces=old)
        assert [status for status, _, _ in await subject.rows()] == [
            *("replaced", "failed", "answered")
        ]


async def test_a_turn_that_was_taken_back_keeps_its_words(path: Path, clock: ManualClock) -> None:
    """The journal says that it was taken back, memory holds it no more."""
    async with journaled(ScriptedPlanner("Teal."), path, clock) as subject:
        await subject.say("Colour?")
        await subject.parts.companion.take_back(THREAD)
        assert await subject.rows() == [("taken back", "Colour?", "Teal.")]
        assert (await subject.parts.companion.memory(THREAD)).window == ()


async def test_a_session_that_ends_gets_one_line(path: Path, clock: ManualClock) -> None:
    """Its id and the cause; a session of which nothing is kept has none."""
    async with journaled(ScriptedPlanner("One.", "Two.", "Three."), path, clock) as subject:
        companion = subject.parts.companion
        await companion.reset(THREAD)
        await subject.say("First")
        clock.advance(timedelta(minutes=21))
        await subject.say("Second")
        await companion.reset(THREAD)
        await subject.say("Third")
        assert await subject.endings() == [EndCause.IDLE, EndCause.RESET, None]


async def test_a_reset_during_a_reply_ends_the_session_after_the_interrupted_turn(
    path: Path, clock: ManualClock
) -> None:
    """The pair enters no window; its row is there when the session's line is written."""
    gate = Gate()
    async with journaled(ScriptedPlanner(["A long ", gate], "New."), path, clock) as subject:
        turn = asyncio.create_task(subject.say("A story?"))
        await gate.wait_reached()
        await subject.parts.companion.reset(THREAD)
        report = await turn
        assert not report.remembered
        await subject.say("Hello")
        assert await subject.rows() == [
            ("interrupted", "A story?", "A long "),
            ("answered", "Hello", "New."),
        ]
        assert await subject.endings() == [EndCause.RESET, None]
        old, new = await subject.entries()
        assert old.turn.session_id == report.session_id != new.turn.session_id


async def test_nothing_but_what_was_said_is_ever_written(path: Path, clock: ManualClock) -> None:
    """No summary and no pending clip: only the turns themselves."""
    planner = ScriptedPlanner(*["Fine."] * 4)
    async with journaled(planner, path, clock, window_size=1) as subject:
        for number in range(4):
            await subject.say(f"Message {number}")
            await subject.parts.background.wait_done(THREAD)
        assert (await subject.parts.companion.memory(THREAD)).summary.text == "A summary."
        written = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"Message 3" in written
    assert b"A summary" not in written


async def test_switched_off_nothing_is_written(path: Path, clock: ManualClock) -> None:
    """Not even the folder is made; and memory is as ever."""
    async with journaled(ScriptedPlanner("Teal."), path, clock) as subject:
        subject.keeps = False
        await subject.say("Colour?")
        await subject.parts.companion.reset(THREAD)
        assert not path.parent.exists()


async def test_turns_without_memory_are_kept_all_the_same(path: Path, clock: ManualClock) -> None:
    """The journal is no memory: with memory off, what was said still stands there."""
    async with journaled(ScriptedPlanner("Teal."), path, clock, remember=False) as subject:
        report = await subject.say("Colour?")
        assert not report.remembered
        assert await subject.rows() == [("answered", "Colour?", "Teal.")]


async def test_a_journal_that_cannot_be_written_never_stops_a_conversation(
    path: Path, clock: ManualClock
) -> None:
    """It is told once; what was said meanwhile is written as soon as that can be."""
    path.parent.write_text("A file where the folder should be.")
    planner = ScriptedPlanner("One.", "Two.", "Three.")
    async with journaled(planner, path, clock) as subject:
        assert (await subject.say("First")).text == "One."
        assert (await subject.say("Second")).text == "Two."
        assert len(subject.told) == 1
        assert "The conversation goes on" in subject.told[0]
        assert "First" not in subject.told[0]
        path.parent.unlink()
        await subject.say("Third")
        assert [words for _, words, _ in await subject.rows()] == ["First", "Second", "Third"]


async def test_a_damaged_journal_is_mended_under_a_conversation(
    path: Path, clock: ManualClock
) -> None:
    """The damaged file is kept aside and said; the turn is in the new one."""
    damage(path)
    async with journaled(ScriptedPlanner("One."), path, clock) as subject:
        await subject.say("First")
        assert [words for _, words, _ in await subject.rows()] == ["First"]
        assert "damaged" in subject.told[0]
    assert aside_of(path).startswith(b"This is no database.")


def damage(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"This is no database." * 100)


def aside_of(path: Path) -> bytes:
    return path.with_name("history.db.broken-1").read_bytes()


async def test_a_turn_that_is_cancelled_leaves_its_words_in_the_journal(
    path: Path, clock: ManualClock
) -> None:
    """Cancelling a turn keeps what was said, in memory and in the journal."""
    gate = Gate()
    async with journaled(ScriptedPlanner(["Step one. ", gate]), path, clock) as subject:
        turn = asyncio.create_task(subject.say("How?"))
        await gate.wait_reached()
        turn.cancel()
        await asyncio.wait([turn])
        assert await subject.rows() == [("interrupted", "How?", "Step one. ")]


async def test_a_repeated_turn_is_written_once(path: Path, clock: ManualClock) -> None:
    """A line that is written again, as after a fault, changes nothing."""
    async with journaled(ScriptedPlanner("Teal."), path, clock) as subject:
        await subject.say("Colour?", turn_id=TurnId("one"))
        (entry,) = await subject.entries()
        assert await subject.history.append(entry.turn) == entry.number
        assert len(await subject.entries()) == 1


async def test_a_listener_hears_the_reply_whatever_the_journal_does(
    path: Path, clock: ManualClock
) -> None:
    """Words reach the person while they come; the journal is asked only afterwards."""
    heard: list[tuple[str, int]] = []

    async with journaled(ScriptedPlanner(["It is ", "teal."]), path, clock) as subject:

        async def say(event: PlannerEvent) -> None:
            if isinstance(event, TextDelta):
                heard.append((event.text, len(await subject.entries())))

        await subject.parts.companion.take_turn(THREAD, Words(text="Colour?"), say)
        assert len(await subject.entries()) == 1
    assert heard == [("It is ", 0), ("teal.", 0)]


async def test_a_turn_is_dated_by_when_it_was_said(path: Path, clock: ManualClock) -> None:
    """A reply that takes until after midnight is of the day on which it was asked for."""
    gate = Gate()
    async with journaled(ScriptedPlanner([gate, "Late."]), path, clock) as subject:
        asked_at = clock.local_time()
        turn = asyncio.create_task(subject.say("A long story?"))
        await gate.wait_reached()
        clock.advance(timedelta(hours=13))
        gate.open()
        await turn
        (entry,) = await subject.entries()
    assert entry.turn.said_at == asked_at


async def test_a_fault_of_the_journal_reaches_no_turn_and_holds_up_no_other(
    path: Path, clock: ManualClock
) -> None:
    """A line that fails for a reason nobody foresaw is let go, and said by its type alone."""
    planner, history = ScriptedPlanner("One.", "Two."), FaultyHistory(path)
    async with journaled(planner, path, clock, history) as subject:
        await subject.say("First")
        await subject.say("Second")
        assert await subject.rows() == [("answered", "Second", "Two.")]
        (told,) = subject.told
    assert "RuntimeError" in told
    assert "First" not in told


class FaultyHistory(PaceHistory):
    """Fails at the first turn with what no file could be the reason of."""

    async def append(self, turn: JournalTurn, *, replaces: TurnId | None = None) -> int:
        if turn.user_text == "First":
            raise RuntimeError(turn.user_text)
        return await super().append(turn, replaces=replaces)


def test_times_are_the_persons_own(clock: ManualClock) -> None:
    """The stand-in's local time has an offset, as the journal demands."""
    assert isinstance(clock.local_time(), datetime)
    assert clock.local_time().tzinfo is not None
