"""The actions of an installation at work: what goes wrong with one kind leaves the others be."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pace.actions.installed import InstalledActions
from pace.errors import ActionError
from pace.ports import ActionResult
from pace.settings import Settings
from pace.testing import ManualClock

NOBODY = "~no-such-user/x"


@dataclass(slots=True)
class Installed:
    actions: InstalledActions
    told: "asyncio.Queue[str]" = field(default_factory=asyncio.Queue)

    async def run(self, name: str, **arguments: object) -> ActionResult:
        action = next(one for one in self.actions.offered() if one.traits.name == name)
        return await action.run(action.checked(arguments))


@asynccontextmanager
async def installed(
    clock: ManualClock, *, stays: bool = True, **actions: object
) -> AsyncIterator[Installed]:
    """Actions at work while the block runs; what they tell waits in a queue."""
    settings = Settings.model_validate({"actions": {"enabled": True, **actions}})
    told: asyncio.Queue[str] = asyncio.Queue()
    work = InstalledActions(lambda: settings, clock=clock, tell=told.put_nowait, stays=stays)
    task = asyncio.create_task(work.run())
    await asyncio.sleep(0)
    try:
        yield Installed(work, told)
    finally:
        assert not task.done(), "what goes wrong with one of them must not end them all"
        task.cancel()
        await asyncio.wait([task])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACE_HOME", str(tmp_path))
    return tmp_path


async def test_a_servers_file_that_leads_nowhere_ends_no_timer(clock: ManualClock) -> None:
    """A setting that names nobody's home is told in a sentence, and timers go on."""
    async with installed(clock, mcp_file=NOBODY) as it:
        await asyncio.sleep(0)
        assert (await it.told.get()).startswith(
            f'The setting actions.mcp_file is "{NOBODY}", which leads nowhere.'
        )
        done = await it.run("start_timer", duration="5 minutes")
    assert done.line == "Started a timer of 5 minutes."


async def test_a_servers_file_that_is_a_pipe_holds_up_nothing(
    clock: ManualClock, home: Path
) -> None:
    """A servers' file that would be waited for without end is told in a sentence."""
    os.mkfifo(home / "pipe")
    async with installed(clock, mcp_file=str(home / "pipe")) as it:
        assert "is no file" in await it.told.get()
        assert (await it.run("start_timer", duration="5 minutes")).line


async def test_a_notes_folder_that_leads_nowhere_is_refused(clock: ManualClock) -> None:
    """Each note's action says that the setting leads nowhere, and that nothing was done."""
    async with installed(clock, notes_folder=NOBODY) as it:
        for name, arguments in (
            ("take_note", {"title": "a", "text": "b"}),
            ("append_note", {"title": "a", "text": "b"}),
            ("search_notes", {"query": "b"}),
        ):
            with pytest.raises(ActionError, match=r"notes_folder is .* which leads nowhere") as no:
                await it.run(name, **arguments)
            assert type(no.value) is ActionError


async def test_what_ends_at_once_starts_no_timer(clock: ManualClock) -> None:
    """Where Pace ends with its answer, a timer that could not ring is not started."""
    async with installed(clock, stays=False) as it:
        with pytest.raises(ActionError, match="ends with this answer"):
            await it.run("start_timer", duration="5 minutes")
        assert it.actions.farewell() == ""
