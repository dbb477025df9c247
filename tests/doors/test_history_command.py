"""`pace history`, as a person types it and as scripts call it."""

import asyncio
import json
import re
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from doors.running import FAULT, chat_server, machine, run_pace
from doors.terminal.pty_screen import Terminal
from journal.made import BEGAN, ONE, TWO, contents, everything_in, made, mode, opened
from pace.journal.rows import TurnStatus

PACE = Path(sys.executable).with_name("pace")
HOSTILE = "Hi \x1b[2K\x1b[1A\x1b]52;c;aGk=\x07\roverwritten \u202eright to left \x9b2J [bold]not[/]"
ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    """Two conversations, of which one was named and one ended."""
    home = tmp_path / "home"
    async with opened(home / "data" / "history.db") as history:
        await history.append(made("Where is the teal kettle?", "On the shelf.", session=ONE))
        await history.append(
            made(
                "And the lid? Nobody knows.",
                "Under the table.",
                session=ONE,
                at=BEGAN + timedelta(minutes=1),
                status=TurnStatus.INTERRUPTED,
            )
        )
        await history.append(
            made("明天去北京", "好的。", session=TWO, at=BEGAN + timedelta(days=1))
        )
        await history.end_session(ONE, "closed", BEGAN)
        await history.rename(TWO, "A journey")
    return home


@pytest.fixture
async def hostile(tmp_path: Path) -> Path:
    home = tmp_path / "hostile"
    async with opened(home / "data" / "history.db") as history:
        await history.append(made(HOSTILE, HOSTILE))
        await history.rename(ONE, HOSTILE)
    return home


def history_of(home: Path) -> Path:
    return home / "data" / "history.db"


# --- listing


async def test_list_is_by_conversation(home: Path) -> None:
    """The newest comes first, with id, day, turns, how it ended, and its name or first words."""
    ended = await run_pace(home, "history")
    assert (ended.status, ended.err) == (0, "")
    rows = [re.split(r"  +", line) for line in ended.out.splitlines()]
    assert rows == [
        ["ID", "LAST TURN", "TURNS", "ENDED", "CONVERSATION"],
        ["2222-two", "2026-06-02 12:00", "1", "open", "A journey"],
        ["1111-one", "2026-06-01 12:01", "2", "left", "Where is the teal kettle?"],
    ]


async def test_list_of_a_time(home: Path) -> None:
    """Days narrow the list, and a time without conversations is said."""
    env = {"TZ": "UTC"}
    first = await run_pace(home, "history", "--before", "2026-06-02", env=env)
    second = await run_pace(home, "history", "--since", "2026-06-02", env=env)
    none = await run_pace(home, "history", "--since", "2026-06-03", env=env)
    assert [line.split()[0] for line in first.out.splitlines()] == ["ID", "1111-one"]
    assert [line.split()[0] for line in second.out.splitlines()] == ["ID", "2222-two"]
    assert (none.status, none.out) == (0, "")
    assert "No conversation of that time" in none.err


async def test_older_ones_are_hinted_at(home: Path) -> None:
    """A list that was cut says how to see the rest."""
    ended = await run_pace(home, "history", "--limit", "1")
    assert [line.split()[0] for line in ended.out.splitlines()] == ["ID", "2222-two"]
    assert "--limit 10" in ended.err


async def test_empty_history_says_how_to_begin(tmp_path: Path) -> None:
    """Without a history nothing is made, and each command says so in a sentence."""
    home = tmp_path / "home"
    for arguments in ((), ("search", "kettle")):
        ended = await run_pace(home, "history", *arguments)
        assert (ended.status, ended.out) == (0, "")
        assert ended.err == "pace: Nothing is in the history. Begin with: pace chat\n"
    off = await run_pace(home, "history", env={"PACE_HISTORY__KEEP": "false"})
    assert "history.keep is off" in off.err
    assert not home.exists()


async def test_list_says_what_is_set(home: Path) -> None:
    """A retention, and a history that is off, are said below the list."""
    env = {"PACE_HISTORY__RETENTION_DAYS": "3650", "PACE_HISTORY__KEEP": "false"}
    ended = await run_pace(home, "history", env=env)
    assert "after 3,650 days" in ended.err
    assert "history.keep is off" in ended.err


async def test_retention_lets_go(home: Path) -> None:
    """What is older than wished is gone when the history is next asked for."""
    async with opened(history_of(home)) as history:
        await history.append(made("Long ago.", at=BEGAN - timedelta(days=4000)))
    env = {"PACE_HISTORY__RETENTION_DAYS": "3650"}
    await run_pace(home, "history", env=env)
    assert b"LONG AGO" not in everything_in(home)
    assert b"TEAL KETTLE" in everything_in(home)


