"""One running Piper: lines of text go in on standard input, raw sound comes out.

Piper tells nobody when a line's sound is whole. But a line of a full stop alone makes no sound, and
with `--debug` it says on standard error that it has come to it; what it wrote before is flushed by
then. Those messages hold the text, so they are looked at in memory and never kept.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Self

from pace.errors import VoiceError
from pace.speech.ports import SAMPLE_BYTES
from pace.speech.voices.environment import voice_environment

_MARK = b"."
_MARKED = b"DEBUG:piper.voice:text=., phonemes=[]"
_LACKING = b"No module named "
# A system tells of both pipes at once, and sound that came first is read within the same step of
# the event loop; Windows reads a pipe in pieces, one a step.
_STEPS_TO_READ = 8
_END_LIMIT = 10.0


class PiperChild(asyncio.SubprocessProtocol):
    """Speaks one line after the other; raises VoiceError."""

    def __init__(self) -> None:
        self._transport: asyncio.SubprocessTransport | None = None
        self._sound = bytearray()
        self._messages = bytearray()
        self._asked = 0
        self._spoken = 0
        self._changed = asyncio.Event()
        self._exited = asyncio.Event()
        self.has_ended = False
        self.lacks_program = False

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        """Start one; its model loads while the first line is on its way. Raises VoiceError."""
        loop = asyncio.get_running_loop()
        try:
            transport, child = await loop.subprocess_exec(
                cls, *command, env=voice_environment(), start_new_session=True
            )
        except OSError as error:
            raise VoiceError(
                f"The voice's program {command[0]} cannot be started. Is there enough memory?"
            ) from error
        child._transport = transport
        return child

    async def say(self, line: str, *, answers_within: timedelta) -> AsyncGenerator[bytes, None]:
        """The samples of a line; closed early, the child makes the rest, and `settle` drops it."""
        self._asked += 1
        self._write(line.encode() + b"\n" + _MARK + b"\n")
        while True:
            if whole := len(self._sound) // SAMPLE_BYTES * SAMPLE_BYTES:
                samples = bytes(self._sound[:whole])
                del self._sound[:whole]
                yield samples
            elif self._is_idle():
                return
            else:
                await self._wait_changed(answers_within)

    async def settle(self, *, answers_within: timedelta) -> None:
        """Wait until nothing is being made, and drop what nobody took."""
        while not self._is_idle():
            await self._wait_changed(answers_within)
        self._sound.clear()

    async def aclose(self) -> None:
        """End it, whatever it is at."""
        if self._transport is None:
            return
        with suppress(ProcessLookupError):
            self._transport.kill()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(_END_LIMIT):
                    await self._exited.wait()
        finally:
            self._transport.close()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in sound, or messages."""
        if fd == 1:
            self._sound += data
            self._changed.set()
            return
        *messages, self._messages = (self._messages + data).split(b"\n")
        for message in messages:
            if message.rstrip() == _MARKED:
                self._read_on(_STEPS_TO_READ)
            self.lacks_program = self.lacks_program or _LACKING in message

    def pipe_connection_lost(self, fd: int, _: Exception | None) -> None:
        """Without its output it is of no use."""
        if fd == 1:
            self.has_ended = True
            self._changed.set()

    def process_exited(self) -> None:
        """Nothing more will come."""
        self._exited.set()

    def connection_lost(self, _: Exception | None) -> None:
        """It is gone, and all that it said was read."""
        self.has_ended = True
        self._changed.set()

    def _read_on(self, steps: int) -> None:
        if steps:
            asyncio.get_running_loop().call_soon(self._read_on, steps - 1)
            return
        self._spoken += 1
        self._changed.set()

    def _is_idle(self) -> bool:
        return self._spoken == self._asked

    async def _wait_changed(self, limit: timedelta) -> None:
        if self.has_ended:
            raise VoiceError("The voice's program ended.")
        self._changed.clear()
        try:
            async with asyncio.timeout(limit.total_seconds()):
                await self._changed.wait()
        except TimeoutError as error:
            raise VoiceError("The voice's program does not answer.") from error

    def _write(self, content: bytes) -> None:
        pipe = self._transport.get_pipe_transport(0) if self._transport else None
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(content)
