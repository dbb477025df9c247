"""`pace eval`: replays talks through Pace's memory, and shows what is left of them."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from pace.doors.cli.ending import run_until_ended
from pace.doors.cli.fetching import FetchBar
from pace.doors.cli.fitting_width import say, show_table
from pace.doors.cli.talking import open_settings
from pace.doors.cli.tier import ask_consent
from pace.doors.safe_text import safe_line
from pace.doors.summarizing import summarizer_of
from pace.errors import MissingExtraError, SettingsError, SummarizerError, TalksError
from pace.evaluation.talks import Talk
from pace.folders import Folders
from pace.memory.limits import SUMMARY_TOKENS, WINDOW_SIZES, ThreadLimits
from pace.memory.summary import Fold, SummaryUpdate
from pace.planners.tiers import open_planner
from pace.ports import Planner, ThreadSummarizer
from pace.settings import SummariesBy
from pace.settings_file import SettingsFile
from pace.summarizers.chain import TurnedDown
from pace.summarizers.extractive import ExtractiveSummarizer

try:
    from pace.evaluation.charts import as_page, as_png
    from pace.evaluation.loading import load_talks, shipped
    from pace.evaluation.report import Report, Run, as_json, evaluate, report_from
    from pace.evaluation.simple import NewestText, Nothing
    from pace.evaluation.tables import Table, compared, tables_of
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] == "pace":
        raise
    raise MissingExtraError("pace eval", "eval") from error

_DONE = 0
_MODEL = "model"
_QUESTIONS = 40
_RECALL = {"off": (False,), "on": (True,), "both": (False, True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asked for, as it was written."""

    file: str | None
    summarizers: tuple[str, ...]
    budgets: str
    windows: str
    sources: tuple[str, ...]
    reads: bool
    questions: str | None
    chart: str | None
    page: str | None
    as_json: bool
    recall: str


def evaluate_talks(asked: Asked, flags: Mapping[str, str | bool | None]) -> int:
    """Run `pace eval`; gives the exit status. Raises PaceError for what was asked wrongly."""
    loaded = shipped() if asked.file is None else load_talks(Path(asked.file))
    talks = _of_sources(loaded.talks, asked.sources)
    limits = [
        ThreadLimits(window_size=window, summary_tokens=budget, recall=recall)
        for window, budget, recall in product(
            _numbers(asked.windows, WINDOW_SIZES, "--window"),
            _numbers(asked.budgets, SUMMARY_TOKENS, "--budget"),
            _RECALL[asked.recall],
        )
    ]
    outputs = [_writable(name) for name in (asked.chart, asked.page) if name is not None]
    questions = _QUESTIONS if asked.questions is None else _count(asked.questions, "--questions")
    file = open_settings(flags)
    if asked.reads or _MODEL in asked.summarizers:
        ask_consent(file)
    runs = run_until_ended(
        _evaluated(talks, asked.summarizers, limits, file, questions if asked.reads else None)
    )
    report = Report(pace=version("pace"), talks=loaded.note, runs=tuple(runs))
    for path in outputs:
        made = as_png(report) if path.suffix == ".png" else as_page(report).encode()
        try:
            path.write_bytes(made)
        except OSError as error:
            raise TalksError(f"{path} cannot be written ({error.strerror}).") from error
    if asked.as_json:
        click.echo(as_json(report), nl=False)
        return _DONE
    say(safe_line(loaded.note))
    _show(tables_of(report))
    for path in outputs:
        say(f"Written: {safe_line(str(path))}", err=True)
    return _DONE