@pytest.mark.parametrize("arguments", [("where",), ("--path",)])
async def test_where_the_file_is(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """The file's path is printed alone, also if there is none yet."""
    ended = await run_pace(tmp_path, "history", *arguments)
    assert (ended.status, ended.out) == (0, f"{history_of(tmp_path)}\n")


# --- searching and showing


async def test_search_says_where(home: Path) -> None:
    """What is found has its turn's number, its day, its conversation and a piece of the text."""
    ended = await run_pace(home, "history", "search", "KETTLE", "teal")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "1  2026-06-01 12:00  1111-one  Where is the teal kettle?",
        "    You   Where is the teal kettle?",
        "    Pace  On the shelf.",
    ]


@pytest.mark.parametrize(
    "text", ["don't", "AND", '"unclosed', "C++", "NEAR(", "b:milk", "--lid", "-5", "北京", "*x*"]
)
async def test_any_text_may_be_searched_for(home: Path, text: str) -> None:
    """Quotes, operators, dashes and Chinese are searched for as they are."""
    ended = await run_pace(home, "history", "search", text)
    assert ended.status == 0
    assert ("北京" in ended.out) == (text == "北京")
    assert ended.out or ended.err == "pace: Nothing in the history holds all of that.\n"


@pytest.mark.parametrize("text", ["", "*", "' '"])
async def test_search_for_no_word(home: Path, text: str) -> None:
    """A text without a word is asked wrongly."""
    ended = await run_pace(home, "history", "search", text)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "pace: There is no word to search for. Give one, or a number.\n"


async def test_show_by_number_and_by_id(home: Path) -> None:
    """A turn and a conversation are shown word for word, with what became of them."""
    turn = await run_pace(home, "history", "show", "2")
    talk = await run_pace(home, "history", "show", "1111")
    assert turn.out.splitlines() == [
        "Where is the teal kettle?",
        "1111-one, 2026-06-01 12:00, 2 turns, left",
        "",
        "2  2026-06-01 12:01 (interrupted)  embedded tiny",
        "You",
        "And the lid? Nobody knows.",
        "Pace",
        "Under the table.",
    ]
    assert "teal kettle" in talk.out
    assert talk.out.endswith(turn.out.split("\n", 2)[2])


WRONG = [
    ("--since", "tuesday"),
    ("--limit", "none"),
    ("--since", "2026-02-30"),
    ("search",),
    ("search", "x", "--before", "never"),
    ("show", "99"),
    ("show", "abc"),
    ("show", "nosuchid"),
    ("show",),
    ("export", "nosuchid"),
    ("export", "--format", "pdf"),
    ("export", "--output", "/nosuch/folder/x.md"),
    ("delete",),
    ("delete", "--all"),
    ("delete", "--all", "--turn", "1", "--yes"),
    ("delete", "--turn", "99", "--yes"),
    ("delete", "--turn", "one", "--yes"),
    ("delete", "--turn", "9" * 5000, "--yes"),
    ("show", "9" * 5000),
    ("--limit", "9" * 5000),
    ("delete", "--conversation", "9999", "--yes"),
    ("delete", "--before", "soon", "--yes"),
    ("rename", "9999", "x"),
    ("rename", "2222", "x" * 300),
    ("--since", "today", "search", "x"),
    ("nosuch",),
]


