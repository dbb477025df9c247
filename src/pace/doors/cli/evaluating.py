"""`pace eval`: replays talks through Pace's memory, and shows what is left of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, nullcontext
from importlib.metadata import version
from itertools import product
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.eval_flags import (
    MODEL,
    Asked,
    limits_of,
    of_sources,
    questions_of,
    refuse_to_ask_nothing,
    refuse_unknown,
    refuse_without_effect,
    writable,
)
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.fitting_width import say, show_table
from pace.doors.cli.own_summarizer import is_own, kept_apart, maker_of
from pace.doors.cli.talking import open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.safe_text import safe_line
from pace.doors.summarizing import summarizer_of
from pace.errors import MissingExtraError, TalksError
from pace.evaluation.talks import Talk
from pace.folders import Folders
from pace.memory.limits import ThreadLimits
from pace.planners.tiers import open_planner
from pace.ports import Planner, ThreadSummarizer
from pace.settings_file import SettingsFile
from pace.summarizers.chain import TurnedDown
from pace.summarizers.extractive import ExtractiveSummarizer

try:
    from pace.evaluation.charts import as_page, as_png
    from pace.evaluation.comparing import compared
    from pace.evaluation.files import read_whole
    from pace.evaluation.loading import load_talks, shipped
    from pace.evaluation.report import Report, Run, as_json, evaluate, report_from
    from pace.evaluation.simple import NewestText, Nothing
    from pace.evaluation.tables import Row, Table, tables_of
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "pace":
        raise
    raise MissingExtraError("pace eval", "eval") from error

_DONE = 0
_SIMPLE: Mapping[str, Callable[[], ThreadSummarizer]] = {
    "extractive": ExtractiveSummarizer,
    "newest": NewestText,
    "nothing": Nothing,
}


def evaluate_talks(asked: Asked, flags: Mapping[str, str | bool | None]) -> int:
    """Run `pace eval`; gives the exit status.

    Raises PaceError for what was asked wrongly, and click.UsageError for flags without effect.
    """
    refuse_without_effect(asked, flags)
    names = tuple(dict.fromkeys(asked.summarizers))
    limits = limits_of(asked)
    questions = questions_of(asked)
    file = open_settings(flags)
    refuse_unknown(names, _SIMPLE, file)
    chart = writable(asked.chart, ".png", "--chart", asked.file)
    page = writable(asked.page, ".html", "--page", asked.file)
    loaded = shipped() if asked.file is None else load_talks(Path(asked.file))
    talks = of_sources(loaded.talks, asked.sources)
    if asked.reads:
        refuse_to_ask_nothing(talks)
    if asked.asks_a_model:
        ask_consent(file)
    runs = run_until_ended(_evaluated(talks, names, limits, file, questions))
    report = Report(pace=version("pace"), talks=loaded.note, runs=tuple(runs))
    if chart is not None:
        _write(chart, as_png(report))
    if page is not None:
        _write(page, as_page(report).encode())
    if asked.as_json:
        click.echo(as_json(report), nl=False)
        return _DONE
    say(safe_line(loaded.note))
    _show(tables_of(report))
    for path in (chart, page):
        if path is not None:
            say(f"Written: {safe_line(str(path))}", err=True)
    return _DONE


def compare_reports(one: str, other: str) -> int:
    """Show two reports side by side; gives the exit status. Raises TalksError for other files."""
    names = (
        (one, other) if Path(one).stem == Path(other).stem else (Path(one).stem, Path(other).stem)
    )
    before, after = (
        report_from(read_whole(Path(name), "a report of pace eval"), name) for name in (one, other)
    )
    table = compared(before, after, names)
    if not table.rows:
        raise TalksError(
            f"{one} and {other} have no memory with a set of talks in common. "
            "Compare two reports on the same talks."
        )
    _show([table])
    return _DONE


# --- the work


async def _evaluated(
    talks: Sequence[Talk],
    names: Sequence[str],
    limits: Sequence[ThreadLimits],
    file: SettingsFile,
    questions: int | None,
) -> list[Run]:
    runs = []
    async with AsyncExitStack() as stack:
        stack.enter_context(kept_apart() if any(map(is_own, names)) else nullcontext())
        makers = {name: maker_of(name) for name in names if is_own(name)}
        planner = None
        if questions is not None or MODEL in names:
            planner = await _reader(file, stack)
        made = [
            (name, limit, _summarizer(name, file, planner, makers))
            for name, limit in product(names, limits)
        ]
        with _progress(talks, len(made)) as advance:
            for name, limit, summarizer in made:
                runs.append(
                    await evaluate(
                        talks,
                        summarizer,
                        limit,
                        name=name,
                        reader=planner if questions is not None else None,
                        questions=questions,
                        on_talk=lambda _: advance("replayed"),
                        on_answer=lambda: advance("answers"),
                    )
                )
    return runs


async def _reader(file: SettingsFile, stack: AsyncExitStack) -> Planner:
    """The planner of the settings, made to answer the same each time."""
    file.wish("planner.temperature", 0.0)
    opened = await open_planner(lambda: file.current, models=Folders.of().models, screen=FetchBar())
    stack.push_async_callback(opened.planner.aclose)
    return opened.planner


def _summarizer(
    name: str,
    file: SettingsFile,
    planner: Planner | None,
    makers: Mapping[str, Callable[[], ThreadSummarizer]],
) -> ThreadSummarizer:
    if name == MODEL and planner is not None:
        made = summarizer_of(file.current, planner, TurnedDown())
        if made is not None:
            return made
    return {**_SIMPLE, **makers}[name]()


def _write(path: Path, made: bytes) -> None:
    try:
        path.write_bytes(made)
    except OSError as error:
        raise TalksError(f"{path} cannot be written ({error.strerror}). Name another.") from error


# --- what is shown


def _show(tables: Sequence[Table]) -> None:
    for table in tables:
        click.echo()
        say(safe_line(f"{table.title}. {table.note}"))
        click.echo()
        show_table(_safe(table.heads), [_safe(row) for row in table.rows])


def _safe(cells: Row) -> Row:
    """Cells that do nothing to a terminal: what they name may come from a file."""
    return tuple(map(safe_line, cells))


@contextmanager
def _progress(talks: Sequence[Talk], runs: int) -> Iterator[Callable[[str], None]]:
    """A bar on standard error, if a person looks at it."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        replayed = bar.add_task("talks replayed", total=len(talks) * runs)
        answers = bar.add_task("answers", total=None, visible=False)

        def advance(what: str) -> None:
            if what == "replayed":
                bar.advance(replayed)
            else:
                bar.update(answers, advance=1, visible=True)

        yield advance
