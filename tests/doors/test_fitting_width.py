"""Tables and sentences on a terminal: no line is wider than it, and no word is broken."""

import pytest

from doors.running import PACE
from doors.terminal.pty_screen import Terminal
from pace.doors.cli.fitting_width import sentence_lines, table_lines

HEADS = ("", "NAME", "HERE NOW", "WORDS GO TO", "")
ROWS = (
    ("*", "embedded", "yes", "this machine", "Qwen2.5 1.5B is here"),
    ("", "local", "yes", "this machine", "LM Studio at http://127.0.0.1:1234/v1: a, b and 3 more"),
    ("", "codex", "no", "OpenAI", "the program codex is not installed"),
)
SENTENCE = (
    "Every message, and the summary of the conversation, go to api.anthropic.com, under its terms."
)


@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_a_table_keeps_to_the_width(width: int) -> None:
    """Its columns are narrowed between words; where they cannot be, each row is a paragraph."""
    lines = table_lines(HEADS, ROWS, width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    for row in ROWS:
        assert all(word in " ".join(words) for cell in row for word in cell.split())


def test_a_program_reads_each_row_in_one_line() -> None:
    """Where nobody looks, nothing is broken."""
    lines = table_lines(HEADS, ROWS, None)
    assert len(lines) == 1 + len(ROWS)
    assert lines[2].endswith("LM Studio at http://127.0.0.1:1234/v1: a, b and 3 more")
    assert sentence_lines(SENTENCE, None) == [SENTENCE]


@pytest.mark.parametrize("width", [80, 60, 40])
def test_a_sentence_keeps_to_the_width(width: int) -> None:
    """It is broken between words, and nothing of it is lost."""
    lines = sentence_lines(SENTENCE, width)
    assert max(map(len, lines)) <= width
    assert " ".join(lines) == SENTENCE


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("command", [("settings",), ("tier",), ("tier", "nobody")])
def test_commands_ask_the_terminal_for_its_width(tmp_path, command, columns) -> None:
    """What is shown keeps to it, tables and errors alike."""
    terminal = Terminal(
        *(str(PACE), list(command)), columns=columns, PACE_HOME=str(tmp_path), PATH="/nonexistent"
    )
    try:
        terminal.wait_end()
        written = terminal.written.decode().replace("\r\n", "\n")
    finally:
        terminal.close()
    assert written.strip()
    paths = str(tmp_path)
    assert all(len(line) < columns or paths in line for line in written.split("\n"))
