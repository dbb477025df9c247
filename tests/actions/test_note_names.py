"""File names of notes: safe on every system, whatever the title."""

import asyncio
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pace.actions.notes.folder import NotesFolder
from pace.actions.notes.names import stem_of, title_of

RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
TITLES = st.text(max_size=80) | st.text(alphabet="./\\:~-* conulCOM1\u202e\u0301ßİ", max_size=80)


@given(TITLES)
@example("../../etc/passwd")
@example("..")
@example("/")
@example("C:\\Windows\\x")
@example("con")
@example("LPT1.tar.gz")
@example("a.md")
@example("é" * 80)
@example("👨‍👩‍👧" * 16)
@example("\ud800")
@example("name:stream")
def test_every_title_has_a_safe_name(title: str) -> None:
    """A name leads nowhere, hides nothing, is no device, and fits every file system."""
    stem = stem_of(title)
    assert stem
    assert stem.isprintable()
    assert not set(stem) & set('<>:"/\\|?*')
    assert not stem.startswith((".", "-", "~", " "))
    assert not stem.endswith((".", " "))
    assert stem.split(".")[0].strip().lower() not in RESERVED
    assert len(f"{stem} (999).md".encode()) <= 255
    assert stem == unicodedata.normalize("NFC", stem)
    assert stem_of(stem) == stem


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        *(("Shopping list", "Shopping list"), ("../../etc/passwd", "etc passwd"), ("??", "Note")),
        *(("CON", "Note CON"), ("com1.txt", "Note com1.txt"), ("v1.2", "v1.2"), ("...", "Note")),
        *(("9:30 call", "9 30 call"), ("C#", "C#"), ("naïve 🌍", "naïve 🌍"), ("-rf", "rf")),
    ],
)
def test_names_stay_readable(title: str, stem: str) -> None:
    """A name is as near to its title as it can be."""
    assert stem_of(title) == stem


@settings(max_examples=60, deadline=None)
@given(st.lists(TITLES, max_size=6))
def test_no_title_reaches_another_file(titles: list[str]) -> None:
    """However titles are chosen, each note is a file of its own, and nothing lies outside."""
    kept = [title for title in titles if is_title(title)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "inner" / "notes"
        asyncio.run(take_all(folder, kept))
        written = [path for path in Path(place).rglob("*") if path.is_file()]
        notes = [path for path in written if path.suffix == ".md"]
        assert len(notes) == len(kept)
        assert all(path.parent == folder for path in written)
        texts = {path.read_text().splitlines()[-1] for path in notes}
        assert texts == {f"text {number}" for number in range(len(kept))}


def is_title(text: str) -> bool:
    try:
        return title_of(" ".join(text.split())) != ""
    except ValueError:
        return False


async def take_all(folder: Path, titles: list[str]) -> None:
    notes = NotesFolder(lambda: folder)
    for number, title in enumerate(titles):
        await notes.take(" ".join(title.split()), f"text {number}")
