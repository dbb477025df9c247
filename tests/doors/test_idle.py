"""Machine mode over a clock that the test moves."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.machine import MachineMode
from pace.doors.open_chat import OpenChat
from pace.planners.tiers import FetchScreen, OpenedPlanner
from pace.settings import Settings
from pace.settings_file import SettingsFile
from pace.testing import ManualClock, ScriptedPlanner


class Lines:
    """Gives lines in order, and lets time pass before some of them."""

    def __init__(self, clock: ManualClock, *steps: dict[str, object] | timedelta) -> None:
        self._clock = clock
        self._steps = list(steps)

    async def next(self) -> bytes | None:
        while self._steps:
            step = self._steps.pop(0)
            if isinstance(step, timedelta):
                self._clock.advance(step)
            else:
                return json.dumps(step).encode()
        return None


async def answered(
    home: Path,
    planner: ScriptedPlanner,
    *steps: dict[str, object] | timedelta,
    overrides: dict[str, object] | None = None,
) -> list[dict[str, Any]]:
    """Everything machine mode says to these lines."""
    said: list[dict[str, Any]] = []
    clock = ManualClock()

    async def opener(_: Callable[[], Settings], *, screen: FetchScreen) -> OpenedPlanner:
        del screen
        return OpenedPlanner(planner=planner)

    file = SettingsFile.open(overrides, path=home / "settings.toml")
    async with OpenChat(file, screen=FetchBar(), opener=opener, clock=clock) as chat:
        lines = Lines(clock, *steps)
        machine = MachineMode(
            chat, lines, lambda line: said.append(json.loads(line)), lambda _: None
        )
        assert await machine.run() == 0
    planner.check()
    return said


async def test_idle_end_is_told_once_before_the_reply(tmp_path: Path) -> None:
    """After 21 idle minutes one line says that memory was cleared, and the request is empty."""
    planner = ScriptedPlanner("One.", "Which?")
    said = await answered(
        tmp_path,
        planner,
        {"text": "Flight 417."},
        timedelta(minutes=21),
        {"text": "And the second one?"},
        {"command": "memory"},
    )
    assert [line["type"] for line in said] == [
        *("delta", "reply", "ended", "delta", "reply", "memory", "ended")
    ]
    assert [line["cause"] for line in said if line["type"] == "ended"] == ["idle", "closed"]
    assert "417" not in str(planner.prompts[1].messages)


async def test_idle_end_is_told_before_a_command(tmp_path: Path) -> None:
    """A command after the idle limit shows the session that follows, after one line for the end."""
    said = await answered(
        tmp_path,
        ScriptedPlanner("One."),
        {"text": "Flight 417."},
        timedelta(minutes=21),
        {"command": "memory"},
        {"command": "memory"},
    )
    assert [line["type"] for line in said] == [
        *("delta", "reply", "ended", "memory", "memory", "ended")
    ]
    assert said[3]["window"] == []
    assert said[2]["session"] != said[3]["session"]


async def test_idle_limit_applies_without_a_restart(tmp_path: Path) -> None:
    """A shorter idle limit counts at once; a longer one keeps what would have gone."""
    said = await answered(
        tmp_path,
        ScriptedPlanner("One.", "Two."),
        {"text": "Flight 417."},
        {"command": "idle", "value": 60},
        timedelta(minutes=59),
        {"text": "Still there?"},
        {"command": "idle", "value": 5},
        timedelta(minutes=6),
        {"command": "memory"},
    )
    kinds = [line["type"] for line in said if line["type"] != "delta"]
    assert kinds == ["reply", "memory", "reply", "memory", "ended", "memory", "ended"]


async def test_settings_give_the_first_limits(tmp_path: Path) -> None:
    """An idle limit set beforehand holds from the first turn on."""
    said = await answered(
        tmp_path,
        ScriptedPlanner("One."),
        {"text": "Flight 417."},
        timedelta(minutes=6),
        {"command": "memory"},
        overrides={"activity.idle_minutes": 5},
    )
    assert said[2]["cause"] == "idle"
