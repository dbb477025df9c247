"""An action's question in machine mode: one `ask`, one word on it, and nothing lost in between."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.machine import MachineMode
from pace.doors.open_chat import OpenChat
from pace.planners.tiers import OpenedPlanner
from pace.ports import Approval, Finished, FinishReason, Notice, PlannerTraits
from pace.settings_file import SettingsFile
from pace.testing import FixedActions, Gate, ScriptedAction, ScriptedPlanner, ScriptStep

TRAITS = PlannerTraits(
    name="held", model="script", context_tokens=8192, on_this_machine=True, constrains=True
)
ASKED = {"name": "ring", "args": {"what": "ten"}}
ENVELOPE = json.dumps({"intent": "action", "spokenText": "On it.", "payload": ASKED})
PLAIN = json.dumps({"intent": "answer", "spokenText": "Hello."})
Line = dict[str, Any]


class Given:
    """Lines of a program, in order, then the end of input; a gate holds those after it."""

    def __init__(self, *lines: object) -> None:
        self._lines = list(lines)
        self.taken = 0

    async def next(self) -> bytes | None:
        while self._lines:
            line = self._lines.pop(0)
            if isinstance(line, Gate):
                await line.wait_opened()
                continue
            self.taken += 1
            return json.dumps(line).encode()
        return None


class Written(list[Line]):
    """Every line that came out; `replied` is set at the first reply."""

    def __init__(self) -> None:
        super().__init__()
        self.replied = asyncio.Event()
        self.told: list[str] = []
        self.is_closed = False

    def write(self, line: bytes) -> None:
        if self.is_closed:
            raise BrokenPipeError
        self.append(json.loads(line))
        if self[-1]["type"] == "reply":
            self.replied.set()


Run = Callable[..., AbstractAsyncContextManager[tuple[MachineMode, Written, OpenChat]]]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Opens machine mode over scripted replies and one action, `ring`."""
    monkeypatch.setenv("PACE_HOME", str(tmp_path))

    @asynccontextmanager
    async def open_machine(
        lines: Given, *replies: str | Sequence[ScriptStep], action: ScriptedAction
    ) -> AsyncIterator[tuple[MachineMode, Written, OpenChat]]:
        with ScriptedPlanner(*replies, traits=TRAITS) as planner:

            async def opener(_: object, *, screen: object) -> OpenedPlanner:  # noqa: ARG001
                return OpenedPlanner(planner=planner)

            written = Written()
            file = SettingsFile.open({"actions.enabled": True})
            chat = OpenChat(file, screen=FetchBar(), opener=opener, actions=FixedActions(action))
            async with chat:
                yield (
                    MachineMode(chat, lines, written.write, written.told.append),
                    written,
                    chat,
                )

    return open_machine


def kinds(written: list[Line]) -> list[str]:
    return [str(line["type"]) for line in written if line["type"] != "delta"]


@pytest.mark.parametrize(
    ("word", "runs", "end"),
    [
        ({"command": "allow"}, 1, "Did ring ten."),
        ({"command": "deny"}, 0, "Not done, since you did not allow it: ring ten."),
    ],
)
async def test_one_ask_gets_one_word(machine: Run, word: Line, runs: int, end: str) -> None:
    """Allow runs it and deny does not; the next line is a new request again."""
    action = ScriptedAction("ring")
    lines = Given({"text": "Ring."}, word, {"text": "Hi."})
    async with machine(lines, ENVELOPE, PLAIN, action=action) as (mode, written, _):
        assert await mode.run() == 0
    assert kinds(written) == ["ask", "reply", "reply", "ended"]
    ask = next(line for line in written if line["type"] == "ask")
    assert ask == {"type": "ask", "action": "ring", "would": "ring ten", "risk": "low"}
    reply = next(line for line in written if line["type"] == "reply")
    assert reply["text"] == f"On it.\n\n{end}"
    assert len(action.runs) == runs


async def test_the_end_of_input_is_a_no(machine: Run) -> None:
    """A program that leaves without a word has allowed nothing."""
    action = ScriptedAction("ring")
    async with machine(Given({"text": "Ring."}), ENVELOPE, action=action) as (mode, written, _):
        assert await mode.run() == 0
    assert action.runs == []
    assert kinds(written) == ["ask", "reply", "ended"]


async def test_any_other_line_is_an_error_and_the_ask_still_waits(machine: Run) -> None:
    """Words that come while an action waits are refused in a sentence, and not lost in silence."""
    action = ScriptedAction("ring")
    lines = Given({"text": "Ring."}, {"text": "Hm."}, {"command": "memory"}, {"command": "allow"})
    async with machine(lines, ENVELOPE, action=action) as (mode, written, _):
        await mode.run()
    assert kinds(written) == ["ask", "error", "error", "reply", "ended"]
    errors = [line["message"] for line in written if line["type"] == "error"]
    assert set(errors) == {"An action waits for a word. Send allow or deny first."}
    assert len(action.runs) == 1


