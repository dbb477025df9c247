"""`pace eval`, as a person runs it: tables, JSON, charts, comparisons, and what it refuses."""

import asyncio
import json
import os
import signal
from importlib.resources import files
from pathlib import Path

import pexpect
import pytest

from doors.running import PACE, environment, run_pace

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

OWN = """
import asyncio, os, signal
from dataclasses import replace
from pace.evaluation.simple import Nothing
class make(Nothing):
 async def summarize(self, fold):
"""
WITHOUT_TEXT = "  return replace(await super().summarize(fold), text=None)"
SLOW = {
    "HANGS": """
  before = signal.getsignal(signal.SIGTERM)
  os.write(2, b'folding\\n')
  while (now := signal.getsignal(signal.SIGTERM)) is before or not callable(now): pass
  os.write(2, b'again\\n')
  while True: pass
""",
    "NEVER_LETS_GO": """
  os.write(2, b'folding\\n')
  while True:
   try: await asyncio.sleep(60)
   except BaseException: os.write(2, b'again\\n')
""",
    "TAKES_NO_NOTICE": """
  os.write(2, b'folding\\n')
  try: await asyncio.sleep(60)
  except BaseException: pass
  return await super().summarize(fold)
""",
}


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
    assert "nothing, K 4, 400 tokens beside extractive, K 4, 400 tokens" in kept


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
        ("import sys\ndef make(): sys.exit(1)", "SystemExit"),
        (
            "class make:\n name = 'm'\n async def summarize(self, fold): raise SystemExit(1)",
            "SystemExit",
        ),
        (
            "class make:\n name = 'm'\n async def summarize(self, fold): raise GeneratorExit",
            "GeneratorExit",
        ),
        (
            "class make:\n name = 'm'\n async def summarize(self, fold): return 'text'",
            "SummaryUpdate",
        ),
        (f"{OWN}{WITHOUT_TEXT}", "SummaryUpdate"),
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
        (("--read", "--questions", "0"), "--questions"),
        (("--source", "nowhere"), "nowhere"),
        (("--recall", "maybe"), "--recall"),
        (("--chart", "kept.gif"), "kept.gif"),
        (("--chart", "kept.html"), "kept.html"),
        (("--page", "kept.png"), "kept.png"),
        (("--chart", "~nobody-at-all/kept.png"), "~nobody-at-all"),
        (("--chart", "/proc/kept.png"), "/proc/kept.png"),
        (("--chart", "k" * 400 + ".png"), "File name too long"),
        (("--window", "9" * 5_000), "--window"),
        (("--read", "--questions", "9" * 5_000), "--questions"),
        (("--questions", "5"), "--read"),
        (("--model", "default"), "--model"),
        (("--tier", "local", "--summarizer", "newest"), "--tier"),
        (("/dev/zero",), "/dev/zero"),
        (("-",), "/dev/stdin"),
        (("--compare", "a.json"), "pace eval --help"),
        (("--compare", "a.json", "b.json", "--json"), "--json"),
        (("--compare", "a.json", "b.json", "--window", "4"), "--window"),
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


async def test_nothing_to_ask(tmp_path: Path, talk: str) -> None:
    """A reader for talks without questions is refused before any model is opened."""
    ended = await run_pace(tmp_path, "eval", talk, "--read")
    assert ended.status == 2
    assert "--read has nothing to ask" in ended.err


async def test_talks_are_not_written_over(tmp_path: Path) -> None:
    """Not even if their name would do for a page; and a try to write leaves all as it was."""
    page = tmp_path / "talk.html"
    page.write_text(json.dumps(MESSAGES), encoding="utf-8")
    before = page.read_bytes()
    ended = await run_pace(tmp_path, "eval", str(page), "--page", str(page))
    assert ended.status == 2
    assert page.read_bytes() == before
    ended = await run_pace(tmp_path, "eval", "none", "--chart", str(tmp_path / "kept.png"))
    assert ended.status == 2
    assert not (tmp_path / "kept.png").exists()


