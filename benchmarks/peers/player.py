"""Runs a peer's driver as a process and speaks with it, JSON lines in and out."""

import asyncio
import itertools
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

_LONGEST_LINE = 2**24
_TICKS = os.sysconf("SC_CLK_TCK")
_ENDS_WITHIN = 5.0
_SHARED = Path(__file__).parent / "shared"
# What a library may find in the environment and must not use here.
_NOT_FOR_PEERS = ("OPENAI_", "ANTHROPIC_", "AZURE_", "GOOGLE_", "LANGCHAIN_", "LANGSMITH_")


class DriverError(Exception):
    """A driver ended, or answered what nobody asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One turn's answer; `error` names the fault of a turn that failed."""

    reply: str
    error: str | None
    seconds: float
    cpu_us: float


class Player:
    """One driver at work. Every call raises DriverError once it has ended."""

    def __init__(self, process: Process, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self._ids = itertools.count(1)
        self._turns: dict[int, asyncio.Future[dict[str, object]]] = {}
        self._other: asyncio.Future[dict[str, object]] | None = None
        self._asking = asyncio.Lock()
        self._ended = ""

    async def turn(self, thread: str, text: str) -> Answer:
        number = next(self._ids)
        coming = asyncio.get_running_loop().create_future()
        self._turns[number] = coming
        self._tell({"do": "turn", "id": number, "thread": thread, "text": text})
        answer = await coming
        error = answer.get("error")
        return Answer(
            reply=str(answer.get("reply") or ""),
            error=None if error is None else str(error),
            seconds=float(str(answer.get("seconds", 0))),
            cpu_us=float(str(answer.get("cpu_us", 0))),
        )

    async def describe(self) -> dict[str, object]:
        return await self._asked({"do": "describe"})

    async def reset(self, thread: str) -> dict[str, object]:
        return await self._asked({"do": "reset", "thread": thread})

    async def settle(self, seconds: float = 90.0) -> None:
        """Wait until no work is left, or so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._asked({"do": "settle"})

    def processor_seconds(self) -> float:
        """Of the process and its ended children, since it began; to a hundredth or so."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        return sum(map(int, stat.rpartition(")")[2].split()[11:15])) / _TICKS

    async def _asked(self, command: Mapping[str, object]) -> dict[str, object]:
        """Ask one thing at a time: what is not a turn is answered without an id."""
        async with self._asking:
            self._other = asyncio.get_running_loop().create_future()
            self._tell(command)
            try:
                return await self._other
            finally:
                self._other = None

    def _tell(self, command: Mapping[str, object]) -> None:
        if self._ended:
            raise DriverError(self._ended)
        if self._process.stdin is None:
            raise DriverError("the driver has no input")
        self._process.stdin.write(json.dumps(command).encode() + b"\n")

    async def hear(self) -> None:
        """Take answers as they come, until the driver ends."""
        if self._process.stdout is None:
            raise DriverError("the driver has no output")
        try:
            while line := await self._process.stdout.readline():
                answer = json.loads(line)
                waiting = self._turns.pop(answer["id"], None) if "id" in answer else self._other
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        finally:
            self._ended = f"the driver ended: {self._last_error()}"
            for future in (*self._turns.values(), self._other):
                if future is not None and not future.done():
                    future.set_exception(DriverError(self._ended))

    def _last_error(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "it said nothing"


@asynccontextmanager
async def playing(
    command: Sequence[str], settings: Mapping[str, str], cwd: Path
) -> AsyncIterator[Player]:
    """Run a driver with these settings in its environment; it is gone afterwards."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(_NOT_FOR_PEERS)
    }
    environment = {**inherited, "PYTHONPATH": str(_SHARED), "PYTHONUNBUFFERED": "1", **settings}
    with TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            env=environment,
            cwd=cwd,
            limit=_LONGEST_LINE,
        )
        player = Player(process, errors)
        hearing = asyncio.create_task(player.hear(), name="hear")
        try:
            yield player
        finally:
            await _end(process)
            hearing.cancel()
            await asyncio.wait([hearing])


async def _end(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_ENDS_WITHIN):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
