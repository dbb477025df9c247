"""`pace actions` as a real process: what it lists, allows and does, and what it says of faults."""

import json
import signal
import tomllib
from pathlib import Path

import pytest

from actions.desktop import Desktop, recorded
from actions.mcp.served import write_servers
from doors.running import PACE, run_pace
from doors.terminal.pty_screen import Terminal

NOTE = ("take_note", "--args", json.dumps({"title": "Plans", "text": "Paint \x1b[2J."}))


def written(home: Path) -> dict[str, object]:
    settings: dict[str, object] = tomllib.loads((home / "settings.toml").read_text())["actions"]
    return settings


async def test_all_are_listed(tmp_path: Path) -> None:
    """Each action stands there with what it does, its risk, an example, and whether it asks."""
    await run_pace(tmp_path, "actions", "allow", "take_note")
    ended = await run_pace(tmp_path, "actions")
    lines = {line.split()[0]: line for line in ended.out.splitlines() if line}
    assert ended.status == 0
    assert lines["open_app"].split()[1:3] == ["yes", "low"]
    assert lines["take_note"].split()[1:3] == ["allowed", "low"]
    assert lines["list_timers"].split()[1:3] == ["no", "reads"]
    assert "Start the calculator." in lines["open_app"]
    assert ended.out.endswith("Actions are off. Switch them on with: pace actions on\n")


async def test_they_are_switched_on_and_off(tmp_path: Path) -> None:
    """The switch is in the settings file; where the environment comes first, that is said."""
    on = await run_pace(tmp_path, "actions", "on")
    assert on.out.startswith("Pace may act now.")
    assert written(tmp_path) == {"enabled": True}
    off = await run_pace(tmp_path, "actions", "off", env={"PACE_ACTIONS__ENABLED": "true"})
    assert written(tmp_path) == {"enabled": False}
    assert "PACE_ACTIONS__ENABLED in the environment" in off.out


async def test_what_is_allowed(tmp_path: Path) -> None:
    """Allowing and asking change one list in the settings file, each name once."""
    write_servers(tmp_path, {"Files": {"command": "x"}})
    for command, name, said in (
        ("allow", "take_note", "take_note runs without asking from now on."),
        ("allow", "take_note", "take_note runs without asking already."),
        ("allow", "list_timers", "list_timers only looks, and asks nobody anyway."),
        ("allow", "files_read", "files_read runs without asking from now on."),
        ("ask", "take_note", "take_note asks each time again."),
        ("ask", "take_note", "take_note was not allowed to run without asking."),
    ):
        ended = await run_pace(tmp_path, "actions", command, name)
        assert (ended.status, ended.err) == (0, "")
        assert ended.out.startswith(said)
    assert written(tmp_path) == {"allowed": "files_read"}
    listed = await run_pace(tmp_path, "actions")
    assert "Also allowed, and not among these: files_read" in listed.out


@pytest.mark.parametrize("command", ["allow", "ask", "run"])
async def test_a_name_that_is_none(tmp_path: Path, command: str) -> None:
    """A misspelt name changes nothing; the sentence names the nearest."""
    ended = await run_pace(tmp_path, "actions", command, "takenote")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "pace: There is no action 'takenote'. Did you mean take_note?\n"
    for name in ("no such, name", "nosuch", "nosuch_tool", "files_"):
        odd = await run_pace(tmp_path, "actions", command, name)
        assert (odd.status, odd.out) == (2, "")
        assert odd.err.startswith(f"pace: There is no action {name!r}.")
    assert not (tmp_path / "settings.toml").exists()


async def test_a_tool_of_a_server_is_tried_in_a_conversation(tmp_path: Path) -> None:
    """Whoever tries out a tool of an MCP server is told where it can be tried."""
    write_servers(tmp_path, {"Files": {"command": "x"}})
    ended = await run_pace(tmp_path, "actions", "run", "files_read")
    assert (ended.status, ended.out) == (2, "")
    assert "pace chat" in ended.err
    assert 'pace mcp check "Files"' in ended.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("{", "--args is no JSON."),
        ("[" * 100_000, "--args is no JSON."),
        ("[1]", "--args has to be a JSON object"),
        ("{}", 'take_note needs \'title\'. Give them like: --args \'{"title": "Meeting", '),
        ('{"title": "a", "text": 1}', "'text' of take_note must be a text."),
    ],
)
async def test_wrong_arguments(tmp_path: Path, arguments: str, sentence: str) -> None:
    """Arguments that cannot be are asked wrongly, and nothing is done."""
    ended = await run_pace(tmp_path, "actions", "run", "take_note", "--args", arguments, "--yes")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"pace: {sentence}")
    assert not (tmp_path / "data").exists()


