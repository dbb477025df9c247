"""Turns for tests of the journal, and small programs that use it as processes of their own."""

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pace.history import PaceHistory
from pace.journal.rows import JournalTurn, TurnSource, TurnStatus
from pace.memory.turn import SessionId, ThreadId, TurnId

BEGAN = datetime(2026, 6, 1, 12, tzinfo=UTC)
ONE, TWO = SessionId("1111-one"), SessionId("2222-two")


def made(
    said="Hello.",
    reply="Hello to you.",
    *,
    session=ONE,
    turn=None,
    at=BEGAN,
    status=TurnStatus.ANSWERED,
    source=TurnSource.CHAT,
) -> JournalTurn:
    return JournalTurn(
        turn_id=TurnId(turn or str(uuid.uuid4())),
        thread_id=ThreadId("thread"),
        session_id=session,
        source=source,
        planner="embedded",
        model="tiny",
        said_at=at,
        status=status,
        user_text=said,
        reply_text=reply,
    )


@asynccontextmanager
async def opened(path: Path, **options) -> AsyncIterator[PaceHistory]:
    history = PaceHistory(path, **options)
    try:
        yield history
    finally:
        await history.aclose()


async def fill(path: Path, *texts: str, session=ONE) -> None:
    """Write turns, a minute apart, and close the file."""
    async with opened(path) as history:
        for number, text in enumerate(texts):
            at = BEGAN + timedelta(minutes=number)
            await history.append(made(text, f"Reply to {number}.", session=session, at=at))


async def said(history: PaceHistory) -> list[str]:
    return [entry.turn.user_text async for entry in history.entries()]


async def found(history: PaceHistory, text: str) -> list[str]:
    return sorted(each.entry.turn.user_text for each in await history.search(text))


def contents(path: Path) -> bytes:
    return path.read_bytes()


def mode(path: Path) -> int:
    """Who may do what with a file."""
    return path.stat().st_mode & 0o777


def everything_in(folder: Path) -> bytes:
    """All bytes of all files, in upper case, so that no writing of a word is missed."""
    return b"".join(
        path.name.encode() + path.read_bytes() for path in folder.rglob("*") if path.is_file()
    ).upper()


class Program:
    """A process that runs a few lines with the journal's path, and tells and is told lines.

    The lines are those of a coroutine that has `path`, `tell(value)` and `hear()`.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def told(self):
        line = await self._process.stdout.readline()
        assert line, "the program ended without a word"
        return json.loads(line)

    async def tell(self) -> None:
        self._process.stdin.write(b"\n")
        await self._process.stdin.drain()

    async def end(self) -> int:
        out, _ = await self._process.communicate()
        assert out == b""
        return self._process.returncode


_FRAME = """
import asyncio, json, sys
from pathlib import Path
from journal.made import *

def tell(value):
    print(json.dumps(value), flush=True)

def hear():
    sys.stdin.readline()

async def main():
    path = Path(sys.argv[1])
{lines}

asyncio.run(main())
"""


@asynccontextmanager
async def program(path: Path, lines: str) -> AsyncIterator[Program]:
    code = _FRAME.format(lines="\n".join(f"    {line}" for line in lines.strip().splitlines()))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, str(path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parent.parent,
    )
    try:
        yield Program(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
