"""Opening addresses: what the opener is handed, what is refused, and what is said of faults."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.desktop import Desktop, recorded
from pace.actions.opening.addresses import Address, address_of
from pace.actions.opening.open_address import OpenAddress
from pace.actions.opening.opener import Opener
from pace.errors import ActionError, ActionRefusedError, ActionUncertainError
from planners.processes import wait_died

ACTION = OpenAddress(Opener())


async def opened(address: str, action: OpenAddress = ACTION) -> str:
    return (await action.run(action.checked({"address": address}))).line


@pytest.mark.parametrize(
    ("given_address", "handed_over", "said"),
    [
        ("https://example.com", "https://example.com", "example.com"),
        ("HTTP://Example.COM/A b?q=ü#x", "http://example.com/A%20b?q=%C3%BC#x", None),
        ("example.com", "https://example.com", "example.com"),
        ("example.com:8080/x", "https://example.com:8080/x", "example.com:8080/x"),
        ("localhost:3000", "http://localhost:3000", "localhost:3000"),
        ("https://[::1]:8000/", "https://[::1]:8000/", "[::1]:8000"),
        # The first letter is Cyrillic; browsers tell such hosts apart in this way, too.
        ("https://еxample.com", "https://xn--xample-2of.com", "xn--xample-2of.com"),
    ],
)
async def test_web_addresses(
    desktop: Desktop, given_address: str, handed_over: str, said: str | None
) -> None:
    """A web address goes to the opener as one argument, and the question names the real host."""
    record = desktop.add_recorder("xdg-open")
    line = await opened(given_address)
    assert recorded(record) == [handed_over]
    if said is not None:
        assert line == f"Opened {said} in your browser."


async def test_nothing_is_read_by_a_shell(desktop: Desktop, tmp_path: Path) -> None:
    """Signs that mean something to a shell reach the opener as they are, and do nothing."""
    record = desktop.add_recorder("xdg-open")
    trap = tmp_path / "trap"
    await opened(f"https://example.com/$(touch${{IFS}}{trap});`touch${{IFS}}{trap}`&'\"|x")
    (argument,) = recorded(record)
    assert argument.startswith("https://example.com/$(touch$")
    assert not trap.exists()


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd"),
        *("vbscript:x", "ms-settings:x", "smb://host/share", "ftp://example.com", "view-source:x"),
        *("http://[v1.a:$(id)]/", "http://[::1%$(id)]/", "http://[::1]x/", "http://[1.2.3.4]/"),
        *("/\\host\\share", "\\/host/share", "~/\\\\host\\share", "~\\//host/share", "~///host/x"),
        *("//host/share", "\\\\host\\share", "https://user:word@example.com", "me@example.com"),
        *("https://example.com\\@evil.example", "https://", "https:example.com", "https:///x"),
        *("https://exa%6dple.com", "https://a..b", "https://example.com:99999", "http://a b.com"),
        *("https://example.com/\u202egnp.exe", "https://ex\u200bample.com", "exam\x00ple.com"),
        *("https://-x.com", "https://[::1", "", " ", "https://example.com/" + "x" * 2000),
    ],
)
async def test_what_is_no_web_address_is_refused(desktop: Desktop, address: str) -> None:
    """Other schemes, other machines' folders and hosts that pretend are refused, unopened."""
    record = desktop.add_recorder("xdg-open")
    with pytest.raises(ActionRefusedError):
        await opened(address)
    assert not record.exists()


async def test_files_and_folders(desktop: Desktop) -> None:
    """A path is opened by its whole name; one that is not whole begins at home."""
    record = desktop.add_recorder("xdg-open")
    folder = desktop.home / "Documents"
    folder.mkdir()
    report = folder / "-report; x.pdf"
    report.write_bytes(b"%PDF-1.7")
    for address, target in (
        ("~/Documents", folder),
        ("Documents", folder),
        ("Documents/-report; x.pdf", report),
        (str(report), report),
        ("~", desktop.home),
    ):
        await opened(address)
        assert recorded(record) == [str(target)]


async def test_a_file_at_home_is_no_web_address(desktop: Desktop) -> None:
    """A name with a dot is a file if there is one at home, else a host."""
    record = desktop.add_recorder("xdg-open")
    (desktop.home / "notes.md").write_text("x")
    await opened("notes.md")
    assert recorded(record) == [str(desktop.home / "notes.md")]
    await opened("other.md")
    assert recorded(record) == ["https://other.md"]


@pytest.mark.parametrize(
    "name",
    [
        *("x.desktop", "x.exe", "x.EXE", "x.sh", "x.sh. .", "x.AppImage", "x.app", "x.lnk", "x.py"),
        *("report.pdf.exe", "x.jar", "x.reg", "x.url", "x.webloc", "x.command", "x.ps1", ".bat"),
        *("x.kdelnk", "x.ahk"),
    ],
)
async def test_programs_are_refused_by_name(desktop: Desktop, name: str) -> None:
    """What a desktop would run is refused before anybody is asked."""
    with pytest.raises(ActionRefusedError, match="program"):
        ACTION.checked({"address": str(desktop.home / name)})


