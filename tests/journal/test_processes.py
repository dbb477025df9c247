"""Several processes use one journal, and none of them loses a word."""

import asyncio
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from journal.made import made, opened, program, said
from pace.errors import HistoryError

KILLS = Path(__file__).parents[2] / "benchmarks" / "kills.py"
WRITE = (
    "h = PaceHistory(path)\ntell('ready')\nhear()\n"
    "for number in range(200): await h.append(made(f'{number}', session=SessionId(name)))\n"
    "await h.aclose()"
)
HOLD = (
    "from pace.journal.file import connect\n"
    "db = connect(path)\ndb.execute('BEGIN IMMEDIATE')\ntell('held')\nhear()\n"
    "db.execute('ROLLBACK')"
)


async def test_processes_that_write_at_once(tmp_path: Path) -> None:
    """Three write 200 turns each while one reads, and another held the file: all are there."""
    path = tmp_path / "history.db"
    async with opened(path) as history:
        await history.append(made("First."))
        async with (
            program(path, f"name = 'aaaa'\n{WRITE}") as one,
            program(path, f"name = 'bbbb'\n{WRITE}") as two,
            program(path, f"name = 'cccc'\n{WRITE}") as three,
            program(path, HOLD) as holding,
        ):
            writers = (one, two, three)
            assert await holding.told() == "held"
            for each in writers:
                assert await each.told() == "ready"
            for each in writers:
                await each.tell()
            # While one holds it, it can be read and nobody has written.
            assert await said(history) == ["First."]
            waiting = asyncio.create_task(history.append(made("Second.")))
            await holding.tell()
            assert await holding.end() == 0
            await waiting
            assert [await each.end() for each in writers] == [0, 0, 0]
        assert await history.count() == 602
        for name in ("aaaa", "bbbb", "cccc"):
            session = await history.session_id(name)
            texts = [entry.turn.user_text async for entry in history.entries(session_id=session)]
            assert texts == [str(number) for number in range(200)]


async def test_file_that_is_held_too_long(tmp_path: Path) -> None:
    """Beyond the limit of patience a turn is refused in a sentence, and can be written later."""
    path = tmp_path / "history.db"
    async with opened(path, patience=timedelta(milliseconds=1)) as history:
        await history.append(made("First."))
        async with program(path, HOLD) as holding:
            await holding.told()
            with pytest.raises(HistoryError, match="another program holds it"):
                await history.append(made("Second."))
            await holding.tell()
            assert await holding.end() == 0
        await history.append(made("Second."))
        assert await said(history) == ["First.", "Second."]


async def test_reader_sees_what_another_process_wrote(tmp_path: Path) -> None:
    """What one process acknowledged is found by the next question of another one."""
    path = tmp_path / "history.db"
    lines = (
        "h = PaceHistory(path)\nfor at in range(3):\n"
        "    hear()\n    await h.append(made(f'Kettle {at}.'))\n    tell(at)"
    )
    async with opened(path) as history, program(path, lines) as other:
        for number in range(3):
            await other.tell()
            assert await other.told() == number
            assert len(await history.search("kettle")) == number + 1


async def test_turn_written_twice_is_there_once(tmp_path: Path) -> None:
    """A turn that two processes write, or one tries again, keeps its number."""
    path = tmp_path / "history.db"
    async with opened(path) as one, opened(path) as two:
        number = await one.append(made("Hello.", turn="same"))
        assert await two.append(made("Hello.", turn="same")) == number
        assert await said(one) == ["Hello."]


async def test_killed_processes_lose_nothing_that_was_acknowledged() -> None:
    """However a process is killed while it writes, every turn it spoke of is there and is found."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(KILLS), "--kills", "25"), stdout=subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    assert "none is lost" in out.decode()
