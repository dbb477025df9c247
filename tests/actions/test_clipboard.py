"""The clipboard: what goes in comes out, and what is said where there is none."""

import asyncio
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from actions.desktop import Desktop
from pace.actions.clipboard.read_clipboard import ReadClipboard
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.clipboard.write_clipboard import WriteClipboard
from pace.errors import ActionError, ActionUncertainError
from planners.processes import wait_died

READ = ReadClipboard(SystemClipboard())
WRITE = WriteClipboard(SystemClipboard())


async def test_what_goes_in_comes_out(desktop: Desktop) -> None:
    """Any text survives, line ends and all; the remembered lines hold its length alone."""
    kept = desktop.add_clipboard()
    text = "naïve 🌍 $(id)\n\ttwo  \n"
    written = await WRITE.run(WRITE.checked({"text": text}))
    assert kept.read_text() == text
    read = await READ.run(READ.checked({}))
    assert read.shown == text
    assert written.line == f"Put {len(text)} characters into the clipboard."
    assert read.line == f"Read the clipboard: {len(text)} characters."


async def test_an_empty_clipboard(desktop: Desktop) -> None:
    """Nothing in it is no error, and nothing is shown."""
    desktop.add_clipboard()
    result = await READ.run({})
    assert (result.line, result.shown) == ("Read the clipboard; there is no text in it.", "")


async def test_a_long_text_is_shown_in_part(desktop: Desktop) -> None:
    """Of a long text the beginning is shown, and how much more there is."""
    desktop.add_clipboard().write_text("x" * 1_000_000)
    result = await READ.run({})
    assert result.shown == "x" * 4000 + "\n[996,000 more characters]"
    assert result.line == "Read the clipboard: 1,000,000 characters."


async def test_an_endless_text_is_not_read(desktop: Desktop) -> None:
    """What goes on and on is read to a limit, and refused in a sentence."""
    desktop.add("xclip", "exec cat /dev/zero")
    with pytest.raises(ActionError, match=r"more in the clipboard than Pace reads \(4 MB\)"):
        await READ.run({})


async def test_a_program_that_fails_is_no_success(desktop: Desktop) -> None:
    """Where the desktop's own program fails, nothing is said to be read or written."""
    desktop.add("xclip", 'cat > /dev/null; echo "Error: Can\'t open display: :99" >&2; exit 1')
    for run in (READ.run({}), WRITE.run({"text": "x"})):
        with pytest.raises(ActionError, match="Is there a screen at :99") as failed:
            await run
        assert not isinstance(failed.value, ActionUncertainError)


@pytest.mark.skipif(shutil.which("xclip") is None, reason="xclip is not installed")
async def test_the_real_program_without_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with xclip itself, at a screen that is not there."""
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for run in (READ.run({}), WRITE.run({"text": "x"})):
        with pytest.raises(ActionError, match="Is there a screen at :4711"):
            await run


async def test_the_text_is_in_no_argument(desktop: Desktop, tmp_path: Path) -> None:
    """The text goes through pipes; nobody reads it in a list of processes."""
    seen = tmp_path / "seen"
    desktop.add("xclip", f"ps -eo args >> '{seen}' 2>&1\ncat > /dev/null")
    await WRITE.run({"text": "canary-word"})
    assert seen.exists()
    assert "canary-word" not in seen.read_text()


@pytest.mark.parametrize(
    ("screen", "step"),
    [("WAYLAND_DISPLAY", "wl-clipboard"), ("DISPLAY", "xclip"), ("", "no screen")],
)
async def test_without_a_clipboard(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch, screen: str, step: str
) -> None:
    """Where no clipboard can be reached, the sentence says what to install."""
    monkeypatch.delenv("DISPLAY")
    if screen:
        monkeypatch.setenv(screen, "x")
    monkeypatch.setenv("PATH", str(desktop.programs))
    for run in (READ.run({}), WRITE.run({"text": "x"})):
        with pytest.raises(ActionError, match=step):
            await run


async def test_a_clipboard_that_hangs(desktop: Desktop) -> None:
    """What hangs is ended; after a read nothing was done, after a write nobody knows."""
    desktop.add("xclip", "exec sleep 600")
    hasty = SystemClipboard(answers_within=0.0)
    with pytest.raises(ActionError, match="did not answer") as failed:
        await ReadClipboard(hasty).run({})
    assert not isinstance(failed.value, ActionUncertainError)
    with pytest.raises(ActionUncertainError, match="may be in it or not"):
        await WriteClipboard(hasty).run({"text": "x"})


@pytest.mark.parametrize("action", [READ, WRITE])
async def test_cancelled_it_ends_what_hangs(
    desktop: Desktop, action: ReadClipboard | WriteClipboard
) -> None:
    """A turn that is stopped while the clipboard hangs ends the program that waits for it."""
    said, _ = desktop.add_hanging("xclip")
    arguments = {"text": "x"} if action is WRITE else {}
    run = asyncio.create_task(action.run(arguments))
    process_id = int(await asyncio.to_thread(said.read_text))
    run.cancel()
    with suppress(asyncio.CancelledError):
        await run
    await wait_died(process_id)


async def test_modules_of_the_folder_are_not_taken(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file named like a module, in the folder that Pace runs in, is not run."""
    desktop.add_clipboard().write_text("copied")
    (tmp_path / "pyperclip.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert (await READ.run({})).shown == "copied"


@pytest.mark.skipif(sys.platform == "linux", reason="needs a desktop's own clipboard")
async def test_the_real_clipboard() -> None:
    """On systems whose clipboard is always there, a text goes in and comes out."""
    await WRITE.run({"text": "Pace was here"})
    assert (await READ.run({})).shown == "Pace was here"
