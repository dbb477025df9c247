"""Runs a program: words in by pipes, lines out, and its whole process group gone at the end."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import SubprocessStreamProtocol
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Self

# An event holds a few words; the last one may repeat a whole reply.
LONGEST_LINE = 8_000_000
_PIECE = 65_536
# How long to wait for output before looking whether the program is still there.
_LOOK = 0.25
# What a program gets to end by itself.
_GRACE = 1.0
_END_LIMIT = 5.0
_LINES_OF_STDERR = 20
_LONGEST_LINE_OF_STDERR = 400


class SilentError(Exception):
    """The program said nothing for longer than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What to run. `argv` and `environment` hold no word of a conversation.

    `standard_input` and `pipe` do. `pipe` is for a second text, which the program opens by the name
    that takes the place of `PIPE` in `argv`; not on Windows.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    standard_input: str = field(repr=False)
    pipe: str | None = field(default=None, repr=False)


PIPE = "\0pipe"


class Program:
    """A running program. Whoever starts one closes it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        transport: asyncio.SubprocessTransport,
        pipe: FileIO | None,
    ) -> None:
        self._process = process
        self._transport = transport
        self._pipe = pipe
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = asyncio.Lock()
        self.bytes_read = 0
        """Of its standard output, so far."""
        self._stderr: deque[str] = deque(maxlen=_LINES_OF_STDERR)

    @classmethod
    async def start(cls, launch: Launch) -> Self:
        """Start it and begin to feed and drain it; raises OSError."""
        reading = writing = None
        if launch.pipe is not None and sys.platform != "win32":
            reading, end = os.pipe()
            os.set_blocking(end, False)
            writing = os.fdopen(end, "wb", buffering=0)
        argv = [f"/dev/fd/{reading}" if word == PIPE else word for word in launch.argv]
        try:
            # As asyncio.create_subprocess_exec does it, which keeps the transport to itself.
            loop = asyncio.get_running_loop()
            transport, protocol = await loop.subprocess_exec(
                lambda: SubprocessStreamProtocol(limit=_PIECE, loop=loop),
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=launch.folder,
                env=dict(launch.environment),
                pass_fds=() if reading is None else (reading,),
                start_new_session=sys.platform != "win32",
                creationflags=_NEW_GROUP,
            )
        except BaseException:
            if writing is not None:
                writing.close()
            raise
        finally:
            if reading is not None:
                os.close(reading)
        process = asyncio.subprocess.Process(transport, protocol, loop)
        program = cls(process, transport, writing)
        jobs = [program._feed(launch.standard_input.encode()), program._drain_stderr()]
        if launch.pipe is not None and writing is not None:
            jobs.append(_pour(writing, launch.pipe.encode()))
        program._tasks = [asyncio.create_task(job, name="cli program") for job in jobs]
        return program

    @property
    def process_id(self) -> int:
        """Its number, and that of its process group."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.returncode

    @property
    def last_stderr(self) -> Sequence[str]:
        """The last lines of its standard error; they may repeat what it was given."""
        return tuple(self._stderr)

    async def lines(self, *, first_limit: float, silence_limit: float) -> AsyncGenerator[str, None]:
        """Its standard output, line by line, in time and in bounds; raises SilentError.

        Ends with the program, though something it started may still hold its output. A line too
        long for an event is empty. The limits hold for whole lines.
        """
        clock = asyncio.get_running_loop().time
        line, is_too_long, last = bytearray(), False, clock() + first_limit
        while piece := await self._read(last):
            self.bytes_read += len(piece)
            *ended, rest = piece.split(b"\n")
            for end in ended:
                line += end
                if not is_too_long and len(line) <= LONGEST_LINE:
                    yield line.decode(errors="replace")
                line, is_too_long = bytearray(), False
            line += rest
            if len(line) > LONGEST_LINE:
                line, is_too_long = bytearray(), True
                yield ""
            if ended:
                last = clock() + silence_limit
            elif clock() >= last:
                raise SilentError
        if line and not is_too_long:
            yield line.decode(errors="replace")

    async def wait_ended(self, limit: float) -> int | None:
        """Its exit code, if it ends within the limit, in seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                await self._process.wait()
        return self._process.returncode

    async def aclose(self) -> None:
        """End it and all that it started; more than once does no harm."""
        self._signal_group(_TERMINATE)
        try:
            async with self._closing:
                await self.wait_ended(_GRACE)
        finally:
            self._signal_group(_KILL)
            for task in self._tasks:
                task.cancel()
            if self._pipe is not None:
                self._pipe.close()  # a task that is cancelled before it begins does not
        try:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self.wait_ended(_END_LIMIT)
        finally:
            self._transport.close()  # a child of another session may hold its pipes for ever

    async def _read(self, last: float) -> bytes:
        stdout = self._process.stdout
        if stdout is None:
            raise AssertionError("`start` asks for the pipe")
        loop = asyncio.get_running_loop()
        has_ended = False
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    return await stdout.read(_PIECE)
            if has_ended:
                return b""  # what it left in the pipe was read; only a child of it holds on
            has_ended = self._process.returncode is not None
            if loop.time() >= last:
                raise SilentError

    async def _feed(self, words: bytes) -> None:
        stdin = self._process.stdin
        if stdin is None:
            raise AssertionError("`start` asks for the pipe")
        with suppress(ConnectionError):  # it may end without reading all
            stdin.write(words)
            await stdin.drain()
        stdin.close()
        with suppress(ConnectionError):
            await stdin.wait_closed()

    async def _drain_stderr(self) -> None:
        stderr = self._process.stderr
        if stderr is None:
            raise AssertionError("`start` asks for the pipe")
        line = b""
        while piece := await stderr.read(_PIECE):
            *ended, line = (line + piece).split(b"\n")
            line = line[:_LONGEST_LINE_OF_STDERR]
            self._keep(ended)
        self._keep([line])

    def _keep(self, lines: list[bytes]) -> None:
        texts = (text[:_LONGEST_LINE_OF_STDERR].decode(errors="replace").strip() for text in lines)
        self._stderr.extend(text for text in texts if text)

    def _signal_group(self, number: int) -> None:
        """Also once the program itself is gone: what it started is still in its group."""
        if sys.platform == "win32":
            _end_tree_on_windows(self._process.pid, has_ended=self.exit_code is not None)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


async def _pour(pipe: FileIO, words: bytes) -> None:
    """Write it all into a pipe as it is read, and close it."""
    rest = memoryview(words)
    with pipe, suppress(BrokenPipeError):  # it may end without reading all
        while rest:
            written = pipe.write(rest[:_PIECE])
            if written is None:
                await _wait_writable(pipe.fileno())
            else:
                rest = rest[written:]


async def _wait_writable(pipe: int) -> None:
    loop = asyncio.get_running_loop()
    is_writable = asyncio.Event()
    loop.add_writer(pipe, is_writable.set)
    try:
        await is_writable.wait()
    finally:
        loop.remove_writer(pipe)


if sys.platform == "win32":
    import subprocess

    _NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    _TERMINATE = _KILL = signal.SIGTERM

    def _end_tree_on_windows(process_id: int, *, has_ended: bool) -> None:
        """Windows has no process groups to signal; it ends a program with all its children."""
        if not has_ended:
            subprocess.run(  # noqa: S603  # a number of ours
                ["taskkill", "/F", "/T", "/PID", str(process_id)],  # noqa: S607
                capture_output=True,
                check=False,
            )
else:
    _NEW_GROUP = 0
    _TERMINATE, _KILL = signal.SIGTERM, signal.SIGKILL

    def _end_tree_on_windows(process_id: int, *, has_ended: bool) -> None:
        raise NotImplementedError
