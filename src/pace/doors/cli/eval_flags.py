"""What `pace eval` was asked for, and what it refuses before anything is measured."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import click

from pace.doors.cli.own_summarizer import is_own
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError
from pace.evaluation.talks import Talk
from pace.memory.limits import SUMMARY_TOKENS, WINDOW_SIZES, ThreadLimits
from pace.settings import SummariesBy
from pace.settings_file import SettingsFile

MODEL = "model"
"""The name of the summarizer that asks a planner."""
_QUESTIONS = 40
# No setting of Pace's has more digits.
_MOST_DIGITS = 9
_LONGEST_QUOTED = 40
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

    @property
    def asks_a_model(self) -> bool:
        """Whether a planner is opened at all."""
        return self.reads or MODEL in self.summarizers


def limits_of(asked: Asked) -> list[ThreadLimits]:
    """Each window with each budget, without and with recall. Raises SettingsError."""
    return [
        ThreadLimits(window_size=window, summary_tokens=budget, recall=recall)
        for window, budget, recall in product(
            _numbers(asked.windows, WINDOW_SIZES, "--window"),
            _numbers(asked.budgets, SUMMARY_TOKENS, "--budget"),
            _RECALL[asked.recall],
        )
    ]


def questions_of(asked: Asked) -> int | None:
    """How many questions a reader gets of each set; None without a reader. Raises SettingsError."""
    if not asked.reads:
        return None
    return _QUESTIONS if asked.questions is None else _count(asked.questions, "--questions")


def refuse_without_effect(asked: Asked, flags: Mapping[str, str | bool | None]) -> None:
    """Raises click.UsageError for a flag that changes nothing."""
    if asked.questions is not None and not asked.reads:
        raise click.UsageError("--questions goes with --read. Add that, or leave it out.")
    if asked.asks_a_model:
        return
    for name, value in flags.items():
        if value is not None:
            raise click.UsageError(
                f"--{name.replace('_', '-')} says which model is asked, and none is. "
                "Add --read or --summarizer model, or leave it out."
            )


def refuse_unknown(names: Sequence[str], simple: Collection[str], file: SettingsFile) -> None:
    """Raises SettingsError for a summarizer that there is not, or that may not be asked."""
    for name in names:
        if name not in {*simple, MODEL} and not is_own(name):
            raise SettingsError(
                f"There is no summarizer {safe_line(name)}. Use extractive, model, newest or "
                "nothing, or name your own as module:maker."
            )
    if MODEL in names and file.current.summaries.by is SummariesBy.EXTRACTIVE:
        raise SettingsError(
            "summaries.by is extractive, so no model may be asked. "
            "Change it: pace settings summaries.by auto"
        )


def refuse_to_ask_nothing(talks: Sequence[Talk]) -> None:
    """Raises SettingsError for talks that no reader could be asked about."""
    if not any(fact.question for talk in talks for fact in talk.facts):
        raise SettingsError(
            "--read has nothing to ask: none of these talks brings a question. "
            "Leave out --read, or give facts with questions."
        )


def of_sources(talks: Sequence[Talk], sources: Sequence[str]) -> list[Talk]:
    """The talks of these sets, of all if none is named. Raises SettingsError."""
    known = list(dict.fromkeys(talk.source for talk in talks))
    for source in sources:
        if source not in known:
            raise SettingsError(
                f"There is no set {safe_line(source)}. There is: {safe_line(', '.join(known))}."
            )
    return [talk for talk in talks if not sources or talk.source in sources]


def _numbers(text: str, allowed: range, flag: str) -> list[int]:
    """Numbers with commas between them. Raises SettingsError, which names the flag."""
    numbers = [_number(part) for part in text.split(",")]
    found = [number for number in numbers if number is not None and number in allowed]
    if len(found) == len(numbers):
        return list(dict.fromkeys(found))
    raise SettingsError(
        f"{flag} takes numbers from {allowed[0]:,} to {allowed[-1]:,} with commas between them, "
        f"and not {_quoted(text)}."
    )


def _count(text: str, flag: str) -> int:
    number = _number(text)
    if number:
        return number
    raise SettingsError(
        f"{flag} takes a number from 1 to {10**_MOST_DIGITS - 1:,}, and not {_quoted(text)}."
    )


def _number(text: str) -> int | None:
    text = text.strip()
    is_one = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_one else None


def _quoted(text: str) -> str:
    line = safe_line(text)
    return repr(line if len(line) <= _LONGEST_QUOTED else f"{line[:_LONGEST_QUOTED]}…")


def writable(name: str | None, suffix: str, flag: str, talks: str | None) -> Path | None:
    """Where a chart or a page is to be written, and can be. Raises SettingsError."""
    if name is None:
        return None
    told = safe_line(name)
    if Path(name).name.lower() == suffix:
        raise SettingsError(f"{told} is no name for a file. Put one before {suffix}.")
    if Path(name).suffix.lower() != suffix:
        raise SettingsError(f"{flag} writes a {suffix} file, so {told} has to end in {suffix}.")
    try:
        path = Path(name).expanduser().absolute()
        if path.exists() and not path.is_file():
            raise SettingsError(f"{told} cannot be written: it is no file. Name one in a folder.")
        if talks is not None and path.exists() and path.samefile(talks):
            raise SettingsError(f"{told} holds the talks. Name another file for {flag}.")
        _try_to_write(path)
    except (OSError, RuntimeError) as error:  # RuntimeError: a ~ of nobody's
        why = getattr(error, "strerror", None) or "there is no such home"
        raise SettingsError(
            f"{told} cannot be written ({why}). Name a file in a folder that you may write to."
        ) from error
    return path


def _try_to_write(path: Path) -> None:
    """Raises OSError. A file that is there stays as it is, and none is left that was not."""
    is_new = not path.exists()
    path.open("ab").close()
    if is_new:
        path.unlink()
