"""The clipboard of a real X server and notifications over a real bus, where these are installed."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pace.actions.clipboard.read_clipboard import ReadClipboard
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.clipboard.write_clipboard import WriteClipboard
from pace.actions.timers.notification import DesktopNotification
from pace.actions.timers.timers import Timers
from pace.testing import ManualClock

# What the Desktop Notifications Specification asks of a service, as far as a sender needs it.
INTROSPECTION = """
<node><interface name="org.freedesktop.Notifications">
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
  </method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
    <arg type="u" direction="out"/>
  </method>
</interface></node>
"""


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@asynccontextmanager
async def x_server() -> AsyncIterator[str]:
    """A screen of its own; gives its name once it answers."""
    reading, writing = os.pipe()
    server = await asyncio.create_subprocess_exec(
        *("Xvfb", "-displayfd", str(writing), "-screen", "0", "640x480x24", "-nolisten", "tcp"),
        pass_fds=(writing,),
        stderr=asyncio.subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as said:
            number = await asyncio.to_thread(said.readline)
        yield f":{number.strip()}"
    finally:
        server.terminate()
        await server.wait()


@needs("Xvfb", "xclip")
async def test_the_clipboard_of_an_x_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text goes in and comes out; an empty clipboard is no error."""
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    async with x_server() as screen:
        monkeypatch.setenv("DISPLAY", screen)
        read, write = (kind(SystemClipboard()) for kind in (ReadClipboard, WriteClipboard))
        assert (await read.run({})).line == "Read the clipboard; there is no text in it."
        text = "naïve 🌍\n" * 1000
        await write.run(write.checked({"text": text}))
        assert (await SystemClipboard().read()) == text
        await write.run(write.checked({"text": "second"}))
        assert (await read.run({})).shown == "second"


@asynccontextmanager
async def message_bus(folder: Path) -> AsyncIterator[str]:
    """A bus of its own; gives its address."""
    bus = await asyncio.create_subprocess_exec(
        *("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"),
        f"--address=unix:path={folder / 'bus'}",
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert bus.stdout is not None
    try:
        yield (await bus.stdout.readline()).decode().strip()
    finally:
        bus.terminate()
        await bus.communicate()


@asynccontextmanager
async def notification_service(address: str) -> AsyncIterator[list[tuple[str, str]]]:
    """Takes notifications as desktops do; gives the titles and texts that came."""
    from dbus_fast import Message, MessageType  # noqa: PLC0415  # where it is installed
    from dbus_fast.aio import MessageBus  # noqa: PLC0415  # where it is installed

    came: list[tuple[str, str]] = []
    answers = {
        "Introspect": ("s", [INTROSPECTION]),
        "GetServerInformation": ("ssss", ["test", "Pace", "1", "1.2"]),
        "GetCapabilities": ("as", [["body"]]),
        "Notify": ("u", [1]),
    }

    def answer(message: Any) -> Any:
        if message.message_type is not MessageType.METHOD_CALL or message.member not in answers:
            return None
        if message.member == "Notify":
            came.append((message.body[3], message.body[4]))
        return Message.new_method_return(message, *answers[message.member])

    bus = await MessageBus(bus_address=address).connect()
    bus.add_message_handler(answer)
    await bus.request_name("org.freedesktop.Notifications")
    try:
        yield came
    finally:
        bus.disconnect()
        await bus.wait_for_disconnect()


@needs("dbus-daemon")
async def test_a_timer_rings_on_the_desktop(
    short_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timer that is due shows its sentence through the desktop's own service."""
    told: list[str] = []
    async with message_bus(short_path) as address, notification_service(address) as came:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        timers = Timers(clock, notify=DesktopNotification(), tell=told.append)
        async with timers.ringing():
            for label in ("tea", "eggs"):
                timers.start(timedelta(minutes=1), label)
                clock.advance(timedelta(minutes=1))
                timers.look_again()
                await timers.wait_quiet()
    assert told == ['The timer "tea" of 1 minute rings.', 'The timer "eggs" of 1 minute rings.']
    assert came == [(sentence, "Pace") for sentence in told]
