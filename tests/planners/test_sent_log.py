"""The log of what was sent: numbers by tier, host and kind, and never a word."""

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pace.errors import ConsentNeededError, PaceError, PlannerUnavailableError, SentLogError
from pace.memory.prompt import Message, Prompt, Role
from pace.planners.sent_log import CountedPlanner, SentKind, SentLog
from pace.ports import SUMMARIES, Notice, PlannerEvent, TextDelta
from pace.testing import Gate, ScriptedPlanner
from planners.prompts import prompt_of

NOON = datetime(2026, 7, 5, 12, 0, 31, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> SentLog:
    return SentLog(tmp_path / "data" / "sent.db", now=lambda: NOON)


def counted(planner: ScriptedPlanner, log: SentLog) -> CountedPlanner:
    return CountedPlanner(planner, log, tier="direct", host="api.example.com", check=lambda _: None)


async def reply(planner: CountedPlanner, words: str, thread: str = "t") -> list[PlannerEvent]:
    prompt = prompt_of(words, thread=thread)
    return [event async for event in planner.stream(prompt)]


def test_nothing_is_made_to_be_read(log: SentLog) -> None:
    """Without a log there is nothing to show, and asking makes none; nor does clearing."""
    assert log.totals() == ()
    log.clear()
    assert not log.path.parent.exists()


async def test_turns_and_summaries_are_counted_apart(log: SentLog) -> None:
    """Each kind has its count, its bytes as UTF-8 and its minutes; only its owner reads it."""
    with ScriptedPlanner("One.", "Two.", "Sum.") as planner:
        over = counted(planner, log)
        await reply(over, "naïve")
        await reply(over, "Hi")
        await reply(over, "Fold", SUMMARIES)
    turns, summaries = sorted(log.totals(), key=lambda total: total.kind, reverse=True)
    sent = [
        sum(len(message.content.encode()) for message in prompt.messages)
        for prompt in planner.prompts
    ]
    assert (turns.kind, turns.count, turns.bytes) == (SentKind.TURN, 2, sent[0] + sent[1])
    assert (summaries.kind, summaries.count, summaries.bytes) == (SentKind.SUMMARY, 1, sent[2])
    assert turns.first_at == turns.last_at == NOON.replace(second=0)
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


async def test_further_steps_of_a_turn_are_counted_apart(log: SentLog) -> None:
    """What a planner is asked again within one turn is a step; the next turn is a turn."""
    first = replace(prompt_of("Timer, please"), parts=replace(prompt_of("").parts, words=9))
    more = (Message(Role.ASSISTANT, "Set."), Message(Role.USER, "It is set."))
    asked = [first, replace(first, messages=(*first.messages, *more)), prompt_of("And?")]
    with ScriptedPlanner("One.", "Two.", "Three.") as planner:
        over = counted(planner, log)
        for prompt in asked:
            _ = [event async for event in over.stream(prompt)]
    kinds = {total.kind: total.count for total in log.totals()}
    assert kinds == {SentKind.TURN: 2, SentKind.STEP: 1}


async def test_it_holds_no_words_and_no_ids(log: SentLog) -> None:
    """Neither words nor a conversation's id are in the file; times are to the minute."""
    with ScriptedPlanner("CANARYREPLY") as planner:
        await reply(counted(planner, log), "CANARYWORDS", "CANARYTHREAD")
    assert b"CANARY" not in log.path.read_bytes()
    with closing(sqlite3.connect(log.path)) as connection:
        assert connection.execute("SELECT minute * 60 FROM sent").fetchall() == [
            (int(NOON.replace(second=0).timestamp()),)
        ]


async def test_a_request_is_counted_before_it_leaves(log: SentLog) -> None:
    """While the planner has not answered yet, the log has it already."""
    gate = Gate()
    planner = ScriptedPlanner([gate, "One."])
    events = counted(planner, log).stream(prompt_of("Hi"))
    following = anext(events)
    gate.open()
    await following
    assert [total.count for total in log.totals()] == [1]
    await events.aclose()


async def test_a_failed_request_counts(log: SentLog) -> None:
    """Words that were sent and not answered were sent all the same."""
    with ScriptedPlanner([RuntimeError("gone")]) as planner, pytest.raises(RuntimeError):
        await reply(counted(planner, log), "Hi")
    assert [total.count for total in log.totals()] == [1]


async def test_a_fault_of_the_log_is_told_once_and_stops_nothing(log: SentLog) -> None:
    """The reply comes, with one notice ahead of it; the next turn does not repeat that."""
    log.path.parent.mkdir()
    log.path.write_text("this is no database at all, and long enough to be sure of it")
    with ScriptedPlanner("One.", "Two.") as planner:
        over = counted(planner, log)
        first, second = await reply(over, "Hi"), await reply(over, "Hi")
    assert isinstance(first[0], Notice)
    assert str(log.path) in first[0].sentence
    assert TextDelta("One.") in first
    assert not any(isinstance(event, Notice) for event in second)


def test_clearing_leaves_nothing(log: SentLog) -> None:
    """After clearing no host's name is in the file."""
    log.add(tier="direct", host="canary.example.com", kind=SentKind.TURN, size=5)
    log.clear()
    assert log.totals() == ()
    assert b"canary.example.com" not in log.path.read_bytes()


def test_a_log_that_cannot_be_used_is_named(log: SentLog) -> None:
    """A folder in its place is one sentence that names it."""
    log.path.mkdir(parents=True)
    with pytest.raises(SentLogError, match=r"sent\.db cannot be used"):
        log.add(tier="cli", host="x", kind=SentKind.TURN, size=1)


@pytest.mark.parametrize(
    ("thread", "raised"), [("t", ConsentNeededError), (SUMMARIES, PlannerUnavailableError)]
)
async def test_nothing_is_sent_without_consent(
    log: SentLog, thread: str, raised: type[PaceError]
) -> None:
    """Consent is asked for at each request; a summary is then made by somebody else."""
    told: list[str] = []

    def check(_: Prompt) -> None:
        if told:
            raise ConsentNeededError(told[0])

    with ScriptedPlanner("One.") as planner:
        over = CountedPlanner(planner, log, tier="direct", host="x", check=check)
        await reply(over, "Hi", thread)
        told.append("You withdrew it.")
        with pytest.raises(raised, match="You withdrew it"):
            await reply(over, "Hi", thread)
        assert len(planner.prompts) == 1
    assert [total.count for total in log.totals()] == [1]


@pytest.mark.parametrize(
    "row",
    [
        (1, "direct", "api.example.com", "dream", 1, 1),
        (10**15, "direct", "api.example.com", "turn", 1, 1),
        (-1, "direct", "api.example.com", "turn", 1, 1),
        ("noon", "direct", "api.example.com", "turn", 1, 1),
        (1, "direct", "api.example.com", "turn", 2**63 - 1, 2**63 - 1),
        (1, b"\xff", "api.example.com", "turn", 1, 1),
        (1, "direct", "api.example.com", "turn", "many", 1),
    ],
    ids=str,
)
def test_an_odd_row_hides_no_other(log: SentLog, row: tuple[object, ...]) -> None:
    """What makes no sense is counted as such, and the rest is told as ever."""
    log.add(tier="direct", host="api.example.com", kind=SentKind.TURN, size=5)
    before = log.totals()
    with closing(sqlite3.connect(log.path)) as connection, connection:
        connection.execute("INSERT INTO sent VALUES (?, ?, ?, ?, ?, ?)", row)
    assert (log.totals(), log.odd_rows()) == (before, 1)