@pytest.mark.parametrize("arguments", WRONG, ids=lambda arguments: " ".join(arguments)[:40])
async def test_asked_wrongly_is_one_sentence(home: Path, arguments: tuple[str, ...]) -> None:
    """What cannot be is one sentence and status 2, and changes nothing."""
    before = contents(history_of(home))
    ended = await run_pace(home, "history", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert ended.err.startswith("pace: ")
    assert contents(history_of(home)) == before


async def test_conversation_is_renamed(home: Path) -> None:
    """A name is given, shown in the list, and taken away again."""
    named = await run_pace(home, "history", "rename", "1111", "All", "about kettles")
    assert named.out == "1111-one is now called All about kettles.\n"
    assert "All about kettles" in (await run_pace(home, "history")).out
    bare = await run_pace(home, "history", "rename", "1111")
    assert bare.out == "1111-one is called by its first words again.\n"
    assert "Where is the teal kettle?" in (await run_pace(home, "history")).out


# --- what is stored does nothing to a terminal

READING = [
    (),
    ("search", "hi"),
    ("show", "1"),
    ("export",),
    ("export", "--format", "markdown"),
    ("rename", "1111", "\x1b[2Jname"),
    ("delete", "--all", "--yes"),
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
async def test_stored_text_cannot_move_a_cursor(hostile: Path, arguments: tuple[str, ...]) -> None:
    """Nothing that is written holds a control character of a stored text."""
    ended = await run_pace(hostile, "history", *arguments)
    assert ended.status == 0
    assert not ESCAPES.search(ended.out + ended.err)


def test_found_words_stand_out_on_a_terminal(home: Path) -> None:
    """On a terminal what was found is marked by style; with NO_COLOR nothing is."""
    search = ["history", "search", "kettle"]
    for environment, styled in (({}, True), ({"NO_COLOR": "1"}, False)):
        terminal = Terminal(str(PACE), search, PACE_HOME=str(home), **environment)
        assert terminal.wait_end() == 0
        assert "teal kettle" in terminal.all_text()
        assert (b"\x1b[" in terminal.written) is styled
        assert bool(re.search(rb"\x1b\[[0-9;]*mkettle\x1b\[0m", terminal.written)) is styled
        terminal.close()


def test_terminal_gets_only_the_styles_of_pace(hostile: Path) -> None:
    """On a terminal, all escape codes are colours; none comes from a text."""
    for arguments in (["history"], ["history", "search", "hi"], ["history", "show", "1"]):
        terminal = Terminal(str(PACE), arguments, PACE_HOME=str(hostile))
        assert terminal.wait_end() == 0
        without_styles = re.sub(rb"\x1b\[[0-9;]*m", b"", terminal.written).decode()
        assert not ESCAPES.search(without_styles.replace("\r\n", "\n"))
        terminal.close()


# --- exporting


async def test_export_holds_everything(home: Path) -> None:
    """A JSON line has a turn's every field, and its words as they were said."""
    ended = await run_pace(home, "history", "export")
    first, second, third = [json.loads(line) for line in ended.out.splitlines()]
    assert first == {
        "number": 1,
        "turn": first["turn"],
        "session": "1111-one",
        "thread": "thread",
        "source": "chat",
        "planner": "embedded",
        "model": "tiny",
        "said_at": "2026-06-01T12:00:00+00:00",
        "status": "answered",
        "user": "Where is the teal kettle?",
        "reply": "On the shelf.",
    }
    assert (second["status"], third["user"]) == ("interrupted", "明天去北京")
    assert "明天去北京" in ended.out


async def test_export_is_word_for_word(hostile: Path) -> None:
    """What is shown as an escape in a JSON line is read back as what was said."""
    ended = await run_pace(hostile, "history", "export")
    assert json.loads(ended.out)["user"] == HOSTILE


async def test_markdown_is_to_be_read(home: Path) -> None:
    """Conversations are headings, turns have their day and mark, and texts are quoted."""
    ended = await run_pace(home, "history", "export", "1111", "--format", "markdown")
    assert ended.out.startswith(
        "# Where is the teal kettle?\n\n## 1 · 2026-06-01 12:00\n\n**You**\n\n"
        "> Where is the teal kettle?\n\n**Pace**\n\n> On the shelf.\n\n"
        "## 2 · 2026-06-01 12:01 (interrupted)\n"
    )
    assert "北京" not in ended.out


async def test_export_to_a_private_file(home: Path, tmp_path: Path) -> None:
    """A file is its person's alone, is not replaced unless told to, and its ending says how."""
    file = tmp_path / "talk.md"
    first = await run_pace(home, "history", "export", "--output", str(file))
    assert first.out == f"3 turns written to {file}\n"
    assert mode(file) == 0o600
    before = contents(file)
    assert before.startswith(b"# Where")
    again = await run_pace(home, "history", "export", "2222", "--output", str(file))
    assert (again.status, again.out) == (2, "")
    assert "--force" in again.err
    assert contents(file) == before
    forced = await run_pace(home, "history", "export", "2222", "--output", str(file), "--force")
    assert forced.status == 0
    assert contents(file).startswith(b"# A journey")


# --- deleting


@pytest.mark.parametrize(
    ("which", "left"),
    [
        (("--turn", "1"), ["And the lid? Nobody knows.", "明天去北京"]),
        (("--conversation", "1111"), ["明天去北京"]),
        (("--before", "2026-06-02"), ["明天去北京"]),
        (("--all",), []),
    ],
    ids=" ".join,
)
async def test_what_is_deleted_is_gone(home: Path, which: tuple[str, ...], left: list[str]) -> None:
    """After the command no byte of the words is in any file, and the rest is there."""
    ended = await run_pace(home, "history", "delete", *which, "--yes", env={"TZ": "UTC"})
    assert ended.status == 0
    assert ended.out.startswith("Deleted ")
    assert b"KETTLE" not in everything_in(home)
    exported = (await run_pace(home, "history", "export")).out
    assert [json.loads(line)["user"] for line in exported.splitlines()] == left


@pytest.mark.parametrize(("answer", "is_deleted"), [("y", True), ("n", False), ("", False)])
def test_deleting_asks_once(home: Path, answer: str, is_deleted: bool) -> None:  # noqa: FBT001
    """On a terminal one question says what will go; whatever is not a yes is a no."""
    terminal = Terminal(str(PACE), ["history", "delete", "--all"], PACE_HOME=str(home))
    terminal.see("Delete the whole history (3 turns) for good? [y/N]")
    terminal.type(f"{answer}\r")
    assert terminal.wait_end() == 0
    assert ("Nothing was deleted" in terminal.all_text()) is not is_deleted
    assert (b"KETTLE" in everything_in(home)) is not is_deleted
    terminal.close()


# --- what a real conversation leaves


def folders_with(word: bytes, *folders: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and word in path.read_bytes().upper()
    }


async def test_words_are_in_the_journal_and_nowhere_else(tmp_path: Path) -> None:
    """A word that was said and then summarized is on disk in the journal's own files alone.

    After it was deleted it is in no byte of any file, while the conversation still goes on.
    """
    home, temp = tmp_path / "home", tmp_path / "temp"
    temp.mkdir()
    env = {"HOME": str(home), "TMPDIR": str(temp), "XDG_CACHE_HOME": str(home / "cache")}
    async with (
        chat_server() as server,
        machine(home, server, "--window", "1", env=env) as pace,
    ):
        await pace.say("My code word is Quvyxzjekk, at gate 417.")
        await pace.say("And now?")
        memory = await pace.command("settle")
        assert "Quvyxzjekk" in memory["summary"]
        await pace.say("Thank you.")
        holding = folders_with(b"QUVYXZJEKK", home, temp)
        assert holding
        assert holding <= {"data/history.db", "data/history.db-wal", "data/history.db-shm"}
        deleted = await run_pace(home, "history", "delete", "--turn", "1", "--yes", env=env)
        assert (deleted.status, deleted.out.split(";")[0]) == (0, "Deleted 1 turn")
        assert "goes on remembering" in deleted.err
        assert folders_with(b"QUVYXZJEKK", home, temp) == set()
        await pace.say("One more.")
        assert (await pace.end())[0] == 0
    assert folders_with(b"QUVYXZJEKK", home, temp) == set()
    assert folders_with(b"UVYXZJ", home, temp) == set()
    assert b"ONE MORE" in everything_in(home)


async def test_summary_is_never_written(tmp_path: Path) -> None:
    """The history holds the turns as they were said, their ends, and no word of a summary."""
    async with (
        chat_server("Noted.", FAULT, "Gate 417.") as server,
        machine(tmp_path, server, "--window", "1") as pace,
    ):
        await pace.say("I take flight 417.")
        await pace.say("Delete my alarms.")
        await pace.say("Which gate?")
        await pace.command("settle")
        await pace.command("reset")
        await pace.end()
    exported = (await run_pace(tmp_path, "history", "export")).out
    turns = [json.loads(line) for line in exported.splitlines()]
    assert [(turn["user"], turn["reply"], turn["status"]) for turn in turns] == [
        ("I take flight 417.", "Noted.", "answered"),
        ("Delete my alarms.", "", "failed"),
        ("Which gate?", "Gate 417.", "answered"),
    ]
    assert b"CONVERSATION_SO_FAR" not in everything_in(tmp_path)
    assert (await run_pace(tmp_path, "history")).out.splitlines()[1].split()[3:5] == ["3", "reset"]


@pytest.mark.parametrize(
    ("flags", "env"),
    [(("--no-history",), {}), ((), {"PACE_HISTORY__KEEP": "false"})],
    ids=["flag", "setting"],
)
async def test_history_that_is_off_writes_nothing(
    tmp_path: Path, flags: tuple[str, ...], env: dict[str, str]
) -> None:
    """With the flag or the setting, a conversation leaves no file at all."""
    home, temp = tmp_path / "home", tmp_path / "temp"
    temp.mkdir()
    env = {**env, "TMPDIR": str(temp)}
    async with chat_server() as server, machine(home, server, *flags, env=env) as pace:
        await pace.say("My code word is Quvyxzjekk.")
        await pace.command("reset")
        await pace.say("Once more.")
        assert (await pace.end())[0] == 0
    assert folders_with(b"QUVYXZJEKK", home, temp) == set()
    assert not (home / "data").exists()


async def test_help_is_quick_to_import() -> None:
    """The command line's help needs neither database nor tables."""
    code = (
        "import sys\nfrom pace.doors.cli.main import run\nrun(['history', '--help'])\n"
        "print([name for name in ('sqlite3', 'rich', 'pydantic') if name in sys.modules])"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.decode().splitlines()[-1] == "[]"
