"""`pace web`: one companion behind all tabs of a browser, served on this machine."""

import asyncio
import secrets
import socket
import webbrowser
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI
from nicegui import app as framework
from nicegui import ui

from pace.doors.cli.fetching import FetchBar
from pace.doors.gatekeeper import SECRET_PARAMETER, Gatekeeper, hosts_of
from pace.doors.open_chat import OpenChat
from pace.doors.web.page_policy import PagePolicy
from pace.doors.web.pages import build_pages
from pace.doors.web.window import Window
from pace.errors import SettingsError
from pace.history import PaceHistory
from pace.settings_file import SettingsFile

_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104  # only looked for
# How long a tab that lost its connection may take to come back and find its place, in seconds.
_RECONNECT_LIMIT = 30.0
_GRACE_SECONDS = 2


async def serve_window(
    file: SettingsFile,
    history: PaceHistory,
    *,
    host: str,
    port: int,
    opens_browser: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve the window until cancelled. `tell` hears its address, and what else is to be known.

    Port 0 takes any that is free. Raises SettingsError for an address that cannot be had, and what
    opening a conversation raises.
    """
    with _listening(host, port) as listening:
        bound = listening.getsockname()[1]
        notices: deque[str] = deque()
        chat = OpenChat(file, screen=FetchBar(), history=history, tell=notices.append)
        async with chat:
            if chat.note:
                tell(chat.note)
            secret = secrets.token_urlsafe(32)
            gate = Gatekeeper(
                PagePolicy(_app_of(Window(chat, history, notices))),
                hosts=hosts_of(_names_of(host), bound),
                secret=secret,
                cookie=f"pace-{bound}",
            )
            address = f"http://{_shown(host)}:{bound}/?{SECRET_PARAMETER}={secret}"
            await _serve(
                gate, listening, when_ready=lambda: _announce(address, opens_browser, tell)
            )


def _app_of(window: Window) -> FastAPI:
    """The pages as an application. The framework holds one set of pages for each process."""
    app = FastAPI(openapi_url=None)
    build_pages(window)
    # Polling would send what is said as plain text, which the gatekeeper refuses.
    framework.config.socket_io_js_transports = ["websocket"]
    ui.run_with(
        app,
        title="Pace",
        dark=None,
        tailwind=False,
        reconnect_timeout=_RECONNECT_LIMIT,
        show_welcome_message=False,
        # Pages are finished outside of it (page_policy.py); on one machine nothing is gained.
        gzip_middleware_factory=None,
    )
    return app


class _Server(uvicorn.Server):
    """Leaves signals to the command, which ends this server by cancelling it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def _serve(
    gate: Gatekeeper, listening: socket.socket, *, when_ready: Callable[[], None]
) -> None:
    config = uvicorn.Config(
        gate,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]), name="window")
    try:
        while not (server.started or serving.done()):  # noqa: ASYNC110  # it has no event for it
            await asyncio.sleep(0.01)
        if server.started:
            when_ready()
        await asyncio.wait([serving])
    finally:
        server.should_exit = True
        await asyncio.wait([serving])
    await serving


def _announce(address: str, opens_browser: bool, tell: Callable[[str], None]) -> None:  # noqa: FBT001
    tell(f"Pace is at {address}")
    tell("Ctrl-C ends it.")
    if opens_browser:
        webbrowser.open(address)


# --- addresses


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SettingsError(f"There is no address {host!r} here. Check --host.") from error
    with listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(address)
            listening.listen()
        except OSError as error:
            raise SettingsError(
                f"{host} port {port} cannot be used ({error.strerror}). Give another with --port, "
                "or --port 0 for any that is free."
            ) from error
        yield listening


def _names_of(host: str) -> set[str]:
    """By which names this server is meant, besides loopback's."""
    if host not in _EVERYWHERE:
        return {host}
    name = socket.gethostname()
    try:
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(name, None)}
    except OSError:
        addresses = set()
    return {name, f"{name}.local", *addresses}


def _shown(host: str) -> str:
    if host in _EVERYWHERE:
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