@pytest.mark.parametrize(
    "content",
    [
        *(b"\x7fELF\x02", b"MZ\x90", b"#!/bin/sh\n", b"\n# x\n[Desktop Entry]\nExec=x"),
        *(b"\xef\xbb\xbf#!/bin/sh\n", b"# x\n" * 9000 + b"[Desktop Entry]\nExec=x"),
    ],
)
async def test_programs_are_refused_by_content(desktop: Desktop, content: bytes) -> None:
    """A program under a document's name, or reached through a link, is refused, too."""
    record = desktop.add_recorder("xdg-open")
    hidden = desktop.home / "letter"
    hidden.write_bytes(content)
    link = desktop.home / "letter.pdf"
    link.symlink_to(hidden)
    for path in (hidden, link):
        with pytest.raises(ActionRefusedError, match="program"):
            await opened(str(path))
    assert not record.exists()


async def test_what_a_link_leads_to_counts(desktop: Desktop) -> None:
    """A link named like a document that leads to a program's name is refused."""
    desktop.add_recorder("xdg-open")
    target = desktop.home / "x.desktop"
    target.write_text("")
    link = desktop.home / "letter.txt"
    link.symlink_to(target)
    with pytest.raises(ActionRefusedError, match="program"):
        await opened(str(link))


async def test_what_is_not_there_is_said(desktop: Desktop) -> None:
    """A missing file, a loop of links and a pipe are errors of one sentence, and not opened."""
    record = desktop.add_recorder("xdg-open")
    (desktop.home / "loop").symlink_to(desktop.home / "loop")
    os.mkfifo(desktop.home / "pipe")
    for name in ("missing", "loop", "pipe"):
        with pytest.raises(ActionError, match=f"~/{name}"):
            await opened(f"~/{name}")
    assert not record.exists()


async def test_openers_faults_are_said(desktop: Desktop) -> None:
    """An opener that fails is an error; so are a missing one and a missing screen."""
    desktop.add_recorder("xdg-open", status=3)
    with pytest.raises(ActionError, match=r"No app here opens example\.com"):
        await opened("https://example.com")
    desktop.add_recorder("xdg-open", status=4)
    with pytest.raises(ActionError, match="status 4"):
        await opened("https://example.com")


async def test_without_xdg_open(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without xdg-open it is gio that opens; without both, the sentence says what to install."""
    monkeypatch.setenv("PATH", str(desktop.programs))
    with pytest.raises(ActionError, match="Install the package xdg-utils"):
        await opened("https://example.com")
    desktop.add("gio", f"echo \"$@\" > '{desktop.home}/gio'")
    await opened("https://example.com")
    assert (desktop.home / "gio").read_text() == "open https://example.com\n"


async def test_without_a_screen(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no screen, no browser of text takes over the terminal."""
    record = desktop.add_recorder("xdg-open")
    monkeypatch.delenv("DISPLAY")
    with pytest.raises(ActionError, match="no screen"):
        await opened("https://example.com")
    assert not record.exists()


async def test_an_opener_that_hangs_is_uncertain(desktop: Desktop) -> None:
    """An opener that does not come back may have opened it; it is left alone, and so it is said."""
    said, word = desktop.add_hanging("xdg-open")
    with pytest.raises(ActionUncertainError, match="may have been opened or not"):
        await opened("https://example.com", OpenAddress(Opener(answers_within=0.0)))
    process_id = int(await asyncio.to_thread(said.read_text))
    await asyncio.to_thread(word.write_text, "go\n")
    await wait_died(process_id)


async def test_cancelled_it_ends_the_opener(desktop: Desktop) -> None:
    """A turn that is stopped while the opener works ends the opener."""
    said, _ = desktop.add_hanging("xdg-open")
    run = asyncio.create_task(opened("https://example.com"))
    process_id = int(await asyncio.to_thread(said.read_text))
    run.cancel()
    with suppress(asyncio.CancelledError):
        await run
    await wait_died(process_id)


@given(st.text())
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """Whatever is given, it is refused with a sentence, or is http, https or a whole path."""
    try:
        address = address_of(text)
    except ValueError:
        return
    assert_openable(address)
    assert address_of(address.text) == address


@given(st.text(alphabet="htps:/@\\.ex~%?#[]0 \u202e", max_size=30))
def test_near_addresses_are_addresses_or_refused(text: str) -> None:
    """The same for what is nearly an address."""
    test_any_text_is_an_address_or_refused.hypothesis.inner_test(text)


def assert_openable(address: Address) -> None:
    assert address.text.isprintable()
    assert address.said.isprintable()
    if address.is_web:
        assert address.text.startswith(("http://", "https://"))
        assert "@" not in urlsplit(address.text).netloc
    else:
        assert Path(address.text).is_absolute()
