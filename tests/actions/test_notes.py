"""Notes: written whole, once, inside their folder, and found again."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from actions.desktop import is_private
from pace.actions.notes.append_note import AppendNote
from pace.actions.notes.files import listed, put_new
from pace.actions.notes.folder import NotesFolder
from pace.actions.notes.search_notes import SearchNotes
from pace.actions.notes.take_note import TakeNote
from pace.errors import ActionError, ActionRefusedError
from pace.file_lock import only_here

WRITER = Path(__file__).with_name("note_writer.py")


@pytest.fixture
def notes(notes_folder: Path) -> NotesFolder:
    return NotesFolder(lambda: notes_folder)


def files(folder: Path) -> dict[str, str]:
    """Every note by its file's name; Pace leaves nothing else but its lock."""
    found = {path.name: path for path in folder.iterdir()}
    assert [name for name in found if name.startswith(".")] in ([], [".pace-notes.lock"])
    return {name: path.read_text() for name, path in found.items() if not name.startswith(".")}


def make(folder: Path) -> None:
    folder.mkdir()


def link(folder: Path, *, to: Path) -> None:
    to.mkdir()
    folder.symlink_to(to)


def is_there(folder: Path) -> bool:
    return folder.exists()


async def test_a_note_is_a_markdown_file(notes: NotesFolder, notes_folder: Path) -> None:
    """A note stands under its title in a file and a folder that only its owner may read."""
    action = TakeNote(notes)
    result = await action.run(action.checked({"title": "Shopping  list", "text": " milk\neggs\n"}))
    assert files(notes_folder) == {"Shopping list.md": "# Shopping list\n\nmilk\neggs\n"}
    assert result.line == 'Took a note called "Shopping list".'
    assert is_private(notes_folder)
    assert is_private(notes_folder / "Shopping list.md")
    assert is_private(notes_folder / ".pace-notes.lock")


async def test_no_note_is_written_over(notes: NotesFolder, notes_folder: Path) -> None:
    """A title that is taken gets a number, in whatever letter case; the old note stays."""
    make(notes_folder)
    (notes_folder / "PLANS.md").write_text("mine")
    (notes_folder / "other.md").write_text("# Ideas\n")
    assert (await notes.take("Plans", "a")).title == "Plans (2)"
    assert (await notes.take("plans", "b")).title == "plans (3)"
    assert (await notes.take("Ideas", "c")).title == "Ideas (2)"
    assert (await notes.take("other", "d")).path.name == "other (2).md"
    assert (notes_folder / "PLANS.md").read_text() == "mine"


def test_no_note_vanishes_among_too_many(tmp_path: Path) -> None:
    """Where there are more notes than are looked at, that is said, and none seems not to be."""
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("x")
    assert len(listed(tmp_path, most=3)) == 3
    with pytest.raises(ActionError, match="more than 2 notes"):
        listed(tmp_path, most=2)


def test_a_write_that_was_killed_leaves_no_note(tmp_path: Path) -> None:
    """At no moment is there a note without its text; what was left aside goes at the next."""
    seen: list[str] = []
    watched = [tmp_path]

    def look(event: str, _: object) -> None:
        if event == "os.link" and watched:
            seen.extend(path.name for path in watched[0].iterdir())

    (tmp_path / ".pace-killed.tmp").write_text("half")
    sys.addaudithook(look)  # for as long as this process lives
    put_new(tmp_path / "a.md", b"ours")
    watched.clear()
    (aside,) = seen
    assert aside.startswith(".pace-")
    assert files(tmp_path) == {"a.md": "ours"}


def test_a_file_that_came_meanwhile_stays(tmp_path: Path) -> None:
    """A file that another program made after the look into the folder is not written over."""
    path = tmp_path / "a.md"
    path.write_text("theirs")
    with pytest.raises(FileExistsError):
        put_new(path, b"ours")
    assert files(tmp_path) == {"a.md": "theirs"}


