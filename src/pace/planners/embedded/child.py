"""The engine's own process: llama.cpp's server, until whoever started it closes its standard input.

It is told everything in one line of JSON on standard input, so that nothing shows in a list of
processes, and answers with one line. It writes no log: what it is sent is a conversation. It makes
the private folder itself, so that there is none without a process that watches over it.
"""

import ctypes
import json
import os
import queue
import shutil
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TextIO

# Linux: keep this process's memory out of crash reports, also those that a program collects.
_PR_SET_DUMPABLE = 4
# The model may still be loading, and put a socket into a folder that is being removed.
_REMOVALS = 10
# llama.cpp's levels: 0 writes nothing; from 4 on it writes what it is sent.
_SILENT = 0


class _Watch:
    """Ends this process when standard input ends, at any moment, and the private folder with it."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._folder: Path | None = None
        threading.Thread(target=self._watch, daemon=True).start()

    def orders(self) -> dict[str, str]:
        """The one line that we are told; waits for it."""
        told: dict[str, str] = json.loads(self._lines.get())
        return told

    def make_folder(self, folder: Path) -> None:
        """Make it, for nobody else to enter; raises OSError, also if it is there already."""
        with self._lock:
            folder.mkdir(mode=0o700)
            self._folder = folder

    def end(self) -> NoReturn:
        """Leave nothing behind."""
        with self._lock:  # never let go again: whoever makes the folder now would make it for ever
            if self._folder is not None:
                _remove(self._folder)
            os._exit(0)

    def _watch(self) -> None:
        self._lines.put(sys.stdin.buffer.readline())
        while sys.stdin.buffer.read(4096):
            pass
        self.end()


def main() -> None:
    """Serve until standard input ends."""
    _leave_no_dump()
    watch = _Watch()
    try:
        _serve(watch)
    finally:
        watch.end()


def _serve(watch: _Watch) -> None:
    orders = watch.orders()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    _fall_silent()
    try:
        watch.make_folder(Path(orders["folder"]))
        Path(orders["saves"]).mkdir()
    except OSError:
        _answer(answers, fault="folder")
        return
    try:
        import xllamacpp  # noqa: PLC0415 - its absence is an answer
    except ModuleNotFoundError:
        _answer(answers, fault="missing")
        return
    except ImportError as error:  # "libgomp.so.1: cannot open shared object file: ..."
        _answer(answers, fault="library", library=str(error).partition(":")[0])
        return
    try:
        server = xllamacpp.Server(_params(xllamacpp, orders))
    except (RuntimeError, MemoryError):
        _answer(answers, fault="load")
        return
    _answer(answers, address=server.listening_address, device=_device(xllamacpp))
    threading.Event().wait()


def _params(xllamacpp: ModuleType, orders: Mapping[str, object]) -> object:
    params = xllamacpp.CommonParams()
    params.model.path = orders["model"]
    params.model_alias = {orders["name"]}
    if orders["socket"]:
        params.hostnames = [orders["socket"]]
    else:
        params.hostnames = ["127.0.0.1"]
        params.api_keys = [orders["key"]]
    params.cors_origins = ""
    params.ui = False
    params.verbosity = _SILENT
    params.n_parallel = orders["slots"]
    params.n_ctx = orders["context_tokens"]
    params.n_batch = params.n_ubatch = orders["batch_tokens"]
    if orders["threads"]:
        params.cpuparams.n_threads = orders["threads"]
        params.cpuparams_batch.n_threads = orders["threads"]
    # A slot's cache is its thread's alone: nothing is copied to memory or matched by likeness.
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.slot_prompt_similarity = 0.0
    # Erasing a slot works only with a folder for saving it, which nothing ever asks for.
    params.slot_save_path = orders["saves"]
    # Fitting to a GPU's memory reads the model twice; without a GPU it decides nothing.
    params.fit_params = _gpu(xllamacpp) is not None
    params.warmup = False
    return params


def _gpu(xllamacpp: ModuleType) -> str | None:
    for device in xllamacpp.get_device_info():
        if "GPU" in device["type"].name:
            return str(device["description"] or device["name"])
    return None


def _device(xllamacpp: ModuleType) -> str:
    return _gpu(xllamacpp) or "CPU"


def _answer(answers: TextIO, **facts: str) -> None:
    with answers:
        answers.write(json.dumps(facts) + "\n")


def _fall_silent() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _leave_no_dump() -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _remove(folder: Path) -> None:
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


if __name__ == "__main__":
    main()
