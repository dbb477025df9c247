from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doors.terminal.drawn import FULL, PLAIN
from pace.doors.cli.terminal.memory_view import MemoryFacts, Share, cells_of, memory_lines
from pace.memory.prompt import PromptParts
from pace.memory.recall import Displaced
from pace.memory.summary import RollingSummary
from pace.memory.thread import ThreadMemory
from pace.memory.turn import SessionId, ThreadId, TurnId, TurnPair

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def pair(number):
    return TurnPair(
        turn_id=TurnId(str(number)),
        number=number,
        user_text="words",
        reply_text="reply",
        recorded_at=NOW,
    )


def facts(*, shows_summary=False, parts=True, window=True):
    memory = ThreadMemory(
        thread_id=ThreadId("one"),
        session_id=SessionId("0123456789abcdef"),
        last_active_at=NOW,
        window=tuple(map(pair, (4, 5, 6, 7))) if window else (),
        pending=(pair(3),) if window else (),
        summary=RollingSummary(
            text="The user: lives in Ber\x1bgen.", version=5, covers=2, made_by="extractive"
        )
        if window
        else RollingSummary(),
        next_number=8,
    )
    return MemoryFacts(
        memory=memory,
        parts=PromptParts(
            system=90, summary=301, pending=40, window=402, facts=0, recalled=0, words=10
        )
        if parts
        else None,
        context_tokens=8192,
        reply_tokens=1024,
        prepared_tokens=812,
        fold_outcomes=Counter({"applied": 3, "stale": 1}),
        idle_left=timedelta(minutes=18, seconds=30),
        shows_summary=shows_summary,
    )


def shown(told, *, width=80, look=FULL):
    return "\n".join(line.plain.rstrip() for line in memory_lines(told, width=width, look=look))


@pytest.mark.parametrize(
    "part",
    [
        "session   01234567\n",
        "4 of 4 turn pairs",
        "1 turn pair, not in the summary yet",
        "version 5, extractive, covers 2 turn pairs",
        "3 applied · 1 stale",
        "812 tokens of the next prompt read ahead",
        "forgets in 19 min",
        "833 of 8,192 tokens",
        "system 90",
        "summary 301",
        "pending 40",
        "window 402",
        "reply 1,024",
        "free 6,335",
    ],
)
def test_memory_says_everything(part):
    """Both tiers, what is pending, folds, what is prepared, idle time and the parts are shown."""
    assert part in shown(facts())


def test_the_summarys_text_is_shown_only_when_it_is_on():
    """Off, the view says how to switch it on; on, it gives the text, made safe."""
    assert "Bergen" not in shown(facts()).replace("\\x1b", "")
    assert "/settings activity.show_summary on" in shown(facts())
    assert r"lives in Ber\x1bgen." in shown(facts(shows_summary=True))


def test_what_was_recalled_is_shown():
    """With recall on: how many pairs are kept, and those that the last words ask for."""
    told = facts()
    asked = replace(pair(7), user_text="What was my code?")
    old = replace(pair(1), user_text="My code is KX-4417.")
    memory = replace(
        told.memory,
        window=(*told.memory.window[:-1], asked),
        limits=replace(told.memory.limits, recall=True),
        displaced=(Displaced.of(old), Displaced.of(pair(2))),
    )
    text = shown(replace(told, memory=memory))
    assert "2 turn pairs older, kept whole" in text
    assert "User: My code is KX-4417." in text
    assert "kept whole" not in shown(told)


def test_without_colour_the_bar_speaks_in_letters():
    """On a plain terminal each part of the bar is its letter."""
    bar = shown(facts(), look=PLAIN).splitlines()[-3]
    assert set(bar.strip()) == set("supwr.")


@pytest.mark.parametrize("width", [120, 80, 40])
def test_no_line_is_wider_than_the_screen(width):
    """The view fits narrow screens."""
    assert all(line.cell_len <= width for line in memory_lines(facts(), width=width, look=FULL))


def test_a_model_that_does_not_answer_costs_only_the_bar():
    """Without the next prompt's parts the rest is shown all the same."""
    assert "kept for the reply" not in shown(facts(parts=False))
    assert "window" in shown(facts(parts=False))


def test_an_empty_memory_is_said_to_be_empty():
    """Nothing held is said in words."""
    assert "nothing to forget yet" in shown(facts(window=False))
    assert "there is nothing older than the window" in shown(facts(window=False))


@given(st.lists(st.integers(0, 9000), min_size=5, max_size=5), st.integers(5, 120))
def test_bars_are_in_proportion(tokens, width):
    """The cells add up to the width; what holds something has one, more never gets fewer cells."""
    parts = [Share("part", "p", "", count) for count in tokens]
    cells = cells_of(parts, width)
    if not sum(tokens):
        return
    assert sum(cells) == width
    for count, size in zip(tokens, cells, strict=True):
        assert (size > 0) == (count > 0)
    ordered = sorted(zip(tokens, cells, strict=True))
    assert all(a[1] <= b[1] + 1 for a, b in pairwise(ordered))


def test_summaries_that_were_turned_down_are_told_with_whose_and_why():
    """R6: what the guard did not let through can be seen, by who made it; otherwise no line."""
    counts = Counter({("apple", "late"): 1, ("local", "poorer than the extractive fold"): 2})
    told = shown(replace(facts(), turned_down=counts))
    assert "turned down: 2 by local (poorer than the extractive fold), 1 by apple" in told
    assert "turned down" not in shown(facts())
