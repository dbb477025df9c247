"""What docs/eval.md shows is what the code does."""

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "eval.md"


def test_the_library_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It works as printed, and ends with a report as JSON and its tables."""
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(example, PAGE.name, "exec"), {"__name__": "__main__"})  # noqa: S102  # our own text
    out = capsys.readouterr().out
    report, end = json.JSONDecoder().raw_decode(out)
    assert report["runs"][0]["budget"] == 800
    assert "What is kept" in out[end:]