async def test_allow_without_an_ask_is_an_error(machine: Run) -> None:
    """A word on nothing says so."""
    action = ScriptedAction("ring")
    async with machine(Given({"command": "allow"}), action=action) as (mode, written, _):
        await mode.run()
    assert written[0]["kind"] == "asked_wrongly"


async def test_always_is_kept_and_asks_no_more(machine: Run, tmp_path: Path) -> None:
    """An action that is allowed for good runs at once, in this run and in the next."""
    action = ScriptedAction("ring")
    lines = Given({"text": "Ring."}, {"command": "allow", "always": True}, {"text": "Again."})
    async with machine(lines, ENVELOPE, ENVELOPE, action=action) as (mode, written, _):
        await mode.run()
    assert kinds(written) == ["ask", "reply", "reply", "ended"]
    assert 'allowed = "ring"' in (tmp_path / "settings.toml").read_text()


async def test_an_interrupt_stops_the_turn_and_loses_no_line(machine: Run) -> None:
    """A line that was being waited for when its ask ended is the next request."""
    action = ScriptedAction("ring")
    gate = Gate()
    lines = Given({"text": "Ring."}, gate, {"text": "Hi."})
    async with machine(lines, ENVELOPE, PLAIN, action=action) as (mode, written, _):
        running = asyncio.create_task(mode.run())
        await gate.wait_reached()
        mode.interrupt()
        await written.replied.wait()
        gate.open()
        assert await running == 0
    assert kinds(written) == ["ask", "reply", "reply", "ended"]
    assert [line["text"] for line in written if line["type"] == "reply"] == ["On it.", "Hello."]
    assert action.runs == []


async def test_another_screen_may_answer_first(machine: Run) -> None:
    """What another screen allowed is done, and a line that comes later is a new request."""
    action = ScriptedAction("ring")
    gate = Gate()
    lines = Given({"text": "Ring."}, gate, {"text": "Hi."})
    async with machine(lines, ENVELOPE, PLAIN, action=action) as (mode, written, chat):
        running = asyncio.create_task(mode.run())
        await gate.wait_reached()
        row = chat.session.open_row
        assert row is not None
        assert row.asks is not None
        assert chat.approvals.answer(row.asks.call_id, Approval.ONCE)
        await written.replied.wait()
        gate.open()
        await running
    assert len(action.runs) == 1
    assert kinds(written) == ["ask", "reply", "reply", "ended"]


async def test_a_notice_is_told_at_once_and_stands_in_the_reply(machine: Run) -> None:
    """B73: that another answers is said before its words, and the reply names who did."""
    action = ScriptedAction("ring")
    notice = Notice("codex did not answer. This turn is answered by the model on this machine.")
    steps = [notice, PLAIN, Finished(reason=FinishReason.STOP, model="Qwen")]
    async with machine(Given({"text": "Hi."}), steps, action=action) as (mode, written, _):
        await mode.run()
    reply = next(line for line in written if line["type"] == "reply")
    assert written.told == [notice.sentence] == reply["notices"]
    assert reply["model"] == "Qwen"


async def test_an_ask_that_cannot_be_written_ends_the_turn(machine: Run) -> None:
    """Where nobody can be asked any more, nothing waits for a word and nothing is done."""
    action = ScriptedAction("ring")
    silent = json.dumps({"intent": "action", "spokenText": "", "payload": ASKED})
    gate = Gate()
    lines = Given({"text": "Ring."}, gate)
    async with machine(lines, silent, action=action) as (mode, written, _):
        written.is_closed = True
        with pytest.raises(BrokenPipeError):
            await mode.run()
    assert action.runs == []


async def test_switched_off_by_a_command_no_turn_acts(machine: Run) -> None:
    """`pace actions off` holds for a conversation that is open: the next turn is plain talk."""
    action = ScriptedAction("ring")
    gate = Gate()
    lines = Given({"text": "Ring."}, {"command": "allow", "always": True}, gate, {"text": "Hi."})
    async with machine(lines, ENVELOPE, "Hello.", action=action) as (mode, written, chat):
        chat.settings_file.change("actions.enabled", "on")
        running = asyncio.create_task(mode.run())
        await gate.wait_reached()
        SettingsFile.open().change("actions.enabled", "off")
        gate.open()
        await running
    assert len(action.runs) == 1
    assert [line["text"] for line in written if line["type"] == "reply"][-1] == "Hello."
