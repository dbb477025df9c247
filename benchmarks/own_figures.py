"""The figures that `all.py` compares: each measures itself once, in seconds, each time it is asked.

Words are new each time, so that nothing is timed that was merely remembered.
"""

import asyncio
import itertools
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

import turn_path
from relaying import history
from talk import LINES

from journal import BEGAN, Language, append_all, fill, turns_of
from pace.errors import SummaryRejectedError
from pace.memory.limits import ThreadLimits
from pace.memory.snapshot import from_plain, to_plain
from pace.memory.summary import Fold
from pace.memory.thread import ThreadMemory
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import FinishedTurn, SessionId, ThreadId, TurnId
from pace.relayed.asked import Asked
from pace.summarizers.extractive import fold_extractively
from pace.summarizers.guard import guarded
from pace.wiring import assemble_relay

Measure = Callable[[], dict[str, float]]

_TURNS = 200
_SUMMARY_TOKENS = 400
# A summary that is nearly at its budget is full: clauses go in whole.
_FULL = 300
_PACE = Path(sys.executable).with_name("pace")
_MODULES = sorted(
    path.stem for path in Path(turn_path.__file__).parents[1].glob("src/pace/memory/[a-z]*.py")
)


def measures(stack: ExitStack) -> Iterator[Measure]:
    """Each, ready to be asked; the stack lets go of what they need."""
    yield _turns()
    yield _folds()
    yield _guard()
    yield _relaying(12)
    yield _relaying(300)
    yield _snapshot
    yield _estimate()
    yield _journal(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pace-"))))
    imports = "; ".join(f"import pace.memory.{name}" for name in _MODULES)
    yield _process("import pace.memory, all of it", [sys.executable, "-c", imports])
    yield _process("pace --help", [str(_PACE), "--help"])


def _turns() -> Measure:
    """The turn path of `turn_path.py`, with nothing pending and with a pair that is."""

    def measure() -> dict[str, float]:
        plain = turn_path.timings(_TURNS, pending=False)
        waiting = turn_path.timings(_TURNS, pending=True)
        return {
            "turn: accept, compose, record": statistics.median(row[3] for row in plain),
            "compose": statistics.median(row[1] for row in plain),
            "compose with a pair pending": statistics.median(row[1] for row in waiting),
        }

    return measure


# --- folds


def _talking() -> Iterator[Fold]:
    """The folds of one talk without end, each one pair into a summary that is full."""
    language = Language(random.Random(4))  # noqa: S311  # the same words each time
    memory = ThreadMemory(
        thread_id=ThreadId("thread"),
        session_id=SessionId("session"),
        last_active_at=BEGAN,
        limits=ThreadLimits(window_size=1, summary_tokens=_SUMMARY_TOKENS),
    )
    for number in itertools.count():
        turn = FinishedTurn(
            turn_id=TurnId(str(number)),
            session_id=memory.session_id,
            user_text=f"{LINES[number % len(LINES)]} {language.text(3, 30)}",
            reply_text=language.text(20, 90),
            recorded_at=BEGAN,
        )
        memory, _ = memory.accept(turn.turn_id).record(turn, now=BEGAN)
        memory, fold = memory.stamp_fold()
        if fold is None:
            continue
        if estimate_tokens(fold.prior.text) >= _FULL:
            yield fold
        memory, _ = memory.apply_summary_update(fold_extractively(fold))


def _folds() -> Measure:
    coming = _talking()

    def measure() -> dict[str, float]:
        taken = sorted(_timed(lambda fold=fold: fold_extractively(fold)) for fold in _some(coming))
        return {
            "extractive fold, median": statistics.median(taken),
            "extractive fold, 95th percentile": taken[len(taken) * 95 // 100],
        }

    return measure


def _some(coming: Iterator[Fold]) -> list[Fold]:
    return list(islice(coming, 40))


def _guard() -> Measure:
    """The guard on a summary that keeps what the extractive one keeps, as a good model's does."""
    coming = _talking()

    def measure() -> dict[str, float]:
        taken = []
        for fold in islice(coming, 20):
            made = fold_extractively(fold)
            text = ". ".join(clause.text for clause in made.clauses) + "."
            update = replace(made, text=text, clauses=(), made_by="model")
            with suppress(SummaryRejectedError):  # the talk is made up, of several languages
                taken.append(_timed(lambda update=update, fold=fold: guarded(update, fold)))
        return {"guard on a model's summary": statistics.median(taken)}

    return measure


# --- clients' histories


def _relaying(turns: int) -> Measure:
    """Recognise a history that was seen before, and set its prompt."""

    async def again() -> float:
        relay = assemble_relay(limits=ThreadLimits()).relay
        work = asyncio.create_task(relay.run())
        messages, taken = history(turns), []
        for _ in range(25):
            began = time.perf_counter()
            async with relay.turn(Asked(), {"messages": messages}) as turn:
                taken.append(time.perf_counter() - began)
                turn.hear("KX-1.")
                await turn.record()
            await asyncio.sleep(0)
        work.cancel()
        await asyncio.wait([work])
        return statistics.median(taken[1:])

    return lambda: {f"relay a history of {turns} turns": asyncio.run(again())}


# --- values, texts, files and processes


def _snapshot() -> dict[str, float]:
    memory = turn_path.full_memory(turn_path.coming_turns())
    taken = _timed(
        lambda: [from_plain(json.loads(json.dumps(to_plain(memory)))) for _ in range(50)]
    )
    return {"snapshot, dump and load": taken / 50}


def _estimate() -> Measure:
    """1,000 characters of a talk at a time."""
    language = Language(random.Random(5))  # noqa: S311  # the same words each time
    said = " ".join(language.text(20, 160) for _ in range(200))
    texts = [said[at : at + 1000] for at in range(0, 100_000, 1000)]
    return lambda: {
        "estimate_tokens, 1 kB": _timed(lambda: list(map(estimate_tokens, texts))) / len(texts)
    }


def _journal(folder: Path) -> Measure:
    """One turn at a time into a journal of 2,000."""
    path, chance = folder / "history.db", random.Random(4)  # noqa: S311  # the same words
    turns = turns_of(Language(chance), chance, sys.maxsize)
    fill(path, islice(turns, 2_000))
    return lambda: {
        "journal, write a turn": statistics.median(
            asyncio.run(append_all(path, list(islice(turns, 40))))
        )
    }


def _process(name: str, command: list[str]) -> Measure:
    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return lambda: {name: _timed(run)}


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
