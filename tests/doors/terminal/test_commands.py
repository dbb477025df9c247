import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from pace.doors.cli.terminal.commands import COMMANDS, Asked, Message, Mistaken, parse
from pace.doors.cli.terminal.completing import CommandCompleter


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_known_by_its_name(command):
    """A command with what it takes is that command, whatever the case of its letters."""
    rest = command.takes.strip("[]")
    assert parse(f"/{command.name.upper()} {rest}") == Asked(command.name, rest)


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("hello /memory", Message("hello /memory")),
        ("//memory is a command", Message("/memory is a command")),
        ("/usr/bin/env is where?", Message("/usr/bin/env is where?")),
        ("/mem", Asked("memory", "")),
        ("/file ~/a b.txt ", Asked("file", "~/a b.txt")),
        (
            "/settings planner.instructions Be brief.",
            Asked("settings", "planner.instructions Be brief."),
        ),
    ],
)
def test_what_a_line_means(line, meaning):
    """Two slashes send one, a path is a message, a clear beginning is enough."""
    assert parse(line) == meaning


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("/memroy", "Did you mean /memory?"),
        ("/re", "Did you mean /re"),
        ("/", "A command follows the slash."),
        ("/xyzzy", "/help lists them."),
        ("/undo twice", "/undo takes nothing after it."),
    ],
)
def test_a_mistake_gets_a_sentence(line, part):
    """An unknown or overfull command is named, with the nearest one or the next step."""
    mistaken = parse(line)
    assert isinstance(mistaken, Mistaken)
    assert part in mistaken.sentence


def completions(text):
    completer = CommandCompleter({"remember": lambda: (("on", "remember"), ("off", "forget"))})
    return [c.text for c in completer.get_completions(Document(text), CompleteEvent())]


def test_commands_are_completed_with_what_they_take():
    """A slash offers every command, and a space after one what it may be given."""
    assert len(completions("/")) == len(COMMANDS)
    assert completions("/wi") == ["/window "]
    assert completions("/remember o") == ["on", "off"]


@pytest.mark.parametrize("text", ["hello", "//mem", "/mem\nory"])
def test_messages_are_not_completed(text):
    """Only a single line that begins with one slash is a command."""
    assert completions(text) == []


def test_paths_are_completed(tmp_path):
    """/file offers the files of a folder."""
    (tmp_path / "notes.txt").write_text("x")
    assert completions(f"/file {tmp_path}/no") == ["tes.txt"]
