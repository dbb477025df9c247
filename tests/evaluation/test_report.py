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
from pace.evaluation.tables import tables_of
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
    for form, says in (("99", "a newer Pace"), ("0", "another version")):
        text = as_json(report()).replace('"form": 1', f'"form": {form}')
        with pytest.raises(TalksError, match=says):
            report_from(text, "b.json")


@pytest.mark.parametrize("figure", ["-1", "-0.5", "NaN", "Infinity", "-Infinity", "1e999"])
def test_figures_that_cannot_be_are_refused(figure: str) -> None:
    """Nothing that is counted is below zero, beyond all bounds or no number."""
    text = as_json(report()).replace('"prompt_tokens": ', f'"prompt_tokens": {figure}, "x": ', 1)
    with pytest.raises(TalksError, match=r"^b\.json holds figures that cannot be\."):
        report_from(text, "b.json")


@pytest.mark.parametrize("name", ["report.json", "talks/Report.json", "figures.json", "b.json"])
def test_how_to_make_a_report_overwrites_no_file_that_was_named(name: str) -> None:
    """The file may hold the talks: the command that is shown writes to another."""
    with pytest.raises(TalksError) as raised:
        report_from("[]", name)
    written = str(raised.value).rpartition("> ")[2]
    assert written.lower() != name.rpartition("/")[2].lower()


def test_recall_without_questions_is_explained() -> None:
    """Equal rows have their reason beside them; with questions there is nothing to explain."""
    made = report()
    asked = replace(made, runs=tuple(replace(run, recall=True) for run in made.runs))
    unasked_talks = [replace(t, facts=(replace(t.facts[0], question=""),)) for t in TALKS]
    run = asyncio.run(evaluate(unasked_talks, NewestText(), ThreadLimits(recall=True)))
    notes = [tables_of(each)[0].note for each in (made, asked, replace(made, runs=(run,)))]
    assert ["Recall goes by" in note for note in notes] == [False, False, True]


def test_tables_hold_each_run_and_set() -> None:
    """Only the run that was read stands in the table of answers."""
    made = report()
    tables = {table.title: table for table in tables_of(made)}
    assert len(tables["What is kept"].rows) == 2
    assert len(tables["What a reader answers"].rows) == 3
    for table in tables.values():
        assert all(len(row) == len(table.heads) for row in table.rows)


def test_page_needs_nothing_besides_itself() -> None:
    """Chart and tables stand in it; no script, no address to load from; names are escaped."""
    page = as_page(report())
    body = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    assert ET.fromstring(body).tag.endswith("svg")  # noqa: S314  # our own
    assert "<script" not in page
    assert 'src="' not in page
    assert "&lt;of ours&gt;" in page


def test_any_name_can_be_drawn() -> None:
    """Signs of mathematics, of a terminal, of scripts that the font lacks, and long ones."""
    made = report()
    (figures,) = made.runs[1].by_source.values()
    names = ["$\\frac{$", "\x1b[31m\u202e", "\u676d\u5dde", "a" * 300, "_x"]
    runs = tuple(
        replace(run, summarizer=name, by_source=dict.fromkeys(names, figures))
        for run, name in zip(made.runs * 2, names, strict=False)
    )
    named = replace(made, runs=runs)
    assert as_png(named).startswith(b"\x89PNG")
    page = as_page(named)
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_chart_says_how_many_sets_it_leaves_out() -> None:
    """A picture is only so high."""
    made = report()
    (figures,) = made.runs[1].by_source.values()
    many = replace(made.runs[1], by_source={str(n): figures for n in range(21)})
    assert "The first 20 of 21 sets" in as_page(replace(made, runs=(many,)))


def test_chart_says_which_runs_it_leaves_out() -> None:
    """There are only so many colours; the tables hold all of them."""
    made = report()
    page = as_page(replace(made, runs=made.runs * 5))
    assert "The first 7 of 10 runs" in page
    assert "The first" not in as_page(made)


def test_chart_is_a_picture() -> None:
    """A PNG of some size."""
    assert as_png(report()).startswith(b"\x89PNG")
