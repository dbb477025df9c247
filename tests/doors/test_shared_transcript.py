"""Turns of an open chat: one transcript for all screens, whichever of them a turn came from."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pace.asked import Words
from pace.chat import Divider, Row, RowStatus
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.switching import goes_to
from pace.doors.taking_turns import STOPPED_EARLY
from pace.errors import PlannerRefusedError, SettingsError
from pace.history import PaceHistory
from pace.memory.turn import TurnId
from pace.planners.tiers import FetchScreen, OpenedPlanner
from pace.ports import Planner
from pace.settings import Settings
from pace.settings_file import SettingsFile
from pace.testing import Gate, ManualClock, ScriptedPlanner
from pace.threads import EndCause


@asynccontextmanager
async def opened(
    folder: Path, planner: Planner, *, clock: ManualClock | None = None, **overrides: object
) -> AsyncIterator[OpenChat]:
    async def opener(_: Callable[[], Settings], *, screen: FetchScreen) -> OpenedPlanner:
        del screen
        return OpenedPlanner(planner=planner)

    flags = {name.replace("__", "."): value for name, value in overrides.items()}
    file = SettingsFile.open({"summaries.by": "extractive", **flags}, path=folder / "settings.toml")
    history = PaceHistory(folder / "data" / "history.db")
    async with OpenChat(
        file, screen=FetchBar(), opener=opener, history=history, clock=clock or ManualClock()
    ) as chat:
        yield chat


def shown(chat: OpenChat) -> list[tuple[str, str, str]]:
    return [
        (line.user_text, line.reply_text, line.status)
        for line in chat.session.lines
        if isinstance(line, Row)
    ]


async def settled(chat: OpenChat) -> None:
    """Until no turn is open any more."""
    over = asyncio.Event()

    def look(_: object) -> None:
        if chat.session.open_row is None:
            over.set()

    leave = chat.session.subscribe(look)
    look(None)
    await over.wait()
    leave()


async def kept(chat: OpenChat) -> list[tuple[str, str]]:
    assert chat.history is not None
    return [(e.turn.user_text, e.turn.status) async for e in chat.history.entries()]


def is_on_disk(folder: Path, words: bytes) -> bool:
    files = (file for file in folder.rglob("*") if file.is_file())
    return any(words in file.read_bytes().lower() for file in files)


async def test_turns_of_every_door_stand_in_one_list(tmp_path: Path) -> None:
    """A turn that one door waits for and one that another leaves to itself are rows of one list."""
    async with opened(tmp_path, ScriptedPlanner("One.", "Two.")) as chat:
        report = await chat.say(Words(text="First"))
        chat.submit(Words(text="Second"))
        assert shown(chat)[1] == ("Second", "", RowStatus.WAITING)
        await settled(chat)
        assert report.text == "One."
        assert shown(chat) == [
            ("First", "One.", RowStatus.ANSWERED),
            ("Second", "Two.", RowStatus.ANSWERED),
        ]


async def test_a_turn_goes_on_when_whoever_submitted_it_leaves(tmp_path: Path) -> None:
    """It is answered, recorded and kept with nobody waiting for it (B53)."""
    gate = Gate()
    async with opened(tmp_path, ScriptedPlanner(["One ", gate, "two."])) as chat:
        asyncio.get_running_loop().call_soon(chat.submit, Words(text="Count"))
        await gate.wait_reached()
        gate.open()
        await settled(chat)
        assert [pair.reply_text for pair in (await chat.memory()).window] == ["One two."]
        assert await kept(chat) == [("Count", "answered")]


async def test_a_turn_that_is_submitted_twice_is_taken_once(tmp_path: Path) -> None:
    """Twice at once and again afterwards: one call, one pair; other ids with the same words are
    other turns (B118)."""
    words = Words(text="ok", turn_id=TurnId("one"))
    with ScriptedPlanner("One.", "Two.") as planner:
        async with opened(tmp_path, planner) as chat:
            chat.submit(words)
            chat.submit(words)
            await settled(chat)
            chat.submit(words)
            chat.submit(Words(text="ok", turn_id=TurnId("two")))
            await settled(chat)
            assert shown(chat) == [
                ("ok", "One.", RowStatus.ANSWERED),
                ("ok", "Two.", RowStatus.ANSWERED),
            ]


async def test_what_is_submitted_during_a_reply_is_answered_after_it(tmp_path: Path) -> None:
    """In the order in which it was said; the second prompt holds the first pair."""
    gate = Gate()
    with ScriptedPlanner([gate, "One."], "Two.", "Three.") as planner:
        async with opened(tmp_path, planner) as chat:
            for text in ("First", "Second", "Third"):
                chat.submit(Words(text=text))
            await gate.wait_reached()
            gate.open()
            await settled(chat)
            assert [reply for _, reply, _ in shown(chat)] == ["One.", "Two.", "Three."]
    assert [message.content for message in planner.prompts[1].messages[1:]] == [
        *("First", "One.", "Second")
    ]


async def test_a_failure_stands_in_its_row(tmp_path: Path) -> None:
    """A sentence of ours for what we know, and never a word of the conversation."""
    refused = PlannerRefusedError("The server answered HTTP 500.", status=500)
    fault = RuntimeError("the heron is called Bertil")
    async with opened(tmp_path, ScriptedPlanner([refused], [fault])) as chat:
        chat.submit(Words(text="First"))
        chat.submit(Words(text="Second"))
        await settled(chat)
        first, second = (line for line in chat.session.lines if isinstance(line, Row))
        assert first.trouble == "The server answered HTTP 500."
        assert "RuntimeError" in second.trouble
        assert "Bertil" not in second.trouble


async def test_stop_keeps_what_was_said(tmp_path: Path) -> None:
    """With words the pair is interrupted; without any it came to nothing, and says so."""
    gate, silent = Gate(), Gate()
    async with opened(tmp_path, ScriptedPlanner(["Step one. ", gate], [silent])) as chat:
        for held in (gate, silent):
            chat.submit(Words(text="How?"))
            await held.wait_reached()
            assert chat.stop()
            await settled(chat)
        assert not chat.stop()
        assert shown(chat) == [
            ("How?", "Step one. ", RowStatus.INTERRUPTED),
            ("How?", "", RowStatus.FAILED),
        ]
        last = chat.session.lines[-1]
        assert isinstance(last, Row)
        assert last.trouble == STOPPED_EARLY


async def test_taking_back_leaves_memory_and_screen(tmp_path: Path) -> None:
    """The row is gone with the pair; the journal marks it."""
    async with opened(tmp_path, ScriptedPlanner("One.")) as chat:
        await chat.say(Words(text="First"))
        taken = await chat.take_back()
        assert taken is not None
        assert chat.session.lines == ()
        assert await kept(chat) == [("First", "taken back")]


async def test_forgetting_is_marked_where_it_happened(tmp_path: Path) -> None:
    """A divider between what was forgotten and what came after."""
    clock = ManualClock()
    async with opened(tmp_path, ScriptedPlanner("One.", "Two."), clock=clock) as chat:
        await chat.say(Words(text="First"))
        clock.advance(timedelta(minutes=21))
        await chat.memory()
        await chat.say(Words(text="Second"))
        first, divider, second = chat.session.lines
        assert isinstance(divider, Divider)
        assert divider.cause is EndCause.IDLE
        assert isinstance(first, Row)
        assert isinstance(second, Row)


async def test_a_temporary_conversation_is_kept_nowhere(tmp_path: Path) -> None:
    """What was said before it is kept, and what is said after it; its own words are in no file."""
    planner = ScriptedPlanner("One.", "Two.", "Three.")
    async with opened(tmp_path, planner) as chat:
        await chat.say(Words(text="Before"))
        await chat.begin_anew(temporary=True)
        assert chat.is_temporary
        assert chat.session.lines == ()
        await chat.say(Words(text="Quendelin"))
        await chat.begin_anew()
        assert not chat.is_temporary
        await chat.say(Words(text="After"))
        assert [text for text, _ in await kept(chat)] == ["Before", "After"]
        assert chat.history is not None
        causes = [past.cause for past in await chat.history.conversations()]
        assert causes == [None, "reset"]
    assert not is_on_disk(tmp_path, b"quendelin")
    assert is_on_disk(tmp_path, b"before")


async def test_a_reply_that_a_new_conversation_stops_is_kept_where_it_began(
    tmp_path: Path,
) -> None:
    """Beginning a temporary one does not take the journal away from the turn before it."""
    gate = Gate()
    async with opened(tmp_path, ScriptedPlanner(["Half ", gate])) as chat:
        chat.submit(Words(text="Before"))
        await gate.wait_reached()
        await chat.begin_anew(temporary=True)
        assert await kept(chat) == [("Before", "interrupted")]


async def test_words_that_wait_are_not_carried_into_a_new_conversation(tmp_path: Path) -> None:
    """R4: they are given up, and stand on the screen as such; memory and the model know nothing."""
    gate = Gate()
    with ScriptedPlanner(["Half ", gate], "New.") as planner:
        async with opened(tmp_path, planner) as chat:
            chat.submit(Words(text="First"))
            await gate.wait_reached()
            chat.submit(Words(text="secrettwo"))
            await asyncio.sleep(0)
            await chat.begin_anew()
            await settled(chat)
            (left,) = (line for line in chat.session.lines if isinstance(line, Row))
            assert (left.user_text, left.status) == ("secrettwo", RowStatus.FAILED)
            assert "reset" in left.trouble
            await chat.say(Words(text="Brand new"))
            assert [pair.user_text for pair in (await chat.memory()).window] == ["Brand new"]
    assert "secrettwo" not in str(planner.prompts)


async def test_what_is_said_while_a_new_conversation_begins_belongs_to_it(tmp_path: Path) -> None:
    """It stays on the screen, and is kept only if that conversation is."""
    with ScriptedPlanner("One.", "New.") as planner:
        async with opened(tmp_path, planner) as chat:
            await chat.say(Words(text="First"))
            beginning = asyncio.create_task(chat.begin_anew(temporary=True))
            await asyncio.sleep(0)
            chat.submit(Words(text="Quendelin"))
            await beginning
            await settled(chat)
            assert shown(chat) == [("Quendelin", "New.", RowStatus.ANSWERED)]
            assert [pair.user_text for pair in (await chat.memory()).window] == ["Quendelin"]
            assert await kept(chat) == [("First", "answered")]
    assert not is_on_disk(tmp_path, b"quendelin")


async def test_a_temporary_conversation_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    """What waited in it is answered in no conversation that is kept."""
    gate = Gate()
    with ScriptedPlanner(["Half ", gate]) as planner:
        async with opened(tmp_path, planner) as chat:
            await chat.begin_anew(temporary=True)
            chat.submit(Words(text="First"))
            await gate.wait_reached()
            chat.submit(Words(text="secrettwo"))
            await asyncio.sleep(0)
            await chat.begin_anew()
            await settled(chat)
            assert (await chat.memory()).is_empty
            assert await kept(chat) == []


async def test_another_planner_answers_what_was_waiting(tmp_path: Path) -> None:
    """A turn that waited for its turn while the planner changed is answered by the new one."""
    gate = Gate()
    planners = [ScriptedPlanner([gate, "One."]), ScriptedPlanner("Two.")]
    left = list(planners)

    async def opener(_: Callable[[], Settings], *, screen: FetchScreen) -> OpenedPlanner:
        del screen
        return OpenedPlanner(planner=left.pop(0))

    file = SettingsFile.open({"summaries.by": "extractive"}, path=tmp_path / "settings.toml")
    async with OpenChat(file, screen=FetchBar(), opener=opener, clock=ManualClock()) as chat:
        chat.submit(Words(text="First"))
        await gate.wait_reached()
        file.wish("planner.model", "tiny")
        applying = asyncio.create_task(chat.apply())
        await asyncio.sleep(0)
        chat.submit(Words(text="Second"))
        gate.open()
        await applying
        await settled(chat)
        assert [reply for _, reply, _ in shown(chat)] == ["One.", "Two."]
    for planner in planners:
        planner.check()


@pytest.mark.parametrize("fails", [False, True], ids=["opened", "failed"])
async def test_who_gets_words_is_told_of_who_answers(tmp_path: Path, *, fails: bool) -> None:
    """R14: while another planner is being opened the old one is named, and no turn begins."""
    opening = asyncio.Event()
    may_open = asyncio.Event()
    away, here = ScriptedPlanner(*["Away."] * fails), ScriptedPlanner(*["Here."] * (not fails))
    left = [away, here]

    async def opener(_: Callable[[], Settings], *, screen: FetchScreen) -> OpenedPlanner:
        del screen
        if left[0] is here:
            opening.set()
            await may_open.wait()
            if fails:
                raise SettingsError("It cannot be had.")
        return OpenedPlanner(planner=left.pop(0))

    file = SettingsFile.open(
        {"planner.tier": "cli", "planner.provider": "claude", "summaries.by": "extractive"},
        path=tmp_path / "settings.toml",
    )
    async with OpenChat(file, screen=FetchBar(), opener=opener, clock=ManualClock()) as chat:
        changes = file.change_all({"planner.tier": "embedded", "planner.provider": None})
        applying = asyncio.create_task(chat.apply())
        await opening.wait()
        chat.submit(Words(text="Said meanwhile"))
        await asyncio.sleep(0)
        assert goes_to(chat.settings) == "Anthropic"
        assert away.prompts == []
        may_open.set()
        if fails:
            with pytest.raises(SettingsError):
                await applying
            file.undo_all(changes)
        await asyncio.wait([applying])
        assert goes_to(chat.settings) == ("Anthropic" if fails else "")
        await settled(chat)
        assert [reply for _, reply, _ in shown(chat)] == ["Away." if fails else "Here."]
    away.check()
    here.check()


async def test_old_turns_leave_the_history_when_it_is_opened(tmp_path: Path) -> None:
    """Retention in days is applied by itself; younger turns stay."""
    clock = ManualClock()
    async with opened(tmp_path, ScriptedPlanner("One."), clock=clock) as chat:
        await chat.say(Words(text="Long ago"))
    clock.advance(timedelta(days=8))
    async with opened(
        tmp_path, ScriptedPlanner("Two."), clock=clock, history__retention_days=7
    ) as chat:
        await chat.say(Words(text="Today"))
        async with asyncio.timeout(30):
            # Deleting old turns is nobody's to wait for, so that it has no event.
            while [text for text, _ in await kept(chat)] != ["Today"]:  # noqa: ASYNC110
                await asyncio.sleep(0)