async def test_where_nobody_can_be_asked(tmp_path: Path) -> None:
    """Without a terminal an action that asks is not done, unless it is allowed or sure."""
    refused = await run_pace(tmp_path, "actions", "run", *NOTE, given=b"y\n")
    assert (refused.status, refused.out) == (2, "")
    assert "Add --yes." in refused.err
    assert not (tmp_path / "data").exists()
    sure = await run_pace(tmp_path, "actions", "run", *NOTE, "--yes")
    await run_pace(tmp_path, "actions", "allow", "take_note")
    allowed = await run_pace(tmp_path, "actions", "run", *NOTE)
    reads = await run_pace(tmp_path, "actions", "run", "search_notes")
    assert sure.out.splitlines()[0] == 'Took a note called "Plans".'
    assert allowed.out.splitlines()[0] == 'Took a note called "Plans (2)".'
    assert reads.out.splitlines()[0] == "Searched the notes; found 2 notes."
    assert "\x1b" not in reads.out


def asking(home: Path) -> Terminal:
    return Terminal(str(PACE), ["actions", "run", *NOTE], columns=120, PACE_HOME=str(home))


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("n", False), ("", False)])
def test_it_asks_once(tmp_path: Path, answer: str, is_done: bool) -> None:  # noqa: FBT001
    """On a terminal one question says what would be done; whatever is not a yes is a no."""
    terminal = asking(tmp_path)
    terminal.see('Pace would take a note called "Plans": "Paint \\u001b[2J."')
    terminal.see("Do it? [y/N]")
    terminal.type(f"{answer}\r")
    assert terminal.wait_end() == 0
    assert ("Nothing was done." in terminal.all_text()) is not is_done
    assert (tmp_path / "data" / "notes" / "Plans.md").exists() is is_done
    terminal.close()


def test_the_question_can_be_interrupted(tmp_path: Path) -> None:
    """Ctrl-C at the question does nothing and ends the command."""
    terminal = asking(tmp_path)
    terminal.see("Do it? [y/N]")
    terminal.signal(signal.SIGINT)
    assert terminal.wait_end() == 130
    assert not (tmp_path / "data").exists()
    terminal.close()


async def test_notes_go_where_the_person_wants(tmp_path: Path) -> None:
    """The setting's folder holds the notes, from home if it begins with a tilde."""
    env = {"HOME": str(tmp_path), "PACE_ACTIONS__NOTES_FOLDER": "~/mine"}
    ended = await run_pace(tmp_path / "pace", "actions", "run", *NOTE, "--yes", env=env)
    assert ended.status == 0
    assert (tmp_path / "mine" / "Plans.md").is_file()


async def test_faults_are_sentences(tmp_path: Path, desktop: Desktop) -> None:
    """What could not be done is one sentence and status 1; what was, status 0."""
    run = ("actions", "run", "open_address", "--yes", "--args")
    missing = await run_pace(tmp_path, *run, '{"address": "~/none"}')
    assert (missing.status, missing.out) == (1, "")
    assert missing.err == "pace: ~/none cannot be found. Check its path.\n"
    record = desktop.add_recorder("xdg-open")
    done = await run_pace(tmp_path, *run, '{"address": "example.com"}')
    assert (done.status, done.out) == (0, "Opened example.com in your browser.\n")
    assert recorded(record) == ["https://example.com"]


async def test_a_timer_is_waited_for(tmp_path: Path) -> None:
    """A timer that is tried out rings before the command ends."""
    given = ("start_timer", "--args", '{"duration": "1 second"}', "--yes")
    ended = await run_pace(
        tmp_path, "actions", "run", *given, env={"DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"}
    )
    assert (ended.status, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "Started a timer of 1 second."
    assert "The timer of 1 second rings." in lines
    assert lines[-1].startswith("The desktop showed no notification")


def test_a_timer_that_ends_with_pace_is_told(tmp_path: Path) -> None:
    """Whoever interrupts the wait is told that the timer will not ring."""
    given = ["start_timer", "--args", '{"duration": "1 hour", "label": "tea"}', "--yes"]
    terminal = Terminal(str(PACE), ["actions", "run", *given], PACE_HOME=str(tmp_path))
    terminal.see("Pace waits until it rings")
    terminal.signal(signal.SIGINT)
    assert terminal.wait_end() == 130
    assert "This timer ends with Pace and will not ring: tea" in terminal.all_text()
    terminal.close()
