"""Runs a server's program, in a process group of its own that ends as a whole, whatever happens.

The SDK's own transport lets a program that leaves in time leave its children behind, keeps no
limit on a line, and shows standard error on the terminal; so this one stands in its place. On
Windows, where the SDK ends the whole tree, its own is used (`connection.py`).
"""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from pace.actions.mcp.config import ProgramServer
from pace.errors import ActionError

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]

KEPT_OF_ERRORS = 4000
"""How many bytes are kept of what a program complains, the last of them."""
# A picture in a result takes a few megabytes as text.
_LONGEST_LINE = 16_000_000
_MOST_WAITING = 64
# How long a program has to leave once its input ends, and then once it is asked to by a signal.
_LEAVE_LIMIT, _SIGNAL_LIMIT, _KILL_LIMIT = 2.0, 1.0, 5.0
# What is still in the pipe of a program that has ended is read within this time.
_LAST_WORDS = 0.5
# What a program needs to find its files, its own and the system's; all else is the entry's to give.
_INHERITED = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
)


def environment_of(server: ProgramServer, ours: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program is started with: a few of our variables, and the entry's own."""
    ours = os.environ if ours is None else ours
    return {name: ours[name] for name in _INHERITED if name in ours} | dict(server.environment)


def found_program(server: ProgramServer, environment: Mapping[str, str]) -> str:
    """The path of a server's program; raises ActionError with half a sentence."""
    command = server.command
    if os.sep in command and not os.path.isabs(command):  # noqa: PTH117  # no path need be there
        command = str(server.folder / command)
    found = shutil.which(command, path=environment.get("PATH", os.defpath))
    if found is None:
        raise ActionError(f"its program {server.command} is not there. Install it first")
    if not server.folder.is_dir():
        raise ActionError(f"its folder {server.folder} is not there. Correct its cwd")
    return found


@asynccontextmanager
async def program_streams(server: ProgramServer, errors: bytearray) -> AsyncIterator[Streams]:
    """Start the program, for as long as the block runs. `errors` gets the end of what it complains.

    Raises ActionError if it cannot be started.
    """
    environment = environment_of(server)
    program = found_program(server, environment)
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: _Program(errors),
            *(program, *server.arguments),
            env=environment,
            cwd=server.folder,
            start_new_session=True,
        )
    except OSError as error:
        raise ActionError(f"its program cannot be started ({error.strerror})") from error
    to_session, from_program = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_program, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_hand_on, protocol, to_session)
            group.start_soon(_write, protocol, from_session)
            try:
                yield from_program, to_program
            finally:
                await protocol.leave()
                group.cancel_scope.cancel()
    finally:
        protocol.kill()
        for stream in (to_session, from_program, to_program, from_session):
            stream.close()
        with anyio.move_on_after(_KILL_LIMIT, shield=True):
            await protocol.has_ended.wait()
        transport.close()


class _Program(asyncio.SubprocessProtocol):
    """A running program: its lines wait in `lines`, where an empty one is the end of them."""

    def __init__(self, errors: bytearray) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()
        self.has_ended = asyncio.Event()
        self._errors = errors
        self._begun = bytearray()
        self._transport: asyncio.SubprocessTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.SubprocessTransport):
            self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self._errors += data
            del self._errors[:-KEPT_OF_ERRORS]
            return
        self._begun += data
        if b"\n" in data:
            *lines, rest = bytes(self._begun).split(b"\n")
            self._begun = bytearray(rest)
            for line in lines:
                if line.strip():
                    self.lines.put_nowait(line)
        if len(self._begun) > _LONGEST_LINE:
            self.kill()
            self._end_lines()
        elif self.lines.qsize() > _MOST_WAITING:
            self._have_output("pause_reading")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        if fd == 1:
            self._end_lines()

    def process_exited(self) -> None:
        self.has_ended.set()
        # A child that holds its output open must not make it look alive.
        asyncio.get_running_loop().call_later(_LAST_WORDS, self._end_lines)

    async def next_line(self) -> bytes:
        """The next line; an empty one if there will be none."""
        if self.lines.empty():
            self._have_output("resume_reading")
        return await self.lines.get()

    def write(self, line: bytes) -> None:
        """Write a line to its input; lost if it has ended."""
        pipe = self._transport and self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(line)

    async def leave(self) -> None:
        """Have it leave by itself, as the protocol wants: the end of its input, then a signal."""
        pipe = self._transport and self._transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        self._have_output("resume_reading")
        with anyio.move_on_after(_LEAVE_LIMIT, shield=True):
            await self.has_ended.wait()
            return
        self._signal("SIGTERM")
        with anyio.move_on_after(_SIGNAL_LIMIT, shield=True):
            await self.has_ended.wait()

    def kill(self) -> None:
        """End it and all that it started, now."""
        self._signal("SIGKILL")

    def _signal(self, name: str) -> None:
        if self._transport is None:
            return
        # The group has its first process's number, and lives as long as any of its processes.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._transport.get_pid(), signal.Signals[name])

    def _end_lines(self) -> None:
        self.lines.put_nowait(b"")

    def _have_output(self, do: str) -> None:
        pipe = self._transport and self._transport.get_pipe_transport(1)
        if isinstance(pipe, asyncio.ReadTransport) and not pipe.is_closing():
            if do == "pause_reading":
                pipe.pause_reading()
            else:
                pipe.resume_reading()


async def _hand_on(
    program: _Program, to_session: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """What the program writes, message by message; a line that is none is passed over."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with to_session:
            while line := await program.next_line():
                with suppress(ValueError, RecursionError):
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await to_session.send(SessionMessage(message))


async def _write(
    program: _Program, from_session: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with from_session:
        async for sent in from_session:
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            program.write(text.encode() + b"\n")
