"""A desktop of small programs, put where Pace looks for the real ones."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Desktop:
    """A home of its own, a screen in name, and a folder of programs before all others."""

    home: Path
    programs: Path

    def add(self, name: str, script: str) -> None:
        """Put a program there, written for the shell that every Unix has."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def add_recorder(self, name: str, *, status: int = 0) -> Path:
        """A program that writes down its arguments, one after the other; gives where."""
        record = self.programs.parent / f"{name}.record"
        write = "for word; do printf '%s\\0' \"$word\"; done"
        self.add(name, f"{write} > '{record}.new'\nmv '{record}.new' '{record}'\nexit {status}")
        return record

    def add_hanging(self, name: str) -> tuple[Path, Path]:
        """A program that says its id into the first pipe, then waits for a word from the other."""
        said, word = (self.programs.parent / f"{name}.{end}" for end in ("said", "word"))
        os.mkfifo(said)
        os.mkfifo(word)
        self.add(name, f"echo $$ > '{said}'\nread line < '{word}'")
        return said, word

    def add_clipboard(self) -> Path:
        """An xclip that keeps the text in a file; gives the file."""
        kept = self.programs.parent / "clipboard"
        nothing = "{ echo 'Error: target STRING not available' >&2; exit 1; }"
        read = f"cat '{kept}' 2>/dev/null || {nothing}"
        self.add("xclip", f"case \"$*\" in *-o*) {read};; *) cat > '{kept}';; esac")
        return kept

    def add_app(self, name: str, *, program: str, file: str = "", more: str = "") -> Path:
        """A desktop entry in the person's own folder."""
        folder = self.home / ".local" / "share" / "applications"
        folder.mkdir(parents=True, exist_ok=True)
        entry = folder / f"{file or name.lower()}.desktop"
        entry.write_text(
            f"[Desktop Entry]\nType=Application\nName={name}\nExec={program}\n{more}\n"
            "[Desktop Action new]\nName=Another\nExec=another\n"
        )
        return entry


def recorded(record: Path) -> list[str]:
    """The arguments that a recorder was given."""
    return record.read_text().split("\0")[:-1]


def make_desktop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """Have this process, and those that it starts, find that desktop and no other."""
    home, programs = folder / "home", folder / "programs"
    home.mkdir()
    programs.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("DISPLAY", ":99")
    for name in ("WAYLAND_DISPLAY", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_DIRS", str(folder / "shared"))
    return Desktop(home, programs)


def is_private(path: Path) -> bool:
    """Whether nobody but its owner may do anything with it."""
    return stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
