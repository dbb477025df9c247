"""A thread as plain data and back, and what happens when the data is damaged."""

import json
import traceback
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from memory.plain import NOW, SESSION, folded, said, thread
from pace.memory.prefixes import Prefix
from pace.memory.snapshot import (
    SNAPSHOT_VERSION,
    from_plain,
    to_plain,
)
from pace.memory.summary import Clause, Speaker, render_clauses
from pace.memory.thread import ThreadMemory, UnfinishedTurn
from pace.memory.turn import TurnId

SECRET = "bike code 7301"  # noqa: S105  words of a conversation


def secret_memory() -> ThreadMemory:
    """A thread that holds the secret wherever one can stand."""
    texts = {"user_text": f"my {SECRET}", "reply_text": f"noted: {SECRET}", "interrupted": True}
    clauses = (Clause(speaker=Speaker.USER, text=SECRET, number=1),)
    memory = folded(
        said(thread(window_size=1, recall=True), "1", "2", **texts), SECRET, clauses=clauses
    )
    memory = said(memory, "3", **texts)
    prefix = Prefix(digest="d2", covered="d1", summary=memory.summary, pending=memory.pending)
    unfinished = UnfinishedTurn(turn_id=TurnId("5"), messages=SECRET)
    memory = memory.keep_prefix(SESSION, prefix, now=NOW)
    return memory.keep_unfinished(SESSION, unfinished, now=NOW).accept(TurnId("4"))


@settings(deadline=None)
@given(
    texts=st.lists(st.tuples(st.text(), st.text()), max_size=6),
    summary=st.text(max_size=80),
    window_size=st.integers(min_value=1, max_value=8),
    idle=st.timedeltas(min_value=timedelta(minutes=5), max_value=timedelta(hours=1)),
    offset=st.integers(min_value=-720, max_value=720),
)
def test_a_snapshot_is_the_whole_value(
    texts: list[tuple[str, str]],
    summary: str,
    window_size: int,
    idle: timedelta,
    offset: int,
) -> None:
    """Whatever was said, through JSON and back it is the same value."""
    memory = thread(window_size=window_size, idle_after=idle, recall=True)
    at = datetime(2026, 6, 1, 12, 0, 1, 5, tzinfo=timezone(timedelta(minutes=offset)))
    for number, (user, reply) in enumerate(texts):
        turn = {"user_text": f"u{user}", "reply_text": f"r{reply}", "recorded_at": at}
        memory = said(memory, str(number), **turn)
    if memory.pending:
        memory = folded(memory, f"s{summary}")
    memory = memory.accept(TurnId("open"))
    assert from_plain(json.loads(json.dumps(to_plain(memory)))) == memory


def test_a_snapshot_keeps_clauses_and_marks() -> None:
    """What an extractive summary was made of, and that a reply was interrupted, come back."""
    loaded = from_plain(json.loads(json.dumps(to_plain(secret_memory()))))
    assert loaded == secret_memory()
    assert (loaded.summary.clauses[0].speaker, loaded.window[0].interrupted) == (Speaker.USER, True)


def test_a_summary_of_a_models_words_and_clauses_comes_back_as_both() -> None:
    """What a model wrote and what was given back to it are told apart after the journey, too."""
    clauses = tuple(
        Clause(speaker=speaker, text=f"clause of {speaker}", number=1) for speaker in Speaker
    )
    text = f"They met. {render_clauses(clauses)}"
    memory = folded(said(thread(window_size=1), "1", "2"), text, clauses=clauses)
    loaded = from_plain(json.loads(json.dumps(to_plain(memory)))).summary
    assert loaded == memory.summary
    assert (loaded.prose, loaded.clauses) == ("They met.", clauses)


