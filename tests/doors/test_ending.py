"""How `pace` ends when a signal or its surroundings end it: in order, and without a traceback."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from doors.running import PACE, chat_server, environment, machine

ENDINGS = [signal.SIGTERM, signal.SIGHUP]
# Sends the signal while a module is imported, which passes the interrupt on as libraries may.
_WHILE_IMPORTING = """
import os, signal, sys
from pace.doors.cli.start import main

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            try:
                os.kill(os.getpid(), signal.{number})
            except KeyboardInterrupt:
                {passes_it_on}

sys.meta_path.insert(0, Interrupting())
sys.argv = ["pace", {command!r}]
main()
"""


@pytest.mark.parametrize("number", ENDINGS)
@pytest.mark.parametrize("is_replying", [True, False])
async def test_machine_mode_ends_in_order(
    tmp_path: Path, number: signal.Signals, *, is_replying: bool
) -> None:
    """SIGTERM and SIGHUP end it with 130 and without a word on standard error."""
    async with chat_server("One.", "Step one. Ste...") as server, machine(tmp_path, server) as pace:
        await pace.say("Hello")
        if is_replying:
            await pace.send(b'{"text": "How?"}')
            assert (await pace.next())["type"] == "delta"
        pace.signal(number)
        status, _, err = await pace.end()
    assert (status, err) == (130, "")


@pytest.mark.parametrize("number", [*ENDINGS, signal.SIGINT])
async def test_one_answer_ends_in_order(tmp_path: Path, number: signal.Signals) -> None:
    """Whichever signal comes during the reply, the status is 130 and nothing is complained of."""
    async with chat_server("Step one. Ste...") as server:
        process = await asyncio.create_subprocess_exec(
            *(str(PACE), "chat", "--base-url", server.url, "How?"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        assert process.stdout is not None
        await process.stdout.readexactly(16)
        process.send_signal(number)
        _, err = await process.communicate()
    assert (process.returncode, err) == (130, b"")


async def test_more_interrupts_change_nothing(tmp_path: Path) -> None:
    """A second and a third SIGINT while it ends leave the status and the last line as they are."""
    async with chat_server() as server, machine(tmp_path, server) as pace:
        await pace.say("One")
        pace.interrupt()
        ended = await pace.next()
        pace.interrupt()
        pace.interrupt()
        status, _, err = await pace.end()
    assert (ended["type"], status, err) == ("ended", 130, "")


@pytest.mark.parametrize("passes_it_on", ["raise", "raise ValueError", "raise ImportError", "pass"])
@pytest.mark.parametrize(
    ("module", "command", "number"),
    [
        ("pace.doors.cli.main", "chat", "SIGTERM"),
        ("pace.doors.cli.talking", "chat", "SIGINT"),
        ("pydantic", "web", "SIGHUP"),
        ("nicegui", "web", "SIGTERM"),
    ],
)
async def test_an_interrupt_while_importing_is_quiet(
    tmp_path: Path, module: str, command: str, number: str, passes_it_on: str
) -> None:
    """A signal before a command has begun gives 130 and no word, whatever a library makes of it."""
    code = _WHILE_IMPORTING.format(
        module=module, command=command, number=number, passes_it_on=passes_it_on
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path),
    )
    _, err = await process.communicate()
    assert (process.returncode, err) == (130, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [("chat", "--jsonl"), ("settings",)])
async def test_full_output_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    """Output that takes nothing gives status 1 and one sentence that says so."""
    full = os.open("/dev/full", os.O_WRONLY)
    local = {"PACE_PLANNER__TIER": "local", "PACE_PLANNER__BASE_URL": "http://127.0.0.1:9/v1"}
    process = await asyncio.create_subprocess_exec(
        *(str(PACE), *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=full,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path, PYTHONUNBUFFERED=unbuffered, **local),
    )
    os.close(full)
    _, err = await process.communicate(b'{"command": "memory"}\n')
    assert process.returncode == 1
    assert err.startswith(b"pace: Standard output takes no more (")
    assert err.count(b"\n") == 1
