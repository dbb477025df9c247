"""Where the peers are, and an environment of its own for each, made once."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENTS = Path.home() / ".cache" / "pace" / "peers"
# What stands first; the others follow by name.
_FIRST = ("pace", "bare")


class InstallError(Exception):
    """A peer's packages could not be installed."""


@dataclass(frozen=True, slots=True)
class PeerFolder:
    """A folder with `driver.py`; without `requirements.txt` it runs where the harness does."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def driver(self) -> Path:
        return self.path / "driver.py"

    @property
    def requirements(self) -> str:
        file = self.path / "requirements.txt"
        return file.read_text(encoding="utf-8") if file.exists() else ""


def found(also: Sequence[Path] = ()) -> Iterator[PeerFolder]:
    """Those beside this file, and others."""
    folders = {path.parent.name: path.parent for path in HERE.glob("*/driver.py")}
    folders |= {path.name: path.resolve() for path in also}
    for name in sorted(folders, key=place):
        yield PeerFolder(folders[name])


def place(name: str) -> tuple[int, str]:
    """Where a peer stands among the others."""
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST)), name


async def python_of(peer: PeerFolder, environments: Path) -> str:
    """The Python that has the peer's packages; made now if there is none. Raises InstallError."""
    if not peer.requirements:
        return sys.executable
    folder = environments / peer.name
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == peer.requirements:
        return str(python)
    print(f"Installing {peer.name} into {folder} ...", file=sys.stderr, flush=True)
    await _run([sys.executable, "-m", "venv", "--clear", str(folder)], peer)
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    await _run([str(python), *install, "-r", str(peer.path / "requirements.txt")], peer)
    stamp.write_text(peer.requirements, encoding="utf-8")
    return str(python)


async def _run(command: Sequence[str], peer: PeerFolder) -> None:
    """From the repository's root, since the requirements of Pace name it by a dot."""
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
    )
    _, errors = await process.communicate()
    if process.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        raise InstallError(f"{peer.name} cannot be installed: {lines[-1] if lines else 'no word'}")