def compare_reports(one: str, other: str) -> int:
    """Show two reports side by side; gives the exit status. Raises TalksError for other files."""
    names = (
        (one, other) if Path(one).stem == Path(other).stem else (Path(one).stem, Path(other).stem)
    )
    before, after = (report_from(_read(name), name) for name in (one, other))
    table = compared(before, after, names)
    if not table.rows:
        raise TalksError(f"{one} and {other} have no set of talks in common.")
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
        planner = None
        if questions is not None or _MODEL in names:
            planner = await _reader(file, stack)
        with _progress(talks, len(names) * len(limits)) as advance:
            for name, limit in product(names, limits):
                runs.append(
                    await evaluate(
                        talks,
                        _summarizer(name, file, planner),
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


def _summarizer(name: str, file: SettingsFile, planner: Planner | None) -> ThreadSummarizer:
    simple: dict[str, Callable[[], ThreadSummarizer]] = {
        "extractive": ExtractiveSummarizer,
        "newest": NewestText,
        "nothing": Nothing,
    }
    if name in simple:
        return simple[name]()
    if name == _MODEL and planner is not None:
        settings = file.current
        if settings.summaries.by is SummariesBy.EXTRACTIVE:
            raise SettingsError(
                "summaries.by is extractive, so no model may be asked. "
                "Change it: pace settings summaries.by auto"
            )
        made = summarizer_of(settings, planner, TurnedDown())
        if made is not None:
            return made
    return _own(name)


def _own(name: str) -> ThreadSummarizer:
    """A summarizer of the person's own, named as module:maker."""
    module, colon, maker = name.partition(":")
    if not colon:
        raise SettingsError(
            f"There is no summarizer {safe_line(name)}. Use extractive, model, newest or nothing, "
            "or name your own as module:maker."
        )
    sys.path.insert(0, "")
    try:
        made: ThreadSummarizer = getattr(import_module(module), maker)()
    except Exception as error:  # somebody else's code may raise anything
        raise SettingsError(
            f"{safe_line(name)} cannot be made ({type(error).__name__}). "
            "Name a module that Python finds here and something in it to call without arguments."
        ) from error
    if not hasattr(made, "summarize"):
        raise SettingsError(f"{safe_line(name)} makes no summarizer: it cannot summarize.")
    return _Own(made, name)


class _Own:
    """A person's own summarizer: what it raises besides SummarizerError is told as its fault."""

    def __init__(self, inner: ThreadSummarizer, name: str) -> None:
        self._inner = inner
        self.name = name

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """Raises SettingsError for a fault of its own."""
        try:
            return await self._inner.summarize(fold)
        except SummarizerError:
            raise
        except Exception as error:
            raise SettingsError(
                f"{safe_line(self.name)} failed at a fold ({type(error).__name__}). Mend it, or "
                "have it raise pace.errors.SummarizerError for folds that it cannot make."
            ) from error


# --- what was asked


def _of_sources(talks: Sequence[Talk], sources: Sequence[str]) -> list[Talk]:
    known = list(dict.fromkeys(talk.source for talk in talks))
    for source in sources:
        if source not in known:
            raise SettingsError(
                f"There is no set {safe_line(source)}. There is: {safe_line(', '.join(known))}."
            )
    return [talk for talk in talks if not sources or talk.source in sources]


def _numbers(text: str, allowed: range, flag: str) -> list[int]:
    """Numbers with commas between them. Raises SettingsError, which names the flag."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and int(part) in allowed for part in parts):
        return list(dict.fromkeys(map(int, parts)))
    raise SettingsError(
        f"{flag} takes numbers from {allowed[0]:,} to {allowed[-1]:,} with commas between them, "
        f"and not {safe_line(text)!r}."
    )


def _count(text: str, flag: str) -> int:
    if text.isascii() and text.isdecimal() and int(text) > 0:
        return int(text)
    raise SettingsError(f"{flag} takes a number above 0, and not {safe_line(text)!r}.")


def _writable(name: str) -> Path:
    """Where a chart or a page is to be written; found out before anything is measured."""
    path = Path(name).expanduser()
    if path.is_dir() or not path.parent.is_dir():
        raise SettingsError(f"{safe_line(name)} cannot be written: name a file in a folder.")
    if path.suffix not in {".png", ".html"}:
        raise SettingsError(f"{safe_line(name)} has to end in .png or .html.")
    return path


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise TalksError(f"{name} cannot be read ({error.strerror}).") from error


# --- what is shown


def _show(tables: Sequence[Table]) -> None:
    for table in tables:
        click.echo()
        say(f"{table.title}. {table.note}")
        click.echo()
        show_table(table.heads, table.rows)


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
