"""The window's server without a browser: who gets what from it, and how it begins and ends."""

import asyncio
import logging
import os
import signal
import stat
import sys
from pathlib import Path

import pytest
from nicegui import __version__

from doors.running import environment, run_pace
from doors.sockets import ask, upgrade
from doors.test_embedded_chat import folders
from pace.doors.web.address import listening_at
from pace.doors.web.own_logs import faults_told
from pace.errors import SettingsError
from planners.processes import command_line, engines
from web.scripted import Scripted
from web.window_process import FAULTY, RunningWindow, running_window

FRAMEWORK = f"/_nicegui/{__version__}"
PATHS = [
    *("/", "/conversations", "/settings", "/static/window.js", "/static/connection.css"),
    *("/favicon.ico", f"{FRAMEWORK}/static/nicegui.js", "/docs", "/openapi.json", "/nothing"),
]
EVERYWHERE = "0.0.0.0"  # noqa: S104  # what it says of it is tested
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
POLLING = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
# Starts the command in a world where a module cannot be imported.
_WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "nicegui":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
sys.argv = ["pace", "web", "--no-open", "--port", "0"]
from pace.doors.cli.start import main
main()
"""


def let_in(window: RunningWindow) -> list[tuple[str, str]]:
    """The headers of a browser that was let in."""
    return [("Host", f"127.0.0.1:{window.port}"), ("Cookie", window.cookie)]


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_is_given_without_the_cookie(window: RunningWindow, path: str) -> None:
    """No page, no static file, not even that something is not there."""
    host = [("Host", f"127.0.0.1:{window.port}")]
    assert (await ask(window.port, path, host)).status == 403
    wrong = [*host, ("Cookie", f"pace-{window.port}=wrong")]
    assert (await ask(window.port, path, wrong)).status == 403


async def test_the_websocket_is_closed_without_the_cookie(window: RunningWindow) -> None:
    """Neither without it, nor for another site's page, nor under another name; else it opens."""
    own = let_in(window)
    assert (await upgrade(window.port, SOCKET, own)).status == 101
    assert (await upgrade(window.port, SOCKET, own[:1])).status == 403
    for more in [("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site")]:
        assert (await upgrade(window.port, SOCKET, [*own, more])).status == 403
    evil = [("Host", f"evil.example:{window.port}"), own[1]]
    assert (await upgrade(window.port, SOCKET, evil)).status == 403


async def test_the_framework_s_other_way_is_closed(window: RunningWindow) -> None:
    """What is said comes over the websocket alone: polling gets nothing, with the cookie too."""
    own = let_in(window)
    assert (await ask(window.port, POLLING, own)).status == 404
    plain = [*own, ("Content-Type", "text/plain")]
    assert (await ask(window.port, POLLING, plain, method="POST", body="4x")).status == 415


async def test_a_foreign_post_reaches_no_model(window: RunningWindow, model: Scripted) -> None:
    """A form, a plain text and JSON from elsewhere are refused, and the model is not asked."""
    before = len(model.sent)
    body = '{"text": "hi"}'
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/json"):
        headers = [
            *let_in(window),
            *[("Content-Type", content_type), ("Origin", "https://evil.example")],
        ]
        answer = await ask(window.port, "/", headers, method="POST", body=body)
        assert answer.status == 403
    assert len(model.sent) == before


@pytest.mark.parametrize(
    "path",
    [
        *("/docs", "/redoc", "/openapi.json", f"{FRAMEWORK}/dynamic_resources/x"),
        *(f"{FRAMEWORK}/resources/x/../../../../etc/passwd", "/static/../server.py"),
        *("/static/%2e%2e/server.py", "/static/..%2fserver.py", "/.nicegui/storage-general.json"),
    ],
)
async def test_what_the_window_does_not_use_is_not_there(window: RunningWindow, path: str) -> None:
    """No description of the framework, no file outside of the static ones."""
    assert (await ask(window.port, path, let_in(window))).status == 404


async def test_every_answer_carries_the_policy(window: RunningWindow) -> None:
    """Pages, files and what is not there alike."""
    for path in ("/", "/static/window.js", "/nothing"):
        answer = await ask(window.port, path, let_in(window))
        assert answer.header("content-security-policy").startswith("default-src 'none'; ")
        assert answer.header("x-frame-options") == "DENY"
        assert answer.header("x-content-type-options") == "nosniff"
        assert answer.header("referrer-policy") == "no-referrer"
        assert answer.header("server") == ""


async def test_a_page_is_not_given_as_text(window: RunningWindow) -> None:
    """Who asks for Markdown, or says to be a model's agent, gets the page as everybody does."""
    more = [("Accept", "text/markdown"), ("User-Agent", "GPTBot")]
    answer = await ask(window.port, "/", [*let_in(window), *more])
    assert answer.header("content-type").startswith("text/html")


