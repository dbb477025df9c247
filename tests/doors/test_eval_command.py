"""`pace eval`, as a person runs it: tables, JSON, charts, comparisons, and what it refuses."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from doors.running import run_pace

SHIPPED = files("pace.evaluation") / "shipped" / "talks.jsonl"
MESSAGES = [
    {"role": "user", "content": "My booking code is KX-4417, for the train to Bergen."},
    {"role": "assistant", "content": "Noted: KX-4417 to Bergen."},
    *(
        message
        for number in range(9)
        for message in (
            {"role": "user", "content": f"And what about day {number + 11} of the walk?"},
            {"role": "assistant", "content": f"On day {number + 11} you rest, said Ottilie."},
        )
    ),
]


@pytest.fixture
def talk(tmp_path: Path) -> str:
    """A list of messages as OpenAI has them, in a file."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")
    return str(path)


async def test_shipped_talks(tmp_path: Path) -> None:
    """Out of the box it measures a set of Pace's own, and says what that is."""
    ended = await run_pace(
        tmp_path, "eval", "--summarizer", "extractive", "--summarizer", "nothing"
    )
    assert ended.status == 0, ended.err
    for title in ("What is kept", "By age", "What is true", "How it reads"):
        assert title in ended.out
    assert "extractive, K 4, 400 tokens" in ended.out
    assert "nothing, K 4, 400 tokens" in ended.out


async def test_figures_as_json_hold_nothing_that_was_said(tmp_path: Path, talk: str) -> None:
    """One run for each summarizer, window, budget and recall; no word of the talk."""
    flags = ("--window", "1,4", "--budget", "200,400", "--recall", "both", "--json")
    ended = await run_pace(tmp_path, "eval", talk, *flags)
    assert ended.status == 0, ended.err
    runs = json.loads(ended.out)["runs"]
    assert len({(run["window"], run["budget"], run["recall"]) for run in runs}) == 8
    kept = [next(iter(run["by_source"].values()))["retention"]["at_end"] for run in runs]
    assert all(share["whole"] > 0 for share in kept)
    for word in ("KX-4417", "Bergen", "Ottilie"):
        assert word not in ended.out


async def test_chart_and_page_are_written(tmp_path: Path, talk: str) -> None:
    """And it says where."""
    chart, page = tmp_path / "kept.png", tmp_path / "kept.html"
    ended = await run_pace(tmp_path, "eval", talk, "--chart", str(chart), "--page", str(page))
    assert ended.status == 0, ended.err
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in page.read_text(encoding="utf-8")
    assert str(chart) in ended.err.replace("\n", "")


async def test_two_reports_side_by_side(tmp_path: Path, talk: str) -> None:
    """The difference stands in the last column."""
    for name, summarizer in (("a", "nothing"), ("b", "extractive")):
        ended = await run_pace(tmp_path, "eval", talk, "--summarizer", summarizer, "--json")
        (tmp_path / f"{name}.json").write_text(ended.out, encoding="utf-8")
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    ended = await run_pace(tmp_path, "eval", "--compare", *files)
    assert ended.status == 0, ended.err
    kept = next(line for line in ended.out.splitlines() if " kept " in line)
    assert float(kept.split()[-1]) > 0


async def test_summarizer_of_ones_own(tmp_path: Path, talk: str) -> None:
    """Named as module:maker; what it keeps is measured as Pace's own is."""
    ended = await run_pace(
        tmp_path, "eval", talk, "--summarizer", "pace.evaluation.simple:NewestText", "--json"
    )
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["runs"][0]["summarizer"] == "pace.evaluation.simple:NewestText"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("raise KeyError('Bergen')", "KeyError"),
        ("def make(): raise ZeroDivisionError", "ZeroDivisionError"),
        (
            "class make:\n name = 'm'\n async def summarize(self, fold): raise LookupError(fold)",
            "LookupError",
        ),
    ],
)
async def test_summarizer_of_ones_own_that_fails(
    tmp_path: Path, talk: str, code: str, kind: str
) -> None:
    """Its fault is named as its own, by its kind: what it says may quote the talk."""
    (tmp_path / "own_one.py").write_text(code, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path)}
    ended = await run_pace(tmp_path, "eval", talk, "--summarizer", "own_one:make", env=env)
    assert ended.status == 2
    assert "own_one:make" in ended.err
    assert kind in ended.err
    assert ended.err.count("\n") == 1
    assert "Bergen" not in ended.err


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("no-such-file.json",), "no-such-file.json"),
        (("--summarizer", "best"), "best"),
        (("--summarizer", "no_module:it"), "no_module:it"),
        (("--summarizer", "pathlib:Path"), "pathlib:Path"),
        (("--budget", "100"), "--budget"),
        (("--budget", "400,"), "--budget"),
        (("--window", "nine"), "--window"),
        (("--questions", "0"), "--questions"),
        (("--source", "nowhere"), "nowhere"),
        (("--recall", "maybe"), "--recall"),
        (("--chart", "kept.gif"), "kept.gif"),
        (("--page", "no/such/folder/kept.html"), "kept.html"),
        (("--compare", "a.json", "b.json"), "a.json"),
        (("talk.json", "--compare", "a.json", "b.json"), "--compare"),
        (("--tier", "nobody", "--read"), "--tier"),
    ],
)
async def test_what_cannot_be_measured(tmp_path: Path, flags: tuple[str, ...], named: str) -> None:
    """One sentence that names it, status 2, and nothing is written."""
    ended = await run_pace(tmp_path, "eval", *flags)
    assert ended.status == 2, ended.err
    assert named in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""


async def test_reading_with_the_embedded_model(tmp_path: Path, tiny: Path) -> None:
    """A real model is asked from Pace's prompt, the window and the history, and answers count."""
    one = tmp_path / "one.jsonl"
    one.write_text(SHIPPED.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    flags = ("--read", "--questions", "2", "--model", str(tiny), "--json")
    ended = await run_pace(tmp_path, "eval", str(one), *flags)
    assert ended.status == 0, ended.err
    readings = [f["reading"] for f in json.loads(ended.out)["runs"][0]["by_source"].values()]
    for reading in readings:
        assert reading["questions"] == 2
        assert set(reading["by_shown"]) == {"pace", "window", "history"}
        tokens = {what: shown["prompt_tokens"] for what, shown in reading["by_shown"].items()}
        assert tokens["window"] < tokens["pace"] < tokens["history"]
