"""Nothing of a turn stays behind: no process of any session, and no folder with words in it."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import pytest

from pace.settings import Provider
from planners.cli.asking import PROGRAMS, ask, planner_over, said
from planners.cli.programs import HELLO, program
from planners.cli.whole_pace import ANSWERING
from planners.processes import command_line, files_in, kill, names_in, wait_died

every_program = pytest.mark.parametrize("provider", PROGRAMS)
# Leaves what it was told in its temporary folder, tells both numbers and goes on as told. The
# child is of another session, holds its output and minds no signal that can be minded.
LEAVING = """
with open(os.environ["TMPDIR"] + "/crash-report.txt", "w") as report:
    report.write(words() + (system() or ""))
child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"], start_new_session=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open({told!r}, "w") as told:
    told.write(f"{{os.getpid()}} {{child.pid}}")
{rest}
"""


@pytest.fixture(autouse=True)
def rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which private rooms are made, by this process and by its children."""
    folder = tmp_path / "rooms"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


async def started_pace(path: Path, told: Path) -> tuple[asyncio.subprocess.Process, list[int]]:
    """A Pace that asks this program, and the numbers that the program told."""
    pace = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", ANSWERING, str(path)), stderr=asyncio.subprocess.PIPE
    )
    return pace, [int(number) for number in (await asyncio.to_thread(told.read_text)).split()]


def watchers_of(process_id: int) -> list[int]:
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return [int(child) for child in children if "watcher.py" in command_line(int(child))]


@every_program
async def test_a_killed_pace_leaves_nothing(
    provider: Provider, tmp_path: Path, rooms: Path
) -> None:
    """R10: killed without any chance to clean up, the program ends and its folder goes."""
    told = tmp_path / "told"
    os.mkfifo(told)
    path = program(tmp_path, provider, LEAVING.format(told=str(told), rest="time.sleep(300)"))
    pace, numbers = await started_pace(path, told)
    (watcher,) = watchers_of(pace.pid)
    assert "crash-report.txt" in {path.name for path in files_in(rooms)}
    pace.kill()
    for number in (*numbers, watcher):
        await wait_died(number)
    await pace.communicate()
    assert names_in(rooms) == []


async def test_what_nobody_watches_over_goes_at_the_next_start(tmp_path: Path, rooms: Path) -> None:
    """R10: killed with its watcher, what is left goes with the next turn of anybody's."""
    told = tmp_path / "told"
    os.mkfifo(told)
    body = LEAVING.format(told=str(told), rest="time.sleep(300)")
    pace, numbers = await started_pace(program(tmp_path, Provider.CODEX, body), told)
    for number in (*watchers_of(pace.pid), pace.pid):
        kill(number)
        await wait_died(number)
    (rooms / "pace-cli-begun").mkdir()
    assert len(names_in(rooms)) == 2
    await ask(planner_over(program(tmp_path, Provider.CODEX, HELLO)))
    for number in numbers:
        await wait_died(number)
    await pace.communicate()
    assert names_in(rooms) == []


async def test_a_start_leaves_others_alone(tmp_path: Path, rooms: Path) -> None:
    """A folder of another Pace that runs, and whatever is no folder of ours, are left alone."""
    told = tmp_path / "told"
    os.mkfifo(told)
    slow = tmp_path / "slow"
    slow.mkdir()
    body = LEAVING.format(told=str(told), rest="time.sleep(300)")
    pace, numbers = await started_pace(program(slow, Provider.CODEX, body), told)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "owner").touch()
    (rooms / "pace-cli-link").symlink_to(tmp_path / "mine")
    before = names_in(rooms)
    assert said(await ask(planner_over(program(tmp_path, Provider.CODEX, HELLO)))) == "Hello, you."
    assert names_in(rooms) == before
    assert names_in(tmp_path / "mine") == ["owner"]
    assert all(map(command_line, numbers))
    pace.kill()
    await pace.communicate()
    for number in numbers:
        await wait_died(number)


@every_program
async def test_a_child_of_another_session_ends_with_its_turn(
    provider: Provider, tmp_path: Path, rooms: Path
) -> None:
    """B103: what a program started in a session of its own ends, and Pace's end says nothing."""
    told = tmp_path / "told"
    os.mkfifo(told)
    body = LEAVING.format(told=str(told), rest="piece('Hello.'); end()")
    pace, numbers = await started_pace(program(tmp_path, provider, body), told)
    _, errors = await pace.communicate()
    assert (pace.returncode, errors) == (0, b"")
    for number in numbers:
        await wait_died(number)
    assert names_in(rooms) == []


async def test_a_child_that_hides_brings_no_error(tmp_path: Path, rooms: Path) -> None:
    """One that cannot be told from others holds the output on, but not Pace's end."""
    told = tmp_path / "told"
    os.mkfifo(told)
    body = """
words()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"],
    start_new_session=True, env={{}}, cwd="/")
with open({told!r}, "w") as told:
    told.write(str(child.pid))
piece("Hello."); end()
"""
    path = program(tmp_path, Provider.CODEX, body.format(told=str(told)))
    pace, (child,) = await started_pace(path, told)
    _, errors = await pace.communicate()
    kill(child)
    assert (pace.returncode, errors) == (0, b"")
    assert names_in(rooms) == []
