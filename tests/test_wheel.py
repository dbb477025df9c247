"""The wheel: what a stranger installs holds all that it needs, and runs away from this folder."""

import asyncio
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from doors.running import chat_server, environment

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("pace-*.whl")
    return built


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    """Code, the word table and the marker for types are in it; tests and documents are not."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {
        "pace/py.typed",
        "pace/summarizers/common_words.txt",
        "pace/evaluation/shipped/talks.jsonl",
    } <= set(names)
    assert all(name.startswith(("pace/", "pace-")) for name in names)


async def test_a_pace_from_the_wheel_answers(wheel: Path, tmp_path: Path) -> None:
    """Installed with its chat extra into a new environment, it gives a reply."""
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "env", folder=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    pins = ("--constraint", ROOT / "constraints.txt", "--no-compile")
    run(*pip, "--python", python, "install", *pins, f"{wheel}[chat]", folder=tmp_path)
    pace = python.with_name("pace")
    assert run(pace, "--version", folder=tmp_path).startswith("pace ")
    async with chat_server("Hello from the wheel.") as server:
        reply = await asyncio.to_thread(
            run, pace, "chat", "--base-url", server.url, "hello", folder=tmp_path
        )
    assert reply == "Hello from the wheel.\n"
