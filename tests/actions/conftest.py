"""A desktop of small programs, and the built-in actions over it."""

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from actions.desktop import Desktop, make_desktop
from pace.actions.builtin import builtin_actions
from pace.actions.notes.folder import NotesFolder
from pace.actions.registry import Registry
from pace.actions.timers.timers import Timers
from pace.testing import ManualClock


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    if sys.platform != "linux":
        pytest.skip("the stand-ins are programs of Linux desktops")
    return make_desktop(tmp_path, monkeypatch)


@dataclass(slots=True)
class Heard:
    """What a person would see of timers: sentences in the conversation, and on the desktop."""

    told: list[str] = field(default_factory=list)
    notified: list[str] = field(default_factory=list)

    async def notify(self, title: str, _text: str) -> None:
        self.notified.append(title)


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def timers(clock: ManualClock, heard: Heard) -> AsyncIterator[Timers]:
    timers = Timers(clock, notify=heard.notify, tell=heard.told.append)
    async with timers.ringing():
        yield timers


@pytest.fixture
def notes_folder(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def registry(notes_folder: Path, timers: Timers) -> Registry:
    return Registry(builtin_actions(notes=NotesFolder(lambda: notes_folder), timers=timers))
