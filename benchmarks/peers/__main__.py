"""Pace beside the systems that one would otherwise use, each in its own environment, in one run.

    python benchmarks/peers [--only pace,langmem] [--scenarios waiting,faults] [--model] [--json]

The same turns go to every peer, over the same fake model with the same delay or fault, and all is
counted from what that model was sent. What was measured is kept in `measured.json`, so that a run
of a part renews that part, and the tables of `docs/comparison.md` are made of all of it. `--model`
has Pace's default model make the summaries of real talks and answer questions about them, which
takes hours on two cores. What is measured by the clock wants a quiet machine.
"""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from environments import ENVIRONMENTS, HERE, ROOT, InstallError, PeerFolder, found, python_of
from fake_model import FakeModel
from local_model import NAME, LocalModel, ModelFailedError
from player import DriverError
from recording import Peers, Record
from retaining import Retaining
from scenarios import ALONE, SCENARIOS, Figures, Scenario
from stage import Cast, staged
from tables import printed

from pace.evaluation.loading import load_talks, shipped

MEASURED = HERE / "measured.json"
DOCUMENTS = [ROOT / "docs" / "comparison.md", ROOT / "README.md"]
RETENTION, WITH_MODEL = "retention", "model"
_MOST_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run; `alone` names what has to have the machine for itself."""

    scenarios: Mapping[str, Scenario]
    alone: frozenset[str]
    at_once: int

    def together(self) -> Iterator[tuple[str, Scenario]]:
        return ((name, run) for name, run in self.scenarios.items() if name not in self.alone)

    def one_by_one(self) -> Iterator[tuple[str, Scenario]]:
        return ((name, run) for name, run in self.scenarios.items() if name in self.alone)


def main() -> int:
    asked = _arguments()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # drivers hang up as they like
    peers = [peer for peer in found(asked.also) if not asked.only or peer.name in asked.only]
    if not peers:
        sys.exit("No such peer. Names are those of the folders in benchmarks/peers.")
    documents = tuple(asked.document or DOCUMENTS)
    record = Record(None) if asked.aside else Record(asked.measured, documents)
    measured = asyncio.run(_measured(peers, record, asked))
    print(json.dumps(measured, indent=1) if asked.json else printed(measured))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [*SCENARIOS, RETENTION, WITH_MODEL]
    parser.add_argument("--only", type=_names, default=[], help="peers, by comma")
    parser.add_argument("--scenarios", type=_names, default=[], help=", ".join(names))
    parser.add_argument("--model", action="store_true", help=f"measure with {NAME}, too")
    parser.add_argument("--talks", type=Path, help="a file as for pace eval; else those shipped")
    parser.add_argument("--most", type=int, default=8, help="talks without a model")
    parser.add_argument("--most-with-model", type=int, default=2)
    parser.add_argument("--questions", type=int, default=12, help="of each talk")
    parser.add_argument("--at-once", type=int, default=3, help="peers that run at the same time")
    parser.add_argument("--also", type=Path, action="append", default=[], help="a peer's folder")
    parser.add_argument("--environments", type=Path, default=ENVIRONMENTS)
    parser.add_argument("--measured", type=Path, default=MEASURED)
    parser.add_argument("--document", type=Path, action="append", help="else README and docs")
    parser.add_argument("--aside", action="store_true", help="renew neither file")
    parser.add_argument("--json", action="store_true", help="print figures instead of tables")
    asked = parser.parse_args()
    if unknown := set(asked.scenarios) - set(names):
        parser.error(f"no scenario {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return asked


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


async def _measured(
    peers: Sequence[PeerFolder], record: Record, asked: argparse.Namespace
) -> Peers:
    async with AsyncExitStack() as stack:
        talks = (load_talks(asked.talks) if asked.talks else shipped()).talks
        every: dict[str, Scenario] = {
            **SCENARIOS,
            RETENTION: Retaining(talks[: asked.most]).measure,
        }
        if asked.model or WITH_MODEL in asked.scenarios:
            model = await stack.enter_async_context(LocalModel())
            few = talks[: asked.most_with_model]
            every[WITH_MODEL] = Retaining(few, model, asked.questions).measure
        wanted = asked.scenarios or [*every]
        plan = Plan(
            {name: run for name, run in every.items() if name in wanted},
            frozenset({*ALONE, WITH_MODEL}),
            asked.at_once,
        )
        return await _run(plan, await _casts(peers, asked.environments), record)


async def _run(plan: Plan, casts: Sequence[Cast], record: Record) -> Peers:
    figures: Peers = {cast.peer.name: {} for cast in casts}
    turnstile = asyncio.Semaphore(plan.at_once)

    def keep(cast: Cast, name: str, found: Figures) -> None:
        figures[cast.peer.name][name] = found
        record.keep(cast.peer.name, name, found)

    async def run_together(cast: Cast) -> None:
        async with turnstile:
            keep(cast, "describes", dict(cast.describes))
            for name, scenario in plan.together():
                keep(cast, name, await _figures(cast, name, scenario))

    async with asyncio.TaskGroup() as group:
        for cast in casts:
            group.create_task(run_together(cast))
    for name, scenario in plan.one_by_one():
        for cast in casts:
            keep(cast, name, await _figures(cast, name, scenario))
    return figures


async def _casts(peers: Sequence[PeerFolder], environments: Path) -> list[Cast]:
    """The peers that can be run here; why another cannot is told."""
    casts = []
    for peer in peers:
        try:
            casts.append(await _cast(peer, environments))
        except (InstallError, DriverError) as error:
            print(f"{peer.name} cannot be run: {error}", file=sys.stderr, flush=True)
    return casts


async def _cast(peer: PeerFolder, environments: Path) -> Cast:
    python = await python_of(peer, environments)
    async with staged(peer, python, FakeModel()) as stage:
        return Cast(peer, python, await stage.player.describe())


async def _figures(cast: Cast, name: str, scenario: Scenario) -> Figures:
    """A scenario's figures; or what kept it from having any."""
    limit = None if name == WITH_MODEL else _MOST_SECONDS
    try:
        async with asyncio.timeout(limit):
            figures = await scenario(cast)
    except (DriverError, ModelFailedError) as error:
        figures = {"broke": str(error)}
    except TimeoutError:
        figures = {"broke": f"it took longer than {_MOST_SECONDS:.0f} s"}
    print(f"{cast.peer.name}, {name}: {json.dumps(figures)}", file=sys.stderr, flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main())
