"""`pace web`: one companion behind all tabs of a browser, served on this machine."""

import asyncio
import secrets
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from nicegui import app as framework
from nicegui import ui

from pace.actions.installed import InstalledActions
from pace.clock import SystemClock
from pace.doors.cli.fetching import FetchBar
from pace.doors.gatekeeper import SECRET_PARAMETER, Gatekeeper, hosts_of
from pace.doors.open_chat import OpenChat
from pace.doors.web.address import listening_at
from pace.doors.web.code_colours import pygments_css
from pace.doors.web.drawing import Drawings
from pace.doors.web.no_page import build_no_page
from pace.doors.web.own_logs import faults_told
from pace.doors.web.page_policy import PagePolicy
from pace.doors.web.pages import build_pages
from pace.doors.web.voice.desk import VoiceDesk
from pace.doors.web.window import Window
from pace.history import PaceHistory
from pace.settings_file import SettingsFile

# How long a tab that lost its connection may take to come back and find its place, in seconds.
_RECONNECT_LIMIT = 30.0
_GRACE_SECONDS = 2
_STATIC = Path(__file__).parent / "static"
_STATIC_PATH = "/static"
_VOICE_PATH = "/voice"

Opener = Callable[[str], Awaitable[None]]


async def serve_window(
    file: SettingsFile,
    history: PaceHistory,
    *,
    host: str,
    port: int,
    tell: Callable[[str], None],
    warn: Callable[[str], None],
    opener: Opener | None,
) -> None:
    """Serve the window until cancelled. `tell` hears its address, `warn` what is the matter.

    Port 0 takes any that is free. `opener` gets an address that lets in once: the arguments of a
    program, as a browser's may be, can be read by everybody on a machine. Raises SettingsError for
    an address that cannot be had, and what opening a conversation raises.
    """
    with listening_at(host, port) as (listening, address):
        notices: deque[str] = deque()

        def tell_fault(sentence: str) -> None:
            warn(sentence)
            notices.append(sentence)

        actions = InstalledActions(lambda: file.current, clock=SystemClock(), tell=notices.append)
        chat = OpenChat(
            file, screen=FetchBar(), history=history, tell=notices.append, actions=actions
        )
        async with chat, VoiceDesk(chat) as voice:
            if chat.note:
                tell(chat.note)
            secret, ticket = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
            window = Window(chat, history, notices, Drawings(chat.session), voice)
            gate = Gatekeeper(
                PagePolicy(_app_of(window)),
                hosts=hosts_of(address.names, address.port),
                secret=secret,
                cookie=f"pace-{address.port}",
                ticket=ticket,
                takes_own_address=address.is_everywhere,
            )

            async def announce() -> None:
                tell(f"Pace is at {address.url}/?{SECRET_PARAMETER}={secret}")
                if address.warning:
                    tell(address.warning)
                tell("Ctrl-C ends it.")
                if opener is not None:
                    await opener(f"{address.url}/?{SECRET_PARAMETER}={ticket}")

            with faults_told(tell_fault):
                await _serve(gate, listening, when_ready=announce)


def _app_of(window: Window) -> FastAPI:
    """The pages as an application. The framework holds one set of pages for each process."""
    app = FastAPI(openapi_url=None)
    build_pages(window)
    build_no_page()
    app.add_api_websocket_route(_VOICE_PATH, window.voice.serve)
    framework.add_static_files(_STATIC_PATH, _STATIC, max_cache_age=0)
    ui.add_head_html(f'<script defer src="{_STATIC_PATH}/window.js"></script>', shared=True)
    ui.add_css(_STATIC / "connection.css", shared=True)
    ui.add_css(pygments_css(), shared=True)
    framework.config.socket_io_js_transports = ["websocket"]
    # A bar over requests that pages make says nothing to anybody, and has no name to be read by.
    framework.config.quasar_config["loadingBar"]["skipHijack"] = True
    ui.run_with(
        app,
        title="Pace",
        dark=None,
        language="en-US",
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
    gate: Gatekeeper, listening: socket.socket, *, when_ready: Callable[[], Awaitable[None]]
) -> None:
    config = uvicorn.Config(
        gate,
        log_config=None,
        access_log=False,
        server_header=False,
        # Nobody stands between; a header that says so would be believed.
        proxy_headers=False,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]), name="window")
    try:
        while not (server.started or serving.done()):  # noqa: ASYNC110  # it has no event for it
            await asyncio.sleep(0.01)
        if server.started:
            await when_ready()
        await asyncio.wait([serving])
    finally:
        server.should_exit = True
        await asyncio.wait([serving])
    await serving
    raise RuntimeError("the window's server ended by itself")