async def test_what_an_own_summarizer_prints_stays_out_of_the_figures(
    tmp_path: Path, talk: str
) -> None:
    """Also what it writes past Python's own standard output."""
    code = (
        "import os\nfrom pace.evaluation.simple import Nothing\nprint('aloud')\n"
        "class make(Nothing):\n async def summarize(self, fold):\n"
        "  print('aloud'); os.write(1, b'aloud'); return await super().summarize(fold)"
    )
    (tmp_path / "loud.py").write_text(code, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path)}
    flags = ("--summarizer", "loud:make", "--json")
    ended = await run_pace(tmp_path, "eval", talk, *flags, env=env)
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["runs"][0]["summarizer"] == "loud:make"
    assert "aloud" in ended.err


async def test_an_own_summarizer_may_close_and_move(tmp_path: Path, talk: str) -> None:
    """Its standard output is its own, and a chart goes where it was meant to."""
    code = (
        "import os, sys\nfrom pace.evaluation.simple import Nothing\n"
        "class make(Nothing):\n async def summarize(self, fold):\n"
        "  sys.stdout.close(); os.chdir('/'); return await super().summarize(fold)"
    )
    (tmp_path / "moves.py").write_text(code, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path)}
    chart = _relative(tmp_path / "kept.png")
    flags = ("--summarizer", "moves:make", "--json", "--chart", chart)
    ended = await run_pace(tmp_path, "eval", talk, *flags, env=env)
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["runs"]
    assert (tmp_path / "kept.png").stat().st_size > 0


@pytest.mark.parametrize("fold", ["HANGS", "NEVER_LETS_GO"])
async def test_a_second_signal_ends_what_never_lets_go(
    tmp_path: Path, talk: str, fold: str
) -> None:
    """A summarizer of one's own may hang, or take no notice of being ended."""
    process = await _folding(tmp_path, talk, SLOW[fold])
    assert process.stderr is not None
    assert await process.stderr.readline() == b"folding\n"
    process.send_signal(signal.SIGINT)
    assert await process.stderr.readline() == b"again\n"
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode == 130


async def test_the_first_signal_ends_what_gives_a_summary_all_the_same(
    tmp_path: Path, talk: str
) -> None:
    """That it took no notice counts for nothing once its fold is over."""
    process = await _folding(tmp_path, talk, SLOW["TAKES_NO_NOTICE"])
    assert process.stderr is not None
    assert await process.stderr.readline() == b"folding\n"
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode == 130


async def _folding(tmp_path: Path, talk: str, fold: str) -> asyncio.subprocess.Process:
    (tmp_path / "slow.py").write_text(f"{OWN}{fold}", encoding="utf-8")
    return await asyncio.create_subprocess_exec(
        str(PACE),
        *("eval", talk, "--summarizer", "slow:make"),
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path, PYTHONPATH=str(tmp_path)),
    )


async def test_names_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    """Neither those of talks, nor those of a report that is compared."""
    talks = SHIPPED.read_text(encoding="utf-8").splitlines()[0]
    one = tmp_path / "one.jsonl"
    one.write_text(json.dumps({**json.loads(talks), "source": "\x1b[31mred"}), encoding="utf-8")
    ended = await run_pace(tmp_path, "eval", str(one), "--json")
    report = tmp_path / "report.json"
    report.write_text(ended.out, encoding="utf-8")
    for arguments in ((str(one),), ("--compare", str(report), str(report))):
        # Not through run_pace: what is no terminal gets no escapes from click anyway.
        shown = await _on_a_terminal(tmp_path, *arguments)
        assert "\\x1b[31mred" in shown
        assert "\x1b[31mred" not in shown


async def _on_a_terminal(home: Path, *arguments: str) -> str:
    """What a person sees of `pace eval`."""
    child = pexpect.spawn(
        str(PACE), ["eval", *arguments], env=environment(home), encoding="utf-8", timeout=60
    )
    child.expect(pexpect.EOF)
    return str(child.before)


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


def _relative(path: Path) -> str:
    return os.path.relpath(path)
