"""The installed `pace web` as a real process, and what it says."""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from doors.running import PACE, environment

_ADDRESS = "Pace is at "
# The command with a page that cannot be made.
FAULTY = """
from nicegui import ui
from pace.doors.cli.start import main
def fail():
    raise ValueError("planted words")
ui.page("/fails")(fail)
main()
"""


@dataclass(slots=True)
class RunningWindow:
    """A `pace web` that is up. `address` is the one it printed, with its secret."""

    process: asyncio.subprocess.Process
    home: Path
    address: str
    said: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    @property
    def url(self) -> str:
        """Where it is, without a path and without the secret."""
        return f"http://{urlsplit(self.address).netloc}"

    @property
    def secret(self) -> str:
        return urlsplit(self.address).query.removeprefix("secret=")

    @property
    def cookie(self) -> str:
        """The header of a browser that was let in."""
        return f"pace-{self.port}={self.secret}"

    def send_signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """End it with a signal; gives its status and the rest of what it said, out and err."""
        self.send_signal(number)
        return await self.wait_ended()

    async def wait_ended(self) -> tuple[int, str, str]:
        out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode, out.decode(), err.decode()


@asynccontextmanager
async def running_window(
    home: Path,
    *flags: str,
    base_url: str | None = None,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    opens: bool = False,
    program: tuple[str, ...] = (str(PACE),),
) -> AsyncIterator[RunningWindow]:
    """A window over a server, or, without one, over whatever planner the flags name.

    `program` is what is run in place of the installed command.
    """
    over = () if base_url is None else ("--base-url", base_url)
    port = () if "--port" in flags else ("--port", "0")
    process = await asyncio.create_subprocess_exec(
        *(*program, "web", *(() if opens else ("--no-open",)), *port, *over, *flags),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home, **(env or {})),
        cwd=folder,
    )
    try:
        yield await _up(process, home)
    finally:
        if process.returncode is None:
            # Ends with nothing left behind, as a person would end it.
            process.terminate()
            await process.communicate()


async def _up(process: asyncio.subprocess.Process, home: Path) -> RunningWindow:
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    while line := (await process.stdout.readline()).decode().rstrip("\n"):
        said.append(line)
        if line.startswith(_ADDRESS):
            return RunningWindow(process, home, line.removeprefix(_ADDRESS), said)
    raise AssertionError(f"no window: {said} {(await process.stderr.read()).decode()}")
