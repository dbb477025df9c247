"""A report is figures alone, and comes back from JSON as it was."""

import asyncio
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from evaluation.talking import fact, small_talk, talk
from pace.errors import TalksError
from pace.evaluation.charts import as_page, as_png
from pace.evaluation.report import Report, as_json, evaluate, report_from
from pace.evaluation.simple import NewestText
from pace.evaluation.tables import compared, tables_of
from pace.memory.limits import ThreadLimits
from pace.summarizers.extractive import ExtractiveSummarizer
from pace.testing import ScriptedPlanner

QUESTION = "What is my booking?"
TALKS = [
    talk(
        ("My booking is KX-4417.", "Noted."),
        *small_talk(8),
        facts=(fact(0, "KX-4417", cues="booking", question=QUESTION),),
        name=name,
    )
    for name in ("one", "two")
]


def report() -> Report:
    """Two runs, the first of them read."""
    with ScriptedPlanner(*["KX-4417"] * 6) as reader:
        first = asyncio.run(evaluate(TALKS, ExtractiveSummarizer(), reader=reader))
    second = asyncio.run(evaluate(TALKS, NewestText(), ThreadLimits(summary_tokens=200)))
    return Report(pace="1", talks="Two talks <of ours>.", runs=(first, second))


def test_report_survives_json() -> None:
    """Its figures are the same, and no word of the talks is among them."""
    made = report()
    text = as_json(made)
    assert report_from(text, "a.json") == made
    assert "KX-4417" not in text
    assert "booking" not in text


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"form": 1}', "\x00"])
def test_anything_else_is_no_report(text: str) -> None:
    """One sentence names the file and how to make one."""
    with pytest.raises(TalksError, match=r"b\.json.*pace eval"):
        report_from(text, "b.json")


def test_report_of_another_form_is_refused() -> None:
    """It says so, and does not guess."""
    text = as_json(report()).replace('"form": 1', '"form": 99')
    with pytest.raises(TalksError, match="another version"):
        report_from(text, "b.json")


def test_tables_hold_each_run_and_set() -> None:
    """Only the run that was read stands in the table of answers."""
    made = report()
    tables = {table.title: table for table in tables_of(made)}
    assert len(tables["What is kept"].rows) == 2
    assert len(tables["What a reader answers"].rows) == 3
    for table in tables.values():
        assert all(len(row) == len(table.heads) for row in table.rows)


def test_comparison_gives_the_difference() -> None:
    """Of a report with itself there is none."""
    made = report()
    rows = compared(made, made, ("a", "b")).rows
    assert rows
    assert all(float(row[-1].replace(",", "")) == 0 for row in rows)


def test_page_needs_nothing_besides_itself() -> None:
    """Chart and tables stand in it; no script, no address to load from; names are escaped."""
    page = as_page(report())
    body = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    assert ET.fromstring(body).tag.endswith("svg")  # noqa: S314  # our own
    assert "<script" not in page
    assert 'src="' not in page
    assert "&lt;of ours&gt;" in page


def test_chart_says_which_runs_it_leaves_out() -> None:
    """There are only so many colours; the tables hold all of them."""
    made = report()
    page = as_page(replace(made, runs=made.runs * 5))
    assert "The first 7 of 10 runs" in page
    assert "The first" not in as_page(made)


def test_chart_is_a_picture() -> None:
    """A PNG of some size."""
    assert as_png(report()).startswith(b"\x89PNG")
