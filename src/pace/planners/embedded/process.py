"""Starts and ends the engine's process, and names the private folder that its socket lies in.

The process makes that folder, and whichever of the two outlives the other removes it: so neither
can be killed at a moment that leaves it behind.
"""

import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx

from pace.errors import MissingExtraError, PlannerCrashedError, PlannerError
from pace.planners.answers import mapping, parsed
from pace.planners.client import open_client

# What a path of a Unix socket may be long at most (104 on macOS, with its final zero byte).
_LONGEST_SOCKET = 100
# A large model on a slow disk; a hang longer than this is a fault.
_LOAD_LIMIT = 600.0
# A killed process is gone at once; the kernel may first have to free much memory.
_END_LIMIT = 10.0
# An engine that is reading or writing answers this at once all the same.
_ALIVE_LIMIT = 30.0
# Threads of the engine that wait for each other spin this long before they sleep. Measured, 2
# cores, tiny model, tokens read and written a second: by default 300 and 113, but 15 and 4 while
# two other programs compute; with this 293 and 105, and 70 and 13.
_SPIN_COUNT = "1000"
_PASSED = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TZ", "USER"),
        *("TEMP", "TMP", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_DIRS"),
        *("XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
        # Windows
        *("APPDATA", "COMSPEC", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT"),
        *("PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT"),
        *("USERNAME", "USERPROFILE", "WINDIR"),
    }
)
# Of languages, libraries, devices, threads, and of Python and what measures its tests.
_PASSED_KINDS = (
    *("LC_", "DYLD_", "CUDA_", "NVIDIA_", "HIP_", "HSA_", "ROCR_", "ROCM_", "VK_", "MESA_"),
    *("GGML_", "LLAMA_", "GOMP_", "OMP_", "KMP_", "MTL_", "METAL_", "PYTHON", "COV_", "COVERAGE_"),
)
_SECRET = ("KEY", "PASSWORD", "SECRET", "TOKEN")
SLOT_TOKENS = 8192
"""The context of a slot, unless it is set otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """The model file to run, and how. `slot_tokens` is the context of each slot.

    Batches of 64 tokens let a turn stop a reading within a batch, at 5 % of reading speed
    (design, decision 6). `threads` None leaves it to the engine, which counts physical cores.
    """

    path: Path
    name: str
    summarizes: bool = True
    repeat_penalty: float | None = None
    slots: int = 2
    slot_tokens: int = SLOT_TOKENS
    batch_tokens: int = 64
    threads: int | None = None


class EngineProcess:
    """A running engine. `client` speaks to it under `root`; `device` is what it computes on.

    `socket` is where it listens, unless it was to use a port.
    """

    root = "http://engine"

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self.socket = folder / "engine.sock"
        self._closing = asyncio.Lock()
        self.client = open_client()
        self.device = ""

    @classmethod
    async def start(cls, settings: EngineSettings, *, over_socket: bool | None = None) -> Self:
        """Start one and wait until its model is loaded; raises PlannerError."""
        if not settings.path.is_file():
            raise PlannerError(f"There is no model file {settings.path}. Check its name.")
        if over_socket is None:
            over_socket = sys.platform != "win32"
        try:
            process = await _spawned()
        except OSError as error:
            raise PlannerError("The engine cannot be started. Is there memory left?") from error
        engine = cls(process, _private_folder())
        try:
            await engine._load(settings, over_socket=over_socket)
        except BaseException:
            await engine.aclose()
            raise
        return engine

    @property
    def process_id(self) -> int:
        """The operating system's number for it."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.returncode is not None

    async def is_answering(self) -> bool:
        """Whether it still answers; a death shows here before the system reports it."""
        if self.has_ended:
            return False
        try:
            await self.client.get(f"{self.root}/health", timeout=_ALIVE_LIMIT)
        except httpx.HTTPError:
            return False
        return True

    async def crash(self) -> PlannerCrashedError:
        """End what is left of it, and say in one sentence what happened."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):  # a broken socket comes shortly before the end
                await self._process.wait()
        status = self._process.returncode
        await self.aclose()
        if status is not None and status == -getattr(signal, "SIGKILL", 9):
            why = " It was killed; is there enough memory?"
        else:
            why = ""
        return PlannerCrashedError(
            f"The engine of the model on this machine ended.{why} Ask again; it starts anew."
        )

    async def aclose(self) -> None:
        """End the process and remove the folder; more than once does no harm."""
        self._kill()
        try:
            async with self._closing:
                await self.client.aclose()
                async with asyncio.timeout(_END_LIMIT):
                    await self._process.communicate()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)  # a process that lives could make it

    async def _load(self, settings: EngineSettings, *, over_socket: bool) -> None:
        key = secrets.token_urlsafe(32)
        orders = {
            "folder": str(self._folder),
            "saves": f"{self._folder / 'slots'}{os.sep}",
            "socket": str(self.socket) if over_socket else None,
            "key": key,
            "model": str(settings.path.resolve()),
            "name": settings.name,
            "slots": settings.slots,
            "context_tokens": settings.slots * settings.slot_tokens,
            "batch_tokens": settings.batch_tokens,
            "threads": settings.threads or _allowed_cores(),
        }
        answer = await self._order(orders)
        if answer.get("fault") == "missing":
            raise PlannerError(str(MissingExtraError("the model on this machine", "embedded")))
        if answer.get("fault") == "library":
            raise PlannerError(
                f"The engine needs {answer['library']}, which this machine lacks. Install it with "
                "the system's package manager (libgomp.so.1 is in libgomp1 or libgomp)."
            )
        if answer.get("fault") == "folder":
            raise PlannerError(
                f"The engine cannot make its folder in {self._folder.parent}. Is there room left?"
            )
        if "address" not in answer:
            raise PlannerCrashedError(
                f"The engine cannot load {settings.path.name}. It is no GGUF file that the engine "
                "knows, or not all of one, or there is too little memory for it. Fetch it again, "
                "or try another model."
            )
        self.device = answer["device"]
        await self.client.aclose()
        if over_socket:
            self.client = open_client(socket=self.socket)
        else:
            self.root = answer["address"]
            self.client = open_client(key=key)

    async def _order(self, orders: Mapping[str, object]) -> Mapping[str, str]:
        orders_in, answers_out = self._process.stdin, self._process.stdout
        if orders_in is None or answers_out is None:
            raise AssertionError("`start` asks for both pipes")
        try:
            orders_in.write(json.dumps(orders).encode() + b"\n")
            async with asyncio.timeout(_LOAD_LIMIT):
                await orders_in.drain()
                line = await answers_out.readline()
        except (TimeoutError, ConnectionError):
            return {}
        answer = mapping(parsed(line.decode(errors="replace")))
        return {name: str(value) for name, value in answer.items()}

    def _kill(self) -> None:
        if self.has_ended:
            return
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)


async def _spawned() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "pace.planners.embedded.child"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"GOMP_SPINCOUNT": _SPIN_COUNT, **_inherited(os.environ)},
        start_new_session=True,  # Ctrl-C stops a reply, not the engine
    )


def _inherited(ours: Mapping[str, str]) -> dict[str, str]:
    """What the engine needs to find its libraries and its devices, and no key or token."""
    return {
        name: value
        for name, value in ours.items()
        if name.upper() in _PASSED
        or (name.upper().startswith(_PASSED_KINDS) and not name.upper().endswith(_SECRET))
    }


def _private_folder() -> Path:
    """Where a new folder will be that nobody can foresee, short enough for a socket's path."""
    name = f"pace-{secrets.token_hex(8)}"
    folder = Path(tempfile.gettempdir()) / name
    if sys.platform != "win32" and len(str(folder / "engine.sock")) > _LONGEST_SOCKET:
        folder = Path("/tmp") / name  # noqa: S108 - made for us alone, or not at all
    return folder


def _allowed_cores() -> int | None:
    """How many cores this process may use, where that is fewer than there are; else None."""
    if sys.platform != "linux":
        return None
    allowed = len(os.sched_getaffinity(0))
    return allowed if allowed < (os.cpu_count() or allowed) else None
