"""The library's function: evaluates talks under some settings, and its figures as JSON."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from pace.errors import TalksError
from pace.evaluation.cost import Cost, cost_of
from pace.evaluation.faithfulness import Faithfulness, faithfulness_of
from pace.evaluation.readability import Readability, readability_of
from pace.evaluation.reading import Reading, Shown, read
from pace.evaluation.replay import Replay, replay
from pace.evaluation.retention import Retention, retention_of
from pace.evaluation.talks import Talk
from pace.memory.limits import ThreadLimits
from pace.ports import Planner, ThreadSummarizer
from pace.sayable import sayable

FORM = 1
"""Counts up when the form of a report changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was found for one set of talks."""

    talks: int
    turns: int
    facts: int
    retention: Retention
    faithfulness: Faithfulness
    readability: Readability
    cost: Cost
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One summarizer with one window and one budget; `by_source` are its figures by set."""

    summarizer: str
    window: int
    budget: int
    recall: bool
    by_source: dict[str, Figures]

    @property
    def name(self) -> str:
        """What tells it from other runs of a report."""
        recall = " and recall" if self.recall else ""
        return f"{self.summarizer}, K {self.window}, {self.budget:,} tokens{recall}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All runs over the same talks. It holds figures alone, nothing that was said."""

    pace: str
    talks: str
    runs: tuple[Run, ...]
    form: int = FORM


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """What every report has, whatever its form."""

    form: int


_REPORTS = TypeAdapter(Report)
_FORMS = TypeAdapter(_Form)
_MOST = 10**15


def as_json(report: Report) -> str:
    """A report as JSON, in the form that `report_from` reads."""
    return _REPORTS.dump_json(report, indent=2).decode() + "\n"


def report_from(text: str | bytes, name: str) -> Report:
    """Read a report; raises TalksError, with the name of its file, for anything else."""
    try:
        form = _FORMS.validate_json(text).form
        if form > FORM:
            raise TalksError(
                f"{name} was made by a newer Pace. Compare it with that one, or make it again here."
            )
        report = _REPORTS.validate_json(text)
    except ValidationError as error:
        raise TalksError(f"{name} holds no report of pace eval. {_how_to_make(name)}") from error
    if form != FORM:
        raise TalksError(f"{name} is of another version of Pace. {_how_to_make(name)}")
    if not _can_be(report):
        raise TalksError(f"{name} holds figures that cannot be. {_how_to_make(name)}")
    return report


def _how_to_make(name: str) -> str:
    # Followed to the letter, it must not write over the file that was named.
    new = next(
        file for file in ("report.json", "figures.json") if file.lower() != Path(name).name.lower()
    )
    return f"Make one of your talks: pace eval FILE --json > {new}"


def _can_be(report: Report) -> bool:
    """Whether there are figures, such as are counted: numbers, none of them below zero."""
    plain = _REPORTS.dump_python(report)
    return bool(report.runs) and all(0 <= figure <= _MOST for figure in _figures_in(plain))


def _figures_in(value: object) -> Iterator[float]:
    match value:
        case int() | float():
            yield value
        case dict():
            for inner in value.values():
                yield from _figures_in(inner)
        case list() | tuple():
            for inner in value:
                yield from _figures_in(inner)


async def evaluate(
    talks: Sequence[Talk],
    summarizer: ThreadSummarizer,
    limits: ThreadLimits | None = None,
    *,
    name: str = "",
    every: int = 4,
    reader: Planner | None = None,
    questions: int | None = None,
    shown: Sequence[Shown] = tuple(Shown),
    on_talk: Callable[[Talk], None] = lambda _: None,
    on_answer: Callable[[], None] = lambda: None,
) -> Run:
    """Replay the talks through Pace's memory with a summarizer, and count what is left of them.

    A moment is looked at after each `every` turns and at the end of a talk. With a `reader`, it is
    asked at most so many questions for each source, from each of what is `shown`. Raises
    PlannerError for the reader's faults; a summarizer's are counted.
    """
    limits = limits or ThreadLimits()
    by_source: dict[str, list[Replay]] = {}
    for talk in talks:
        replayed = await replay(talk, summarizer, limits, every=every)
        by_source.setdefault(talk.source, []).append(replayed)
        on_talk(talk)
        await asyncio.sleep(0)  # a summarizer that never waits would let nobody end this
    found = {source: _figures(replays) for source, replays in by_source.items()}
    if reader is not None:
        for source, replays in by_source.items():
            reading = await read(replays, reader, most=questions, shown=shown, on_answer=on_answer)
            found[source] = replace(found[source], reading=reading)
    return Run(
        summarizer=sayable(name or summarizer.name),
        window=limits.window_size,
        budget=limits.summary_tokens,
        recall=limits.recall,
        by_source=found,
    )


def _figures(replays: Sequence[Replay]) -> Figures:
    return Figures(
        talks=len(replays),
        turns=sum(len(replayed.talk.turns) for replayed in replays),
        facts=sum(len(replayed.talk.facts) for replayed in replays),
        retention=retention_of(replays),
        faithfulness=faithfulness_of(replays),
        readability=readability_of(replays),
        cost=cost_of(replays),
    )