async def test_the_secret_and_what_was_asked_for_are_in_no_log(
    tmp_path: Path, model: Scripted
) -> None:
    """Whatever comes, it writes its address, how to end it, and nothing else."""
    async with running_window(tmp_path, base_url=model.url) as window:
        own, stranger = let_in(window), [("Host", "evil.example")]
        for headers in (own, stranger, own[:1]):
            for path in ("/", "/planted-word", f"/?secret={window.secret}", POLLING):
                await ask(window.port, path, headers)
            await upgrade(window.port, SOCKET, headers)
        status, out, err = await window.end()
    assert (status, out, err) == (130, "Ctrl-C ends it.\n", "")
    assert window.said == [f"Pace is at {window.address}"]


async def test_two_windows_keep_apart(
    window: RunningWindow, tmp_path: Path, model: Scripted
) -> None:
    """Cookies know no ports: each window has its own, and takes no other's."""
    async with running_window(tmp_path, base_url=model.url) as other:
        both = f"{window.cookie}; {other.cookie}"
        for asked in (window, other):
            host = ("Host", f"127.0.0.1:{asked.port}")
            assert (await ask(asked.port, "/", [host, ("Cookie", both)])).status == 200
        host = ("Host", f"127.0.0.1:{other.port}")
        renamed = f"pace-{other.port}={window.secret}"
        for cookie in (window.cookie, renamed):
            assert (await ask(other.port, "/", [host, ("Cookie", cookie)])).status == 403


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_it_in_order(
    tmp_path: Path, model: Scripted, number: signal.Signals
) -> None:
    """Status 130, no complaint, and who was connected is let go."""
    async with running_window(tmp_path, base_url=model.url) as window:
        reader, writer = await asyncio.open_connection("127.0.0.1", window.port)
        status, _, err = await window.end(number)
        assert (status, err) == (130, "")
        assert await reader.read() == b""
        writer.close()


async def test_the_same_port_can_be_had_again_at_once(tmp_path: Path, model: Scripted) -> None:
    """With another secret: who was let in before is let in no more."""
    async with running_window(tmp_path, base_url=model.url) as window:
        _, writer = await asyncio.open_connection("127.0.0.1", window.port)
        await window.end()
        writer.close()
    async with running_window(tmp_path, "--port", str(window.port), base_url=model.url) as another:
        assert another.port == window.port
        assert another.secret != window.secret
        old = [("Host", f"127.0.0.1:{window.port}"), ("Cookie", window.cookie)]
        assert (await ask(window.port, "/", old)).status == 403


async def test_a_port_that_is_taken_is_one_sentence(window: RunningWindow, tmp_path: Path) -> None:
    """Status 2, the port, and what to do."""
    ended = await run_pace(tmp_path, "web", "--no-open", "--port", str(window.port))
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (
        f"pace: 127.0.0.1 port {window.port} cannot be used (Address already in use). "
        "Give another with --port, or --port 0 for any that is free.\n"
    )


@pytest.mark.parametrize("port", ["x", "-1", "65536", "٣", "", "080", "9" * 5000])
async def test_a_bad_port_is_one_sentence(tmp_path: Path, port: str) -> None:
    """Status 2, and the flag is named."""
    ended = await run_pace(tmp_path, "web", "--no-open", f"--port={port}")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == (f"pace: --port cannot be {port!r}; it has to be a number, 0 to 65535.\n")


async def test_a_bad_host_is_one_sentence(tmp_path: Path) -> None:
    """Status 2, and the address is named."""
    ended = await run_pace(tmp_path, "web", "--no-open", "--port", "0", "--host", "a..b")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err == "pace: There is no address 'a..b' here. Check --host.\n"


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("no.such.host.invalid", "There is no address 'no.such.host.invalid' here. Check --host."),
        ("192.0.2.1", "192.0.2.1 port 0 cannot be used (Cannot assign requested address)."),
        ("", "--host cannot be empty. Leave it out to listen on this machine alone."),
        (" ", "--host cannot be empty. Leave it out to listen on this machine alone."),
    ],
)
def test_an_address_that_cannot_be_had_is_named(host: str, said: str) -> None:
    """What is not here, not ours, or nothing at all, which would mean everywhere."""
    with pytest.raises(SettingsError) as raised, listening_at(host, 0):
        pass
    assert str(raised.value).startswith(said)


