"""The comparison counts what it says it counts: each flaw of a peer shows where it belongs."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "benchmarks" / "peers"
FLAWED = Path(__file__).parent / "flawed"
FAULTS = ("raises", "returns nothing", "hangs", "alternates")


def figures(
    peer: Path, *scenarios: str, flaw: str = "none", kept: tuple[Any, ...] = ("--aside",)
) -> dict[str, Any]:
    """What one run of the comparison says of one peer, run with the Python of the tests."""
    ran = subprocess.run(
        [
            *(sys.executable, PEERS, "--also", peer, "--only", peer.name),
            *("--scenarios", ",".join(scenarios), *kept, "--json"),
        ],
        env={**os.environ, "FLAW": flaw},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)[peer.name]
    return told


def beside(name: str, folder: Path) -> Path:
    """A peer of the comparison, without the environment that it would get there."""
    peer = folder / f"{name}_here"
    peer.mkdir()
    (peer / "driver.py").write_bytes((PEERS / name / "driver.py").read_bytes())
    return peer


@pytest.fixture(scope="module")
def planted() -> ModuleType:
    """What is said in the scenarios."""
    spec = importlib.util.spec_from_file_location("planted", PEERS / "planted.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_healthy_peer() -> None:
    """One that keeps all that was said loses no turn, fails none and waits for none."""
    told = figures(FLAWED, "waiting", "faults")
    assert told["waiting"] == {"seconds": 0, "turns": 0, "failed": 0, "of": 12}
    assert [told["faults"][fault] for fault in FAULTS] == [{"failed": 0, "lost": 0, "of": 12}] * 4


def test_a_turn_that_is_forgotten() -> None:
    """A turn that was answered and stands in no later prompt is lost, and counted once for each."""
    told = figures(FLAWED, "faults", flaw="forgets")
    assert {told["faults"][fault]["lost"] for fault in FAULTS} == {10}


def test_a_summary_that_is_relied_on() -> None:
    """Turns fail with the summary that they wait for, and what it does not return is lost."""
    told = figures(FLAWED, "faults", flaw="relies")["faults"]
    assert told["raises"] == {"failed": 2, "lost": 0, "of": 12}
    assert told["returns nothing"] == {"failed": 0, "lost": 3, "of": 12}
    assert told["hangs"] == {"failed": 2, "lost": 0, "of": 12}
    assert told["alternates"] == {"failed": 1, "lost": 0, "of": 12}


def test_a_turn_that_waits() -> None:
    """The one turn that waits for a summary of two seconds is counted, with its seconds."""
    told = figures(FLAWED, "waiting", flaw="waits")
    assert told["waiting"]["turns"] == 1
    assert 2.0 <= told["waiting"]["seconds"] < 4.0


def test_a_peer_that_ends() -> None:
    """A driver that ends is told as one that broke, and the run goes on."""
    told = figures(FLAWED, "waiting", "tokens", flaw="dies")
    assert set(told["waiting"]) == set(told["tokens"]) == {"broke"}


def test_words_that_come_back() -> None:
    """All that was said before a reset and stands in a prompt after it is counted."""
    told = figures(FLAWED, "reset", flaw="brings back")
    assert told["reset"] == {"came back": 3, "said": 3}


def test_turns_lost_to_each_other() -> None:
    """Of four messages at once, those whose pair another one overwrote are lost."""
    told = figures(FLAWED, "concurrent")
    assert told["concurrent"]["lost"] == 12
    assert told["concurrent"]["not in turn"] == 0


def test_roles_out_of_turn() -> None:
    """A prompt in which the same side speaks twice in a row is counted."""
    told = figures(FLAWED, "concurrent", flaw="interleaves")
    assert told["concurrent"]["lost"] == 0
    assert told["concurrent"]["not in turn"] == told["concurrent"]["prompts"] - 2


def test_pace(tmp_path: Path) -> None:
    """Pace's own driver is counted like any other, and loses nothing, whatever the fault."""
    told = figures(beside("pace", tmp_path), "waiting", "faults", "concurrent", "reset")
    assert told["waiting"]["turns"] == 0
    assert [told["faults"][fault] for fault in FAULTS] == [{"failed": 0, "lost": 0, "of": 12}] * 4
    assert told["concurrent"]["failed"] == told["concurrent"]["lost"] == 0
    assert told["concurrent"]["not in turn"] == 0
    assert told["reset"]["came back"] == 0
    assert told["reset"]["said"] > 0


def test_a_peer_without_memory(tmp_path: Path) -> None:
    """One that says that it holds nothing is not counted as losing anything."""
    told = figures(beside("bare", tmp_path), "faults", "concurrent", "reset")
    assert all(set(told[each]) == {"cannot"} for each in ("faults", "concurrent", "reset"))


def test_a_part_is_renewed(tmp_path: Path) -> None:
    """A run of a part keeps what was measured before, and changes a document between its marks."""
    measured, document = tmp_path / "measured.json", tmp_path / "document.md"
    document.write_text("Before.\n<!-- figures -->\nold\n<!-- end of figures -->\nAfter.\n")
    kept = ("--measured", measured, "--document", document)
    tokens = figures(FLAWED, "tokens", kept=kept)["tokens"]
    reset = figures(FLAWED, "reset", kept=kept)["reset"]
    told = json.loads(measured.read_text())["peers"]["flawed"]
    assert (told["tokens"], told["reset"]) == (tokens, reset)
    text = document.read_text()
    assert text.startswith("Before.\n<!-- figures -->\n\nMeasured on ")
    assert text.endswith("\n<!-- end of figures -->\nAfter.\n")
    assert "old" not in text
    assert f"{tokens['60']:,}" in text
    document.write_text(
        "Before.\n<!-- the main figures -->\nold\n<!-- end of figures -->\nAfter.\n"
    )
    figures(FLAWED, "reset", kept=kept)
    row = next(line for line in document.read_text().splitlines() if line.startswith("| flawed"))
    assert row.endswith(f"| {tokens['60']:,} |")


def test_a_summary_loses_nothing(planted: ModuleType) -> None:
    """The fake summary of a text repeats every planted word in it, in whatever words it stood."""
    texts = [planted.words(number) for number in range(12)]
    first = planted.summary("\n".join(texts), 400)
    again = planted.summary(f"{first}\nSomebody named ZZ-9999, too.", 400)
    assert planted.codes_in(first) == {planted.code(number) for number in range(12)}
    assert planted.codes_in(again) == planted.codes_in(first) | {"ZZ-9999"}


def test_each_turn_plants_its_own_word(planted: ModuleType) -> None:
    """No two turns plant the same word, and no reply holds any."""
    codes = [planted.codes_in(planted.words(number)) for number in range(200)]
    assert len(frozenset[str]().union(*codes)) == len(codes)
    assert not any(planted.codes_in(planted.reply(number)) for number in range(200))
