"""The engine's own process: llama.cpp's server, until whoever started it closes its standard input.

It is told everything in one line of JSON on standard input, so that nothing shows in a list of
processes, and answers with one line. It writes no log: what it is sent is a conversation.
"""

import ctypes
import json
import os
import shutil
import sys
import threading
from collections.abc import Mapping
from types import ModuleType
from typing import TextIO

# Linux: keep this process's memory out of crash reports, also those that a program collects.
_PR_SET_DUMPABLE = 4
# llama.cpp's levels: 0 writes nothing; from 4 on it writes what it is sent.
_SILENT = 0


def main() -> None:
    """Serve until standard input ends; the private folder goes with it."""
    orders = json.loads(sys.stdin.buffer.readline())
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    _fall_silent()
    _leave_no_dump()
    threading.Thread(target=_end_with_parent, args=(orders["folder"],), daemon=True).start()
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


def _end_with_parent(folder: str) -> None:
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main()