async def test_without_its_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    """Status 2 and the extra's name."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _WITHOUT),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path),
    )
    out, err = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    told = "pace: The window needs, in Pace's folder: make extras, or pip install '.[web]'\n"
    assert err.decode() == told


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "0", "0x0", "0.0", "::0", "::ffff:0.0.0.0"])
def test_everywhere_is_known_however_it_is_written(host: str) -> None:
    """What counts is the address that was bound."""
    with listening_at(host, 0) as (_, address):
        assert address.is_everywhere
        assert address.url == f"http://127.0.0.1:{address.port}"
        assert address.warning.startswith("Other machines can reach this window, too")


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("::1", "[::1]"), ("127.1", "127.1")],
)
def test_loopback_needs_no_warning(host: str, url: str) -> None:
    """Only this machine reaches it, whichever of its names is used."""
    with listening_at(host, 0) as (_, address):
        assert address.url == f"http://{url}:{address.port}"
        assert address.warning == ""
        assert not address.is_everywhere


async def test_listening_everywhere_says_what_that_means(tmp_path: Path, model: Scripted) -> None:
    """One sentence; it is meant by the address it is reached at, and by no foreign name."""
    async with running_window(tmp_path, "--host", EVERYWHERE, base_url=model.url) as window:
        for meant, status in [("127.0.0.1", 200), ("localhost", 200), ("evil.example", 403)]:
            headers = [("Host", f"{meant}:{window.port}"), ("Cookie", window.cookie)]
            assert (await ask(window.port, "/", headers)).status == status
        _, out, err = await window.end()
    assert window.url == f"http://127.0.0.1:{window.port}"
    assert out == (
        "Other machines can reach this window, too, with the name of this one in place of "
        "127.0.0.1: whoever has its address with the secret can read and speak, unencrypted on "
        "the way.\nCtrl-C ends it.\n"
    )
    assert err == ""


async def test_the_address_that_is_opened_lets_in_once(tmp_path: Path, model: Scripted) -> None:
    """A browser's arguments can be read by others, so what it is given is not the secret."""
    got, browser = tmp_path / "got", tmp_path / "browser"
    os.mkfifo(got)
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" >"{got}"\n')
    browser.chmod(stat.S_IRWXU)
    async with running_window(
        tmp_path, base_url=model.url, env={"BROWSER": str(browser)}, opens=True
    ) as window:
        assert window.process.stdout is not None
        assert await window.process.stdout.readline() == b"Ctrl-C ends it.\n"
        target = (await asyncio.to_thread(got.read_text)).removeprefix(window.url)
        host = [("Host", f"127.0.0.1:{window.port}")]
        assert window.secret not in target
        assert [(await ask(window.port, target, host)).status for _ in range(2)] == [303, 403]


async def test_ended_it_leaves_no_engine(short_path: Path, tiny: Path) -> None:
    """With a model on this machine, its process is ended and its folder is gone."""
    home, temp = folders(short_path, tiny)
    async with running_window(home, "--model", "tiny", env={"TMPDIR": str(temp)}) as window:
        async with asyncio.timeout(60):
            while not (started := engines(window.process.pid)):
                await ask(window.port, "/", let_in(window))
        status, _, err = await window.end()
    assert (status, err) == (130, "")
    assert [command_line(engine) for engine in started] == [""]
    assert list(temp.iterdir()) == []


async def test_a_fault_of_a_page_is_one_sentence(tmp_path: Path, model: Scripted) -> None:
    """In the tab and on standard error: its type, and none of its words."""
    program = (sys.executable, "-c", FAULTY)
    async with running_window(tmp_path, base_url=model.url, program=program) as window:
        for _ in range(2):
            answer = await ask(window.port, "/fails", let_in(window))
            assert answer.status == 500
            assert "Pace failed (ValueError); that is a fault of Pace itself." in answer.body
            assert "planted" not in answer.body
        assert (await ask(window.port, "/", let_in(window))).status == 200
        status, _, err = await window.end()
    assert status == 130
    assert err == "pace: Pace failed (ValueError); that is a fault of Pace itself.\n"


async def test_a_page_that_is_not_there_says_so(window: RunningWindow) -> None:
    """In our words, with a way back."""
    answer = await ask(window.port, "/nothing", let_in(window))
    assert (answer.status, "There is no such page." in answer.body) == (404, True)
    assert '<a href="/">' in answer.body


def test_a_fault_is_told_by_its_type_alone_and_once() -> None:
    """Neither its words nor those of a warning; a fault that is met again is not repeated."""
    told: list[str] = []
    log = logging.getLogger("nicegui")
    with faults_told(told.append):
        for _ in range(3):
            try:
                int("planted words")
            except ValueError as error:
                log.exception(error)  # noqa: TRY401  # as the framework does
        log.warning("http://127.0.0.1/planted not found")
        log.error("planted words of a page")
    assert told == ["Pace failed (ValueError); that is a fault of Pace itself."]
