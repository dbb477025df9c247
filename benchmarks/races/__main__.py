"""Races as a laboratory: conversations under every kind of fault, and what is lost of them.

    python benchmarks/races [--random 40000] [--seed 7] [--redis-schedules 400] [--plant NAME]

First all 10,216,206,000 orders of four turns, three folds and a reset. Then random schedules, kind
by kind: six turns and three folds, each as if it were a process of its own, which a scheduler lets
go on from request to request. Then some of them over a real redis-server, if there is one. Threads,
folding and memory are the real ones. Of the turns that were said, each must be reachable (in the
window, pending or covered, with its words as they were said) unless it was to be forgotten.
`--plant` breaks one rule on purpose (see `--plants`). Exits 1 if anything is lost, in two places,
found after it was forgotten, or left unfolded.
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable

from conversation import Kind
from ledger import Tally
from plants import PLANTS
from playing import NO_PLANT, Played, in_processes, over_redis
from walk import walk

from pace.stores.in_process import InProcessThreadMemoryStore

_COLUMNS = ("schedules", "said", "forgotten", "reachable", "lost", "twice", "stale", "unfolded")
_WIDTHS = (15, 16, 16, 16, 13, 12, 13, 12)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--random", type=int, default=40_000, help="random schedules, in all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--redis-schedules", type=int, default=400, help="over Redis, in all")
    parser.add_argument("--program", default=shutil.which("redis-server") or "redis-server")
    parser.add_argument("--plant", choices=PLANTS, help="break this rule")
    parser.add_argument("--plants", action="store_true", help="list what can be planted")
    asked = parser.parse_args()
    if asked.plants:
        for name, plant in PLANTS.items():
            print(f"{name:28} {plant.about}")
        return 0
    plant = PLANTS[asked.plant] if asked.plant else NO_PLANT
    if asked.plant:
        print(f"Planted: {plant.about}")
    _print_row("", _COLUMNS)
    began = time.perf_counter()
    tallies = []
    if plant.store is InProcessThreadMemoryStore and plant.names_what_it_takes_back:
        tallies.append(_told("every order of a small one", walk(plant.memory)))
    tallies += _by_kind("", in_processes(asked.random, asked.seed, asked.plant))
    if not asked.plant and shutil.which(asked.program) and asked.redis_schedules:
        played = over_redis(asked.program, asked.redis_schedules, asked.seed)
        tallies += _by_kind("Redis: ", asyncio.run(played))
    is_clean = all(tally.is_clean for tally in tallies)
    print(f"{time.perf_counter() - began:.0f} s. {'Nothing lost.' if is_clean else 'LOST.'}")
    return 0 if is_clean else 1


def _by_kind(prefix: str, played: Iterable[tuple[Kind, Played]]) -> list[Tally]:
    """Print each kind as it is done, and what came about in all of them."""
    tallies, happened = [], Counter[str]()
    for kind, (tally, events) in played:
        tallies.append(_told(prefix + kind.name, tally))
        happened.update(events)
    events = ", ".join(f"{event} {count:,}" for event, count in sorted(happened.items()))
    print(f"What came about: {events}.")
    return tallies


def _told(name: str, tally: Tally) -> Tally:
    _print_row(name, [f"{figure:,}" for figure in tally])
    return tally


def _print_row(name: str, cells: Iterable[str]) -> None:
    row = "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
    print(f"{name:28}{row}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
