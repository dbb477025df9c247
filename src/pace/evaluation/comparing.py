"""Two reports side by side: each memory with itself, or the only one of each with the other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pace.evaluation.reading import Shown
from pace.evaluation.report import Figures, Report, Run
from pace.evaluation.shares import Share
from pace.evaluation.tables import SHOWN, Row, Table, with_bounds

_NOTE = "Intervals that do not overlap show a difference; others may be chance."


@dataclass(frozen=True, slots=True)
class _Pair:
    memory: str
    before: Run
    after: Run


def compared(one: Report, other: Report, names: tuple[str, str]) -> Table:
    """What each memory keeps and costs in both reports; the note says what only one of them has.

    Without a row if they have no memory, or no set of talks, in common.
    """
    pairs, alone = _paired(one.runs, other.runs, names)
    rows = [
        (source, pair.memory, *row)
        for pair in pairs
        for source, figures in pair.before.by_source.items()
        if (newer := pair.after.by_source.get(source)) is not None
        for row in _differences(figures, newer)
    ]
    note = " ".join([_NOTE, *alone, *_sets_alone(pairs, names)])
    heads = ("set", "memory", "", *names, "difference")
    return Table(f"{names[0]} beside {names[1]}", heads, tuple(rows), note)


def _paired(
    runs: Sequence[Run], others: Sequence[Run], names: tuple[str, str]
) -> tuple[list[_Pair], list[str]]:
    """The runs that belong together, and sentences about those that have no partner."""
    before, after = _by_name(runs), _by_name(others)
    if len(before) == len(after) == 1 and before.keys() != after.keys():
        ((memory, run),), ((newer, other),) = before.items(), after.items()
        pair = _Pair(f"{memory} beside {newer}", run, other)
        told = f"Each report holds one memory: {names[0]} {memory}, and {names[1]} {newer}."
        return [pair], [told]
    pairs = [_Pair(name, run, after[name]) for name, run in before.items() if name in after]
    alone = [
        _only(names[0], "", [name for name in before if name not in after]),
        _only(names[1], "", [name for name in after if name not in before]),
    ]
    return pairs, [sentence for sentence in alone if sentence]


def _by_name(runs: Sequence[Run]) -> dict[str, Run]:
    """Runs by what they are; one that was made twice is told from the first by its number."""
    seen: Counter[str] = Counter()
    named = {}
    for run in runs:
        seen[run.name] += 1
        again = f" ({seen[run.name]})" if seen[run.name] > 1 else ""
        named[f"{run.name}{again}"] = run
    return named


def _sets_alone(pairs: Sequence[_Pair], names: tuple[str, str]) -> list[str]:
    before = list(dict.fromkeys(source for pair in pairs for source in pair.before.by_source))
    after = list(dict.fromkeys(source for pair in pairs for source in pair.after.by_source))
    alone = [
        _only(names[0], "the set ", [source for source in before if source not in after]),
        _only(names[1], "the set ", [source for source in after if source not in before]),
    ]
    return [sentence for sentence in alone if sentence]


def _only(report: str, what: str, names: Sequence[str]) -> str:
    return f"Only {report} has {what}{'; '.join(names)}." if names else ""


def _differences(before: Figures, after: Figures) -> Iterator[Row]:
    kept, newer = before.retention, after.retention
    pairs: list[tuple[str, Share, Share]] = [
        ("kept", kept.at_end, newer.at_end),
        ("by subject", kept.by_subject, newer.by_subject),
        ("when asked", kept.when_asked, newer.when_asked),
    ]
    if before.reading is not None and after.reading is not None:
        for what in Shown:
            if what in before.reading.by_shown and what in after.reading.by_shown:
                right = before.reading.by_shown[what].right
                pairs.append(
                    (f"answered, {SHOWN[what]}", right, after.reading.by_shown[what].right)
                )
    for name, old, new in pairs:
        if old.whole or new.whole:
            both = old.whole and new.whole
            told = _difference(100 * old.value, 100 * new.value) if both else ""
            yield name, with_bounds(old), with_bounds(new), told
    costs = (
        ("tokens of a prompt", before.cost.prompt_tokens, after.cost.prompt_tokens),
        ("tokens when asked", kept.asked_tokens, newer.asked_tokens),
        ("ms of a fold, p95", before.cost.fold_ms[1], after.cost.fold_ms[1]),
        (
            "small words, %",
            100 * before.readability.function_words,
            100 * after.readability.function_words,
        ),
    )
    for name, was, now in costs:
        yield name, f"{was:,.1f}", f"{now:,.1f}", _difference(was, now)


def _difference(was: float, now: float) -> str:
    """That of the two figures as they are shown."""
    return f"{float(f'{now:.1f}') - float(f'{was:.1f}'):+,.1f}"
