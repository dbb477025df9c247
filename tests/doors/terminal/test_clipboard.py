import base64
import stat

import pytest

from pace.doors.cli.terminal.clipboard import copy_text


async def test_the_terminal_is_asked_to_copy():
    """The text goes to the terminal as OSC 52, encoded, so that nothing in it ends the sequence."""
    sent = []
    assert await copy_text("a\x07b\x1b]é", sent.append, {})
    (sequence,) = sent
    assert sequence.startswith("\x1b]52;c;")
    assert sequence.endswith("\x07")
    assert base64.b64decode(sequence[7:-1]).decode() == "a\x07b\x1b]é"


@pytest.mark.parametrize("variable", ["WAYLAND_DISPLAY", "DISPLAY"])
async def test_a_desktops_tool_gets_the_text(tmp_path, variable):
    """Where there is a desktop, its own tool is given the text, too."""
    name = "wl-copy" if variable == "WAYLAND_DISPLAY" else "xclip"
    tool = tmp_path / name
    tool.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/copied\n")
    tool.chmod(stat.S_IRWXU)
    assert await copy_text("words", [].append, {variable: "0", "PATH": str(tmp_path)})
    assert (tmp_path / "copied").read_text() == "words"


async def test_a_text_too_long_for_terminals_says_so_without_a_tool():
    """What terminals would drop is not sent, and nobody is told that it was copied."""
    sent = []
    assert not await copy_text("x" * 200_000, sent.append, {})
    assert sent == []
