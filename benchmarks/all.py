"""All of our own figures, as ratios to a fixed piece of Python work measured beside each of them.

    make bench        python benchmarks/all.py [--rounds 41] [--record]

Ratios let machines compare: a figure of 2 takes twice as long as the yardstick does there. Shown
are the median over the rounds and the spread, which is the range of their middle half. What is
slower than the recorded run by more than both spreads together is marked. `--record` writes the
run into `benchmarks/recorded.json`. The journal waits for a disk and the last two start a process,
so their ratios hold for machines of a kind only.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from own_figures import Measure, measures

RECORDED = Path(__file__).with_name("recorded.json")
GIT_DATE = ("git", "log", "-1", "--format=%cI")


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure in yardsticks."""

    ratio: float
    spread: float

    @classmethod
    def of(cls, ratios: list[float]) -> "Ratio":
        lower, middle, upper = statistics.quantiles(ratios, n=4)
        return cls(ratio=middle, spread=upper - lower)

    def is_slower_than(self, other: "Ratio") -> bool:
        """Whether by more than chance moves them."""
        return self.ratio - other.ratio > self.spread + other.spread


def yardstick() -> float:
    """Seconds that a fixed piece of pure Python takes: calls, dicts, strings, sorting."""
    began = time.perf_counter()
    for start in range(80):
        counts: dict[str, int] = {}
        for number in range(400):
            word = f"word {(start + number * 7919) % 211}"
            counts[word] = counts.get(word, 0) + len(word.split())
        " ".join(sorted(counts, key=counts.__getitem__)).upper()
    return time.perf_counter() - began


def measured(measure: Measure, rounds: int) -> dict[str, tuple[Ratio, float]]:
    """By figure, its ratio, and the median in seconds on this machine."""
    seconds: dict[str, list[float]] = {}
    ratios: dict[str, list[float]] = {}
    measure()  # what is loaded and learnt at first is no part of it
    for _ in range(rounds):
        before = yardstick()
        figures = measure()
        unit = (before + yardstick()) / 2
        for name, took in figures.items():
            seconds.setdefault(name, []).append(took)
            ratios.setdefault(name, []).append(took / unit)
    return {name: (Ratio.of(ratios[name]), statistics.median(seconds[name])) for name in ratios}


def recorded() -> dict[str, Ratio]:
    """The last recorded run; empty if there is none."""
    if not RECORDED.exists():
        return {}
    run = json.loads(RECORDED.read_text())
    print(f"Beside the run recorded at the commit of {run['commit_date']}, {run['cores']} cores.")
    return {name: Ratio(**figure) for name, figure in run["figures"].items()}


def record(figures: dict[str, Ratio]) -> None:
    date = subprocess.run(GIT_DATE, capture_output=True, text=True, check=True).stdout.strip()
    run = {
        "commit_date": date,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "figures": {
            name: {part: float(f"{value:.3g}") for part, value in asdict(figure).items()}
            for name, figure in figures.items()
        },
    }
    RECORDED.write_text(json.dumps(run, indent=2) + "\n")
    print(f"Recorded in {RECORDED.name}.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--record", action="store_true", help="keep this run to compare with")
    asked = parser.parse_args()
    began = time.perf_counter()
    before = recorded()
    busy = os.getloadavg()[0]
    print(f"{'':34}{'here':>12}{'ratio':>10}{'spread':>9}{'recorded':>10}{'spread':>9}")
    figures: dict[str, Ratio] = {}
    slower = []
    with ExitStack() as stack:
        for measure in measures(stack):
            for name, (figure, seconds) in measured(measure, asked.rounds).items():
                figures[name] = figure
                old = before.get(name)
                is_slower = old is not None and figure.is_slower_than(old)
                slower += [name] if is_slower else []
                print(row(name, seconds, figure, old, is_slower=is_slower), flush=True)
    print(f"{time.perf_counter() - began:.0f} s; the load was {busy:.1f} when it began.")
    if slower:
        print(f"Slower than recorded: {', '.join(slower)}.")
    if asked.record:
        record(figures)


def row(name: str, seconds: float, figure: Ratio, old: Ratio | None, *, is_slower: bool) -> str:
    here = f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"
    beside = f"{old.ratio:10.3g}{old.spread:9.2g}" if old else f"{'none':>10}{'':9}"
    mark = "  SLOWER" if is_slower else ""
    return f"{name:34}{here:>12}{figure.ratio:10.3g}{figure.spread:9.2g}{beside}{mark}"


if __name__ == "__main__":
    sys.exit(main())