async def test_titles_with_one_file_name_are_two_notes(
    notes: NotesFolder, notes_folder: Path
) -> None:
    """Two titles that no file system could tell apart keep their titles, in two files."""
    for title in ("a/b", "a?b"):
        assert (await notes.take(title, f"in {title}")).title == title
    await notes.append("a?b", "more")
    assert files(notes_folder) == {
        "a b.md": "# a/b\n\nin a/b\n",
        "a b (2).md": "# a?b\n\nin a?b\n\nmore\n",
    }


@pytest.mark.parametrize(
    ("before", "added", "after"),
    [
        ("# T\n\none\n", "two", "# T\n\none\n\ntwo\n"),
        ("# T\n\n- one", "two", "# T\n\n- one\n- two\n"),
        ("# T\n\n- one\n\n", "- two\n- three", "# T\n\n- one\n- two\n- three\n"),
        ("# T\n\n* [x] one\n", "two", "# T\n\n* [x] one\n* [ ] two\n"),
        ("# T\n\n- one\n", "two\nlines", "# T\n\n- one\n\ntwo\nlines\n"),
        ("# T\r\n\r\none\r\n", "two\nlines", "# T\r\n\r\none\r\n\r\ntwo\r\nlines\r\n"),
        ("\ufeff# T\n", "é", "\ufeff# T\n\né\n"),
        ("", "first", "first\n"),
        ("**T**\n", "x", "**T**\n\nx\n"),
    ],
)
async def test_adding_keeps_the_notes_own_form(
    notes: NotesFolder, notes_folder: Path, before: str, added: str, after: str
) -> None:
    """A list gets its next point, a text a paragraph, in the note's own line ends."""
    make(notes_folder)
    path = notes_folder / "T.md"
    path.write_bytes(before.encode())
    path.chmod(0o644)
    await notes.append("t", added)
    assert path.read_bytes() == after.encode()
    assert path.stat().st_mode & 0o777 == 0o644


async def test_adding_finds_a_note_by_its_heading_or_file(
    notes: NotesFolder, notes_folder: Path
) -> None:
    """A heading is the title; without one the file's name is; folders within count."""
    (notes_folder / "house").mkdir(parents=True)
    (notes_folder / "house" / "2026.md").write_text("# Garage  door \n")
    (notes_folder / "plain.MD").write_text("text")
    assert (await notes.append("garage door", "oil")).path.name == "2026.md"
    assert (await notes.append("PLAIN", "x")).path.name == "plain.MD"
    assert (await notes.append("2026", "y")).title == "Garage door"


async def test_adding_to_none_or_several(notes: NotesFolder, notes_folder: Path) -> None:
    """A note that is not there is begun, and of two notes of one title none is changed."""
    make(notes_folder)
    for name in ("a", "b"):
        (notes_folder / f"{name}.md").write_text("# Twins\n")
    (notes_folder / "Shopping list.md").write_text("x")
    with pytest.raises(ActionError, match="2 notes are called"):
        await notes.append("twins", "x")
    action = AppendNote(notes)
    milk = action.checked({"title": "To buy", "text": "milk"})
    assert action.would(milk).endswith('to your note "To buy", or begin it if there is none')
    lines = [(await action.run(milk)).line for _ in range(2)]
    assert lines == ['Began a note called "To buy".', 'Added to the note "To buy".']
    assert files(notes_folder)["To buy.md"] == "# To buy\n\nmilk\n\nmilk\n"
    assert files(notes_folder)["a.md"] == files(notes_folder)["b.md"] == "# Twins\n"


