"""A report's figures as rows of text, for a terminal and for a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pace.evaluation.reading import Shown
from pace.evaluation.report import Figures, Report
from pace.evaluation.shares import Share

Row = tuple[str, ...]
SHOWN = {
    Shown.PACE: "Pace's prompt",
    Shown.WINDOW: "the window alone",
    Shown.HISTORY: "the full history",
}
"""What each thing that a reader is shown is called."""


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, what the columns are, and the rows. `note` says how to read it."""

    title: str
    heads: Row
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Column:
    head: str
    cell: Callable[[Figures], str]


def tables_of(report: Report) -> list[Table]:
    """All tables of a report; one without rows is left out."""
    return [table for make in _TABLES if (table := make(report)).rows]


def _by_run(report: Report, columns: Sequence[_Column]) -> tuple[Row, ...]:
    return tuple(
        (source, run.name, *(column.cell(figures) for column in columns))
        for run in report.runs
        for source, figures in run.by_source.items()
    )


def _table(report: Report, title: str, columns: Sequence[_Column], note: str) -> Table:
    heads = ("set", "memory", *(column.head for column in columns))
    return Table(title, heads, _by_run(report, columns), note)


def _kept(report: Report) -> Table:
    columns = (
        _Column("facts", lambda f: f"{f.retention.at_end.whole:,}"),
        _Column("kept %", lambda f: with_bounds(f.retention.at_end)),
        _Column("by subject %", lambda f: with_bounds(f.retention.by_subject)),
        _Column("on the way %", lambda f: _percent_or_none(f.retention.on_the_way)),
        _Column("when asked %", lambda f: with_bounds(f.retention.when_asked)),
        _Column("prompt", lambda f: f"{f.cost.prompt_tokens:,.0f}"),
        _Column("when asked", _asked_tokens),
        _Column("history", lambda f: f"{f.cost.history_tokens:,.0f}"),
    )
    note = (
        "Facts that have left the window and still stand in the prompt, at the end of each talk; "
        "beside a word of their subject; at all moments; and, by their subject, in the prompt of a "
        "question about them. Tokens of the last prompt, of those with such a question, and of "
        "the whole history, on average."
    )
    if any(run.recall for run in report.runs) and not _has_questions(report):
        note += (
            " Recall goes by the words of a question, and no fact that has left the window has "
            "one: rows with recall are as those without."
        )
    return _table(report, "What is kept", columns, note)


def _asked_tokens(figures: Figures) -> str:
    found = figures.retention
    return f"{found.asked_tokens:,.0f}" if found.when_asked.whole else ""


def _has_questions(report: Report) -> bool:
    every = (figures for run in report.runs for figures in run.by_source.values())
    return any(figures.retention.when_asked.whole for figures in every)


def _by_age(report: Report) -> Table:
    ages = list(
        dict.fromkeys(
            age for run in report.runs for f in run.by_source.values() for age in f.retention.by_age
        )
    )
    columns = [_Column(age, lambda f, age=age: _of_age(f, age)) for age in ages]  # type: ignore[misc]
    note = "Kept, in %, by how many turns ago a fact was last said."
    return _table(report, "By age", columns, note)


def _of_age(figures: Figures, age: str) -> str:
    share = figures.retention.by_age.get(age)
    return "" if share is None else _percent(share)


def _answered(report: Report) -> Table:
    rows = []
    for run in report.runs:
        for source, figures in run.by_source.items():
            if figures.reading is None:
                continue
            for what, answered in figures.reading.by_shown.items():
                rows.append(
                    (
                        source,
                        run.name,
                        SHOWN[what],
                        f"{answered.right.whole:,}",
                        with_bounds(answered.right),
                        f"{answered.prompt_tokens:,.0f}",
                        f"{answered.shortened:,}" if answered.shortened else "",
                    )
                )
    readers = {
        figures.reading.reader
        for run in report.runs
        for figures in run.by_source.values()
        if figures.reading is not None
    }
    heads = ("set", "memory", "shown", "questions", "right %", "prompt", "shortened")
    note = (
        f"Questions about facts that have left the window, answered by {', '.join(sorted(readers))}"
        " from each thing shown. A prompt that did not fit it whole was shortened."
    )
    return Table("What a reader answers", heads, tuple(rows), note)


def _true(report: Report) -> Table:
    columns = (
        _Column("words", lambda f: f"{f.faithfulness.words:,}"),
        _Column("numbers", lambda f: f"{f.faithfulness.numbers:,}"),
        _Column("names", lambda f: f"{f.faithfulness.names:,}"),
        _Column("other words", lambda f: f"{f.faithfulness.new_words:,}"),
        _Column("wrong speaker", lambda f: f"{f.faithfulness.other_speaker:,}"),
        _Column("lost a not", lambda f: f"{f.faithfulness.negation_lost:,}"),
        _Column("outdated", _outdated),
    )
    note = (
        "In all summaries: words that tell something; of those, numbers, names and others that "
        "nobody said; statements of the wrong speaker and without their negation; corrected facts "
        "that stand there as if they still held, of all that were corrected."
    )
    return _table(report, "What is true", columns, note)


def _outdated(figures: Figures) -> str:
    found = figures.faithfulness
    return f"{found.outdated:,} of {found.corrected:,}" if found.corrected else ""


def _costs(report: Report) -> Table:
    columns = (
        _Column("small words %", lambda f: f"{100 * f.readability.function_words:.0f}"),
        _Column("words a statement", lambda f: f"{f.readability.statement_words:g}"),
        _Column("sentence-like %", lambda f: f"{100 * f.readability.sentence_like:.0f}"),
        _Column("folds", lambda f: f"{f.cost.folds:,}"),
        _Column("failed", lambda f: f"{f.cost.failed_folds:,}" if f.cost.failed_folds else ""),
        _Column("ms p50", lambda f: f"{f.cost.fold_ms[0]:,.1f}"),
        _Column("ms p95", lambda f: f"{f.cost.fold_ms[1]:,.1f}"),
        _Column("same prefix %", lambda f: f"{100 * f.cost.same_prefix:.0f}"),
    )
    note = (
        "How summaries read; how many folds there were, how many another summarizer had to make, "
        "and their time on the clock; how much of a prompt the next one begins with."
    )
    return _table(report, "How it reads, and what it costs", columns, note)


_TABLES: tuple[Callable[[Report], Table], ...] = (_kept, _answered, _by_age, _true, _costs)


def _percent(share: Share) -> str:
    return f"{100 * share.value:.1f}"


def _percent_or_none(share: Share) -> str:
    return _percent(share) if share.whole else "none"


def with_bounds(share: Share) -> str:
    """A share in %, with its bounds if it has any."""
    if not share.whole:
        return "none"
    if share.low is None or share.high is None:
        return _percent(share)
    return f"{_percent(share)} ({100 * share.low:.0f}–{100 * share.high:.0f})"
