"""Reads talks from a file, told by what is in it and not by its name; and the set that Pace ships.

Whatever cannot be read is named with its place, and never with what was said there.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from pace.errors import TalksError
from pace.evaluation.deriving import HOW, WITHOUT_CAPITALS, derived_facts, is_poor_in_names
from pace.evaluation.exports import (
    Item,
    branch_of,
    is_history_line,
    is_message,
    messages_of,
    sessions_of,
    turns_of,
)
from pace.evaluation.files import read_whole, too_large
from pace.evaluation.schema import SCHEMA, is_talk, talk_of
from pace.evaluation.talks import SaidTurn, Talk
from pace.sayable import sayable

_SHIPPED = "The talks that Pace ships"
_TAKES = (
    "Give talks in Pace's schema, messages with roles and contents, ChatGPT's conversations.json "
    "or a history that Pace exported as JSON lines."
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Talks, at least one; `note` says in a sentence what they were read as, and whose facts."""

    talks: tuple[Talk, ...]
    note: str


def load_talks(path: Path) -> Loaded:
    """Read a file's talks. Raises TalksError, which says what to do, if it holds none."""
    return _loaded(read_whole(path, "talks"), sayable(str(path)))


def shipped() -> Loaded:
    """The talks that come with Pace, written for it; their licence stands beside them."""
    file = files("pace.evaluation") / "shipped" / "talks.jsonl"
    return _loaded(file.read_bytes(), _SHIPPED)


def _loaded(read: bytes, name: str) -> Loaded:
    try:
        items = _items(read.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise TalksError(f"{name} is no UTF-8 text. {_TAKES}") from error
    except MemoryError as error:
        raise TalksError(too_large(name)) from error
    form, all_talks = _talks(items, name)
    talks = [talk for talk in all_talks if talk.turns]
    if not talks:
        raise TalksError(f"{name} holds no talk in which anything was said. {_TAKES}")
    bring = sum(bool(talk.facts) for talk in talks)
    whole = [
        talk if talk.facts else replace(talk, facts=derived_facts(talk.turns)) for talk in talks
    ]
    note = _note(name, form, whole, bring)
    left_out = _left_out(len(all_talks) - len(talks))
    poor = any(is_poor_in_names(talk.turns) for talk in talks if not talk.facts)
    return Loaded(tuple(whole), f"{note}{'; ' + WITHOUT_CAPITALS if poor else ''}{left_out}.")


def _note(name: str, form: str, talks: Sequence[Talk], bring: int) -> str:
    facts = sum(len(talk.facts) for talk in talks)
    told = f"{name}, read as {form}: {_many(len(talks), 'talk')} with {_many(facts, 'fact')}"
    if bring == len(talks):
        return f"{told}, all as the file gives them"
    return f"{told}; {HOW}" if not bring else f"{told}; where a talk brings none, {HOW}"


def _left_out(number: int) -> str:
    if not number:
        return ""
    return f"; {_many(number, 'talk')} in which nothing was said {_is(number)} left out"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


# --- from text to values


def _items(text: str, name: str) -> list[Item]:
    """The values of a file: one JSON value, those of one array, or one a line."""
    if not text.strip():
        raise TalksError(f"{name} is empty. {_TAKES}")
    try:
        whole = _parsed(text)
    except ValueError as error:
        lines = _lines(text, name)
        if lines is None:
            raise TalksError(f"{name} {_fault(error)}. {_TAKES}") from error
        return lines
    if not isinstance(whole, list):
        return [Item(name, whole)]
    if any(map(is_message, whole)):
        return [Item(name, whole)]
    return [Item(f"conversation {at:,} of {name}", value) for at, value in enumerate(whole, 1)]


def _lines(text: str, name: str) -> list[Item] | None:
    """The values of JSON lines; None if not even the first line is one."""
    items: list[Item] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"line {number:,} of {name}"
        try:
            items.append(Item(where, _parsed(line)))
        except ValueError as error:
            if not items:
                return None
            fault = _fault(error).removesuffix(" (line 1)")
            raise TalksError(
                f"{Item(where, line).opening} {fault}. Repair that line, or take it out."
            ) from error
    if all(is_message(item.value) for item in items):
        return [Item(name, [item.value for item in items])]
    return items


def _parsed(text: str) -> object:
    """One JSON value. Raises ValueError."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise _TooDeepError from error


class _TooDeepError(ValueError):
    """Lists in lists, more of them than Python reads."""


def _fault(error: ValueError) -> str:
    match error:
        case json.JSONDecodeError():
            return f"is no JSON (line {error.lineno:,})"
        case _TooDeepError():
            return "is nested too deeply to be read"
        case _:
            return "holds a number too long to be read"


# --- from values to talks

_MESSAGES = "a list of messages"
_CHATGPT = "ChatGPT's export"
_HISTORY = "Pace's own history"


def _talks(items: Sequence[Item], name: str) -> tuple[str, list[Talk]]:
    """What the file was taken for, and its talks; all of one form."""
    if not items:
        return _MESSAGES, []
    form = _form(items[0].value)
    if form is None:
        raise TalksError(f"{items[0].opening} is nothing that Pace can read. {_TAKES}")
    for item in items[1:]:
        if _form(item.value) != form:
            raise TalksError(
                f"{item.opening} is not what stands before it, which was {form}. "
                "Put talks of one form into a file."
            )
    if form == _HISTORY:
        sessions = sessions_of(items).items()
        return form, [_talk(session, "history", turns) for session, turns in sessions]
    return form, list(_each(form, items, Path(name).stem))


def _form(value: object) -> str | None:
    if is_history_line(value):
        return _HISTORY
    if is_talk(value):
        return SCHEMA
    if isinstance(value, dict) and "mapping" in value:
        return _CHATGPT
    if isinstance(value, list) or (isinstance(value, dict) and "messages" in value):
        return _MESSAGES
    return None


def _each(form: str, items: Sequence[Item], name: str) -> Iterator[Talk]:
    for number, item in enumerate(items, start=1):
        value = item.value
        if form == SCHEMA and isinstance(value, dict):
            yield talk_of(item, value, otherwise=f"{name}/{number}")
        elif form == _CHATGPT and isinstance(value, dict):
            yield _talk(f"{name}/{number}", "chatgpt", turns_of(branch_of(item.opening, value)))
        else:
            messages = value["messages"] if isinstance(value, dict) else value
            if not isinstance(messages, list):
                raise TalksError(f"{item.opening} has messages that are no list. {_TAKES}")
            said = list(messages_of(item.where, messages))
            yield _talk(f"{name}/{number}", "messages", turns_of(said))


def _talk(name: str, source: str, turns: tuple[SaidTurn, ...]) -> Talk:
    return Talk(id=name, source=source, turns=turns, facts=())