async def test_no_link_leads_out(notes: NotesFolder, notes_folder: Path, tmp_path: Path) -> None:
    """A link to elsewhere is neither read nor changed; nor is what a folder's link leads to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.md"
    secret.write_text("# Secret\n\ncanary\n")
    make(notes_folder)
    (notes_folder / "link.md").symlink_to(secret)
    (notes_folder / "folder").symlink_to(outside)
    with pytest.raises(ActionError, match="leads out of the notes folder"):
        await notes.append("link", "x")
    assert (await notes.take("link", "x")).path.name == "link (2).md"
    assert (await notes.search("canary")).total == 0
    assert secret.read_text() == "# Secret\n\ncanary\n"
    inside = notes_folder / "inside.md"
    inside.symlink_to(notes_folder / "link (2).md")
    await notes.append("inside", "y")
    assert inside.is_symlink()


async def test_a_link_in_the_locks_place(
    notes: NotesFolder, notes_folder: Path, tmp_path: Path
) -> None:
    """A link where the lock belongs is not followed, and makes no file elsewhere."""
    make(notes_folder)
    (notes_folder / ".pace-notes.lock").symlink_to(tmp_path / "made")
    with pytest.raises(ActionError, match="cannot be used"):
        await notes.take("a", "x")
    assert not (tmp_path / "made").exists()


async def test_the_folder_itself_may_be_a_link(notes_folder: Path, tmp_path: Path) -> None:
    """A person may keep the folder elsewhere, and link it."""
    link(notes_folder, to=tmp_path / "real")
    await NotesFolder(lambda: notes_folder).take("a", "x")
    assert files(tmp_path / "real") == {"a.md": "# a\n\nx\n"}


async def test_odd_files_hold_up_nothing(notes: NotesFolder, notes_folder: Path) -> None:
    """Pipes, other encodings, hidden and huge files break neither a search nor another note."""
    (notes_folder / ".hidden").mkdir(parents=True)
    (notes_folder / ".hidden" / "a.md").write_text("word")
    (notes_folder / "utf16.md").write_text("word", encoding="utf-16")
    (notes_folder / "folder.md").mkdir()
    (notes_folder / "large.md").write_bytes(b"x" * 1_000_001)
    (notes_folder / "fine.md").write_text("a word")
    if hasattr(os, "mkfifo"):
        os.mkfifo(notes_folder / "pipe.md")
    assert [found.title for found in (await notes.search("word")).best] == ["fine"]
    with pytest.raises(ActionError, match="no UTF-8"):
        await notes.append("utf16", "x")
    with pytest.raises(ActionError, match="too large"):
        await notes.append("large", "x")


async def test_search(notes: NotesFolder, notes_folder: Path) -> None:
    """Every word must be there, in text or title; a title counts most, then the newer note."""
    make(notes_folder)
    texts = {
        "Garage": "The code is 42.",
        "House": "# House\n\nThe GARAGE door sticks. " + "More words. " * 50,
        "Garten": "Straße und Gärten",
    }
    for age, (name, text) in enumerate(texts.items()):
        path = notes_folder / f"{name}.md"
        path.write_text(text)
        os.utime(path, (1000 + age, 1000 + age))
    action = SearchNotes(notes)
    result = await action.run(action.checked({"query": "garage"}))
    assert result.line == 'Searched the notes for "garage"; found 2 notes.'
    assert result.shown.splitlines()[0] == "- Garage: The code is 42."
    assert result.shown.splitlines()[1].startswith("- House: The GARAGE door sticks.")
    assert len(result.shown) < 400
    for query, titles in (
        ("the garage door", ["House"]),
        ("STRASSE", ["Garten"]),
        ("what is the door of Rome", ["House"]),
        ("", ["Garten", "House", "Garage"]),
        ("zebra", []),
        ("...", ["Garten", "House", "Garage"]),
    ):
        assert [found.title for found in (await notes.search(query)).best] == titles


async def test_search_shows_ten(notes: NotesFolder, notes_folder: Path) -> None:
    """Of many notes the ten best are shown, and all are counted."""
    make(notes_folder)
    for number in range(25):
        (notes_folder / f"{number}.md").write_text("word \u202e\x1b[2J")
    search = await notes.search("word")
    assert (search.total, len(search.best)) == (25, 10)
    assert all(found.snippet.isprintable() for found in search.best)


async def test_search_without_a_folder(notes: NotesFolder, notes_folder: Path) -> None:
    """Looking for notes makes no folder."""
    action = SearchNotes(notes)
    assert (await action.run({"query": "x"})).line == 'Searched the notes for "x"; found none.'
    assert not is_there(notes_folder)


async def test_processes_take_turns(notes_folder: Path, tmp_path: Path) -> None:
    """Two programs that write at once lose nothing: each line and each note is there once."""
    make(notes_folder)
    (notes_folder / "Shared.md").write_text("- start\n")
    writers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, WRITER, notes_folder, who, "15"), cwd=tmp_path
        )
        for who in "ab"
    ]
    assert [await writer.wait() for writer in writers] == [0, 0]
    lines = (notes_folder / "Shared.md").read_text().splitlines()
    assert sorted(lines) == sorted(["- start", *(f"- {who}{n}" for who in "ab" for n in range(15))])
    taken = [text.split("\n\n")[1] for name, text in files(notes_folder).items() if "Same" in name]
    assert sorted(taken) == sorted(f"{who}{n}\n" for who in "ab" for n in range(15))


async def test_a_lock_that_is_never_given_up(notes_folder: Path) -> None:
    """Where another program never finishes, nothing is written and a sentence says so."""
    notes = NotesFolder(lambda: notes_folder, waits_for_others=0.0)
    await NotesFolder(lambda: notes_folder).take("a", "x")
    async with only_here(notes_folder / ".pace-notes.lock"):
        with pytest.raises(ActionError, match="Another Pace is writing"):
            await notes.take("b", "x")
    assert list(files(notes_folder)) == ["a.md"]


async def test_cancelled_while_it_waits(notes: NotesFolder, notes_folder: Path) -> None:
    """A turn that is stopped while another program writes has written nothing."""
    await notes.take("a", "x")
    async with only_here(notes_folder / ".pace-notes.lock"):
        run = asyncio.create_task(notes.append("a", "y"))
        await asyncio.sleep(0)
        run.cancel()
        await asyncio.wait([run])
    assert files(notes_folder) == {"a.md": "# a\n\nx\n"}


async def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """A file where the folder should be, or a path that cannot be made, is one sentence."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "notes", Path("/proc/none")):
        notes = NotesFolder(lambda place=place: place)  # type: ignore[misc]
        with pytest.raises(ActionError, match="Check it, or choose another"):
            await notes.take("a", "x")


