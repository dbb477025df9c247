"""Serves a gateway: one process, or one that starts several and replaces those that die."""

import asyncio
import gc
import logging
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from pace.doors.gateway.admission import Admission, Doorstep
from pace.doors.gateway.app import build_app
from pace.doors.gateway.gateway import Gateway
from pace.doors.gateway.keys import KeyFile, KeyRing
from pace.doors.gateway.opening import open_gateway
from pace.doors.gateway.seeing.digests import Digests, new_secret
from pace.doors.gateway.seeing.logs import Log, others_quiet
from pace.doors.gateway.seeing.metrics import FOLDER_VARIABLE, forget_process
from pace.doors.gateway.wire import LimitedProtocol
from pace.errors import PaceError, PlannerError
from pace.planners.upstreams.planner import PlannerUpstream
from pace.settings_file import SettingsFile

# How long turns may go on when the gateway is to end (seconds).
_GRACE_SECONDS = 10
# An idle connection of a client's is kept longer than clients keep theirs (seconds), so that no
# request meets one that closes.
_KEEP_ALIVE_SECONDS = 75
_LOOK_SECONDS = 1.0
# How long a planner is waited for to say which model it has (seconds).
_PATIENCE = 3.0
# How many objects may come before the collector looks for rings among them, and how often it looks
# among older ones. Turns leave hardly any; at 200 a second Python's own numbers (700, 10, 10) cost
# 0.3 ms at the median and 40 ms at the 99th percentile (`benchmarks/gateway.py`).
_COLLECTING = (50_000, 20, 100)


@dataclass(slots=True)
class Serving:
    """Makes the application in the process that serves it; goes to other processes as a value.

    `values` are settings by their full names. `parent` is the process to end with, if there is
    one. With `secret` all of them write the same for one thread.
    `fault` is what kept it from serving, or from going on; `model` is what a tier answers by.
    """

    values: Mapping[str, object]
    doorstep: Doorstep
    keys: Path
    parent: int | None = None
    secret: bytes = field(default_factory=new_secret, repr=False)
    fault: Exception | None = field(default=None, init=False)
    model: str | None = field(default=None, init=False)

    def __call__(self) -> ASGIApp:
        """The application, which opens everything when it starts."""
        app = build_app(self._opening)
        return Admission(
            app, doorstep=self.doorstep, keys=KeyRing(KeyFile(self.keys)), tell=self.log().tell
        )

    @asynccontextmanager
    async def _opening(self) -> AsyncIterator[Gateway]:
        log = self.log()
        with others_quiet(log):
            try:
                async with open_gateway(
                    SettingsFile.open(self.values), log, Digests(self.secret)
                ) as gateway:
                    if isinstance(gateway.upstream, PlannerUpstream):
                        self.model = await _model_of(gateway.upstream)
                    _collect_rarely()
                    watch = asyncio.create_task(self._end_with_parent(), name="parent")
                    try:
                        yield gateway
                    finally:
                        watch.cancel()
            except Exception as error:
                self.fault = error
                if self.parent is not None and isinstance(error, PaceError):
                    log.tell(str(error))
                raise

    def log(self) -> Log:
        """The log, which each process writes for itself."""
        form = SettingsFile.open(self.values).current.serve.log_format
        return Log(form, Digests(self.secret))

    async def _end_with_parent(self) -> None:
        """End when the process that started this one is no more, which nobody else would notice."""
        while self.parent is not None:
            await asyncio.sleep(_LOOK_SECONDS)
            if os.getppid() != self.parent:
                signal.raise_signal(signal.SIGTERM)
                return


async def _model_of(upstream: PlannerUpstream) -> str | None:
    """The name of the model that answers; None if its planner does not say so soon."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return str((await upstream.models())[0].get("id"))
    except (PlannerError, TimeoutError):
        return None


def _collect_rarely() -> None:
    """What is loaded by now stays: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTING)


class Ended(Enum):
    """How serving came to its end."""

    AS_ASKED = "as asked"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


def serve_here(serving: Serving, listening: socket.socket, announce: Callable[[], None]) -> Ended:
    """Serve in this process until a signal ends it. Raises what kept it from serving.

    `announce` is called once it serves.
    """
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    server = _Server(_config(serving, workers=1), announce)
    try:
        # Once all is ended, uvicorn raises the signals again that it had taken.
        with suppress(KeyboardInterrupt):
            server.run([listening])
    except SystemExit:
        # Its way out when the application could not begin; why is in `fault`.
        if serving.fault is None:
            raise
    if serving.fault is not None:
        raise serving.fault
    return server.ended


class _Server(uvicorn.Server):
    """Knows the signal that ended it: whoever looks after services ends them by SIGTERM."""

    ended = Ended.INTERRUPTED

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and say so."""
        await super().startup(sockets)
        self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End in order."""
        if sig == signal.SIGTERM and not self.should_exit:
            self.ended = Ended.AS_ASKED
        super().handle_exit(sig, frame)


def serve_with_workers(serving: Serving, listening: socket.socket, workers: int) -> Ended:
    """Serve in so many processes until a signal ends them, or they cannot begin."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="pace-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            supervisor = _Workers(
                _config(serving, workers=workers), [listening], serving.log().tell
            )
            supervisor.run()
        finally:
            del os.environ[FOLDER_VARIABLE]
    return supervisor.ended


class _Workers(Multiprocess):
    """Starts processes that share one socket, and others for those that die."""

    ended = Ended.INTERRUPTED

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], tell: Callable[[str], None]
    ) -> None:
        super().__init__(config, sockets)
        self._tell = tell

    def handle_term(self) -> None:
        """End in order."""
        if not self.should_exit.is_set():
            self.ended = Ended.AS_ASKED
        super().handle_term()

    def keep_subprocess_alive(self) -> None:
        """Replace those that died, and let go of what they had counted as under way."""
        before = {process.pid for process in self.processes}
        super().keep_subprocess_alive()
        for pid in before - {process.pid for process in self.processes}:
            if pid is not None:
                forget_process(pid)
                self._tell("A worker died, and another one takes its place.")
        if any(process.exitcode == STARTUP_FAILURE for process in self.processes):
            self.ended = Ended.FAILED


def _config(serving: Serving, *, workers: int) -> uvicorn.Config:
    return uvicorn.Config(
        serving,
        factory=True,
        http=LimitedProtocol,
        workers=workers,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        # Nobody stands between; a header that says so would be believed.
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
