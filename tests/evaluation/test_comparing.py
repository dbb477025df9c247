"""Two reports are compared memory by memory, by what each one is."""

import asyncio
from dataclasses import replace

from evaluation.talking import fact, small_talk, talk
from pace.evaluation.comparing import compared
from pace.evaluation.report import Figures, Report, Run, evaluate
from pace.evaluation.shares import Share
from pace.evaluation.simple import Nothing
from pace.summarizers.extractive import ExtractiveSummarizer

TALKS = [
    talk(
        ("My booking is KX-4417.", "Noted."),
        *small_talk(6),
        facts=(fact(0, "KX-4417", cues="booking"),),
    )
]
KEEPS = asyncio.run(evaluate(TALKS, ExtractiveSummarizer()))
LOSES = asyncio.run(evaluate(TALKS, Nothing()))


def report(*runs: Run) -> Report:
    return Report(pace="1", talks="One talk.", runs=runs)


def with_kept(run: Run, part: int, whole: int) -> Run:
    """A run of which this share was kept."""
    figures: Figures = run.by_source["set"]
    share = Share(part=part, whole=whole, low=None, high=None)
    kept = replace(figures, retention=replace(figures.retention, at_end=share))
    return replace(run, by_source={"set": kept})


def test_memories_are_paired_by_what_they_are() -> None:
    """Their order in the reports is nothing; each row names its memory."""
    table = compared(report(KEEPS, LOSES), report(LOSES, KEEPS), ("a", "b"))
    assert {row[1] for row in table.rows} == {KEEPS.name, LOSES.name}
    assert all(row[-1] == "+0.0" for row in table.rows)


def test_what_has_no_partner_is_named() -> None:
    """Window, budget and recall tell memories apart; so do sets."""
    wide, recalling = replace(KEEPS, window=8), replace(KEEPS, recall=True)
    other = replace(KEEPS, by_source={**KEEPS.by_source, "more": KEEPS.by_source["set"]})
    table = compared(report(KEEPS, wide), report(other, recalling), ("a", "b"))
    assert {row[1] for row in table.rows} == {KEEPS.name}
    assert f"Only a has {wide.name}." in table.note
    assert f"Only b has {recalling.name}." in table.note
    assert "Only b has the set more." in table.note


def test_two_lone_memories_are_compared_whatever_they_are() -> None:
    """That they differ is said."""
    table = compared(report(LOSES), report(KEEPS), ("a", "b"))
    kept = next(row for row in table.rows if row[2] == "kept")
    assert kept[1] == f"{LOSES.name} beside {KEEPS.name}"
    assert kept[-1] == "+100.0"
    assert "Each report holds one memory" in table.note


def test_nothing_in_common_gives_no_row() -> None:
    """Neither a memory nor a set is made up."""
    other = replace(KEEPS, by_source={"other": KEEPS.by_source["set"]})
    assert not compared(report(KEEPS), report(other), ("a", "b")).rows
    two, others = (KEEPS, replace(KEEPS, window=8)), (LOSES, replace(LOSES, window=8))
    assert not compared(report(*two), report(*others), ("a", "b")).rows


def test_a_difference_is_that_of_what_is_shown() -> None:
    """83.25 to 80.15 reads as 83.2 to 80.2 and is shown as -3.0."""
    before, after = with_kept(KEEPS, 8325, 10_000), with_kept(KEEPS, 8015, 10_000)
    rows = compared(report(before), report(after), ("a", "b")).rows
    kept = next(row for row in rows if row[2] == "kept")
    assert float(kept[-1]) == round(float(kept[4]) - float(kept[3]), 1)
    assert kept[3:] == ("83.2", "80.2", "-3.0")