async def test_a_change_of_the_folder_holds_at_once(tmp_path: Path) -> None:
    """The folder is asked for each time."""
    folders = [tmp_path / "one"]
    notes = NotesFolder(lambda: folders[-1])
    await notes.take("a", "x")
    folders.append(tmp_path / "two")
    await notes.take("a", "x")
    assert files(tmp_path / "one") == files(tmp_path / "two")


@pytest.mark.parametrize("title", ["", " ", "\u200b", "a\u202eb", "a\x00b", "x" * 81])
async def test_titles_that_cannot_be_seen_are_refused(notes: NotesFolder, title: str) -> None:
    """A title that is empty, hidden or endless is refused before anybody is asked."""
    for action in (TakeNote(notes), AppendNote(notes)):
        with pytest.raises(ActionRefusedError):
            action.checked({"title": title, "text": "x"})


FULL_DISK = """
import asyncio, resource, signal, sys
from pathlib import Path
from pace.actions.notes.folder import NotesFolder
from pace.errors import ActionError

async def main():
    notes = NotesFolder(lambda: Path(sys.argv[1]))
    await notes.take("a", "x")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
    for change in (notes.append("a", "y" * 9000), notes.take("b", "y" * 9000)):
        try:
            await change
        except ActionError as error:
            print(error)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no limit for the size of files")
async def test_what_cannot_be_written_whole_is_not_written(notes_folder: Path) -> None:
    """Where a disk takes no more, the old note stays as it was, and no half of one is left."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", FULL_DISK, notes_folder), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.decode().count("cannot be used (File too large)") == 2
    assert files(notes_folder) == {"a.md": "# a\n\nx\n"}
