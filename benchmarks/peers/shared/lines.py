"""What all drivers share: commands come in as JSON lines, and answers go out as JSON lines.

It runs in the environment of each peer, so it needs the standard library only. Whatever a library
prints goes to standard error: standard output belongs to the answers.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

_LONGEST_LINE = 2**24
_LONGEST_ERROR = 80


@dataclass(frozen=True)
class Asked:
    """What the harness asks of every peer alike.

    `summary_tokens` is the summary's budget, `window_pairs` how many turns are to stay word for
    word, and `max_tokens` the trigger for whoever counts tokens instead. With `no_model` summaries
    are to be made without one.
    """

    base_url: str
    api_key: str
    system: str
    summary_tokens: int
    window_pairs: int
    max_tokens: int
    no_model: bool

    @classmethod
    def here(cls) -> "Asked":
        return cls(
            base_url=os.environ["PEER_BASE_URL"],
            api_key=os.environ["PEER_API_KEY"],
            system=os.environ["PEER_SYSTEM"],
            summary_tokens=int(os.environ["PEER_SUMMARY_TOKENS"]),
            window_pairs=int(os.environ["PEER_WINDOW_PAIRS"]),
            max_tokens=int(os.environ["PEER_MAX_TOKENS"]),
            no_model=bool(os.environ.get("PEER_NO_MODEL")),
        )


class Peer(Protocol):
    """One system under comparison; turns of one thread may be asked for at the same time."""

    async def turn(self, thread: str, text: str) -> str:
        """The reply."""
        ...

    async def reset(self, thread: str) -> None:
        """Begin the conversation of this thread anew."""
        ...

    async def settle(self) -> None:
        """Wait until no work apart from turns is left."""
        ...

    def describe(self) -> dict[str, Any]:
        """Its `name`, `version` and `settings`, and in `cannot` what it has no way to do, and why.

        What can be named there: `turn at once`, `reset`, `no model`.
        """
        ...


def speak(peer: Peer) -> None:
    """Serve until the end of input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asyncio.run(_serve(peer, answers))
    answers.flush()
    os._exit(0)  # whatever threads a library left behind


async def _serve(peer: Peer, answers: TextIO) -> None:
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    under_way: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(peer, json.loads(line), answers))
        under_way.add(task)
        task.add_done_callback(under_way.discard)


async def _answer(peer: Peer, command: dict[str, Any], answers: TextIO) -> None:
    if command["do"] == "turn":
        answer = await _turn(peer, command)
    elif command["do"] == "describe":
        answer = {**peer.describe(), "do": "describe"}
    else:
        answer = await _done(peer, command)
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


async def _turn(peer: Peer, command: dict[str, Any]) -> dict[str, Any]:
    began, work = time.perf_counter(), time.process_time()
    reply, error = "", None
    try:
        reply = await peer.turn(command["thread"], command["text"])
    except Exception as fault:  # noqa: BLE001  # whatever fails is what the harness counts
        error = _named(fault)
    return {
        "id": command["id"],
        "reply": reply,
        "error": error,
        "seconds": time.perf_counter() - began,
        "cpu_us": (time.process_time() - work) * 1e6,
    }


async def _done(peer: Peer, command: dict[str, Any]) -> dict[str, Any]:
    try:
        await (peer.settle() if command["do"] == "settle" else peer.reset(command["thread"]))
    except Exception as fault:  # noqa: BLE001  # as above
        return {"done": False, "do": command["do"], "error": _named(fault)}
    return {"done": True, "do": command["do"]}


def _named(fault: Exception) -> str:
    return f"{type(fault).__name__}: {str(fault)[:_LONGEST_ERROR]}"
