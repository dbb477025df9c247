"""Imports point down, and `memory/` is pure: what it cannot reach, it cannot do."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MEMORY = sorted((ROOT / "src/pace/memory").glob("**/*.py"))
# Of the standard library, only what neither reads nor changes the world.
PURE = {
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "datetime",
    "enum",
    "hashlib",
    "itertools",
    "math",
    "re",
    "string",
    "typing",
    "unicodedata",
    "zlib",
}
# Names of `datetime` that are no clock; its methods that are one.
TIME_TYPES = {"UTC", "datetime", "timedelta", "timezone"}
CLOCKS = {"now", "utcnow", "today", "fromtimestamp", "utcfromtimestamp", "astimezone"}
BUILTINS_OF_THE_WORLD = {"open", "print", "input", "exec", "eval", "compile", "__import__", "id"}
# Python gives hash() of a text another value in each process.
BUILTINS_OF_CHANCE = {"hash"}


def test_rooms_import_downwards_only() -> None:
    """The contracts in `.importlinter` hold."""
    linter = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_what_a_fold_in_its_own_process_loads_is_little() -> None:
    """No event loop and no archives: a model's summary is read by a process that starts for it."""
    code = (
        "import sys, pace.summarizers.child, pace.summarizers.guard;"
        "print(*sorted({'asyncio', 'ssl', 'zipfile', 'pace.ports'} & sys.modules.keys()))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert loaded.stdout.split() == []


def test_memory_is_found() -> None:
    """The purity checks below look at something."""
    assert {"thread.py", "prompt.py", "snapshot.py"} <= {path.name for path in MEMORY}


@pytest.mark.parametrize("path", MEMORY, ids=lambda path: path.name)
def test_memory_is_pure(path: Path) -> None:
    """Memory imports itself and pure parts of the standard library, and calls no clock or file."""
    assert list(impurities(ast.parse(path.read_text()))) == []


@pytest.mark.parametrize(
    "code",
    [
        "import os",
        "import datetime",
        "from time import monotonic",
        "from pathlib import Path",
        "from pace.errors import PaceError",
        "from pace import settings",
        "from . import thread",
        "import asyncio.events",
        "datetime.now(UTC)",
        "at.astimezone()",
        "open('x')",
        "hash('x')",
        "async def f(): ...",
        "def f():\n    import random",
        "global x",
    ],
)
def test_the_purity_check_finds(code: str) -> None:
    """Each way to the world is seen by the check."""
    assert list(impurities(ast.parse(code)))


def impurities(tree: ast.Module) -> Iterator[str]:
    """What in a module could make the same call give another result, or leave a trace."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name not in PURE - {"datetime"})
            case ast.ImportFrom(module="datetime", level=0, names=names):
                yield from (alias.name for alias in names if alias.name not in TIME_TYPES)
            case ast.ImportFrom(module=module, level=level):
                is_own = (module or "").startswith("pace.memory.")
                if level or not (is_own or module in PURE):
                    yield f"from {module} import"
            case ast.Attribute(attr=attr) if attr in CLOCKS:
                yield attr
            case ast.Name(id=name) if name in BUILTINS_OF_THE_WORLD | BUILTINS_OF_CHANCE:
                yield name
            case ast.AsyncFunctionDef() | ast.Await() | ast.Global():
                yield type(node).__name__
            case _:
                pass