def damaged() -> list[tuple[str, Any]]:
    """Snapshots with one thing wrong each: something missing, or the secret where it cannot be."""
    cases: list[tuple[str, Any]] = [("not a mapping", SECRET), ("nothing", None), ("a list", [])]

    def visit(plain: Any, path: tuple[str | int, ...]) -> None:
        items = plain.items() if isinstance(plain, dict) else enumerate(plain)
        for key, value in list(items):
            for wrong in (SECRET, -1, None, {SECRET: SECRET}, [SECRET], 1e400, value):
                if is_fine(value, wrong, key):
                    continue
                cases.append((f"{(*path, key)} is {wrong!r:.20}", with_change((*path, key), wrong)))
            if isinstance(plain, dict):
                cases.append((f"{(*path, key)} is missing", with_change((*path, key), ...)))
            if isinstance(value, dict | list):
                visit(value, (*path, key))

    visit(to_plain(secret_memory()), ())
    return cases


def is_fine(value: object, wrong: object, key: str | int) -> bool:
    """Whether a change leaves a snapshot that could be: a text for a text, ids for ids."""
    if isinstance(value, str) and key not in {"last_active_at", "recorded_at", "speaker"}:
        return isinstance(wrong, str)
    if key == "unfinished" and wrong is None:
        return True
    return wrong == value or (key in {"open_turns", "recorded_turns"} and wrong == [SECRET])


def with_change(path: tuple[str | int, ...], wrong: object) -> dict[str, Any]:
    plain = json.loads(json.dumps(to_plain(secret_memory())))
    inner: Any = plain
    for key in path[:-1]:
        inner = inner[key]
    if wrong is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = wrong
    return plain  # type: ignore[no-any-return]


@pytest.mark.parametrize("plain", [pytest.param(plain, id=name) for name, plain in damaged()])
def test_a_damaged_snapshot_is_refused_without_a_word_of_it(plain: Any) -> None:
    """R10: neither the error, nor its repr, nor its whole chain of causes quotes what was said."""
    with pytest.raises(ValueError, match="no whole snapshot") as caught:
        from_plain(plain)
    error = caught.value
    chain = "".join(traceback.format_exception(error, chain=True))
    assert (error.__cause__, error.__context__) == (None, None)
    assert "7301" not in f"{error} {error!r} {error.args} {chain}"


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("pairs out of order", {"window": "pending", "pending": "window"}),
        ("pairs out of order", {"pending": "window"}),
        ("window too large", {"limits": "limits"}),
    ],
)
def test_a_value_no_change_makes_is_refused(fault: str, change: dict[str, str]) -> None:
    """A snapshot whose parts are fine and do not go together is damaged, too."""
    plain = to_plain(said(thread(window_size=2), "1", "2", "3"))
    wrong = {**plain, **{key: plain[other] for key, other in change.items()}}
    if fault == "window too large":
        wrong["limits"] = {**plain["limits"], "window_size": 1}
    with pytest.raises(ValueError, match=fault):
        from_plain(wrong)


def test_a_version_that_was_never_stamped_is_refused() -> None:
    """R3: the summary's version is one of those stamped."""
    memory = replace(secret_memory(), last_version=0)
    with pytest.raises(ValueError, match="never stamped"):
        from_plain(to_plain(memory))


def test_a_time_without_offset_is_refused() -> None:
    """Idle time cannot be told from a time that could be anywhere."""
    plain = {**to_plain(thread()), "last_active_at": "2026-06-01T12:00:00"}
    with pytest.raises(ValueError, match="without offset"):
        from_plain(plain)


def test_another_version_is_refused() -> None:
    """A snapshot of a later Pace is not guessed at."""
    plain = {**to_plain(thread()), "snapshot": SNAPSHOT_VERSION + 1}
    with pytest.raises(ValueError, match=f"of version {SNAPSHOT_VERSION}"):
        from_plain(plain)


def test_a_thread_is_pending_by_its_own_pairs_or_by_a_clients() -> None:
    """A store tells what waits for a fold without reading words."""
    assert not said(thread(window_size=1), "one").is_pending
    memory = said(thread(window_size=1), "one", "two")
    assert memory.is_pending
    assert memory.expires_at == memory.last_active_at + memory.limits.idle_after
