"""What stands around every page: its looks, the way to the other pages, and who answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from pace.doors.web.window import Window

_STYLE = (Path(__file__).parent / "window.css").read_text(encoding="utf-8")
_PAGES = (("/", "Conversation"), ("/conversations", "Past"), ("/settings", "Settings"))


@contextmanager
def frame(window: Window, current: str) -> Iterator[None]:
    """Put a page's content inside the frame; `current` is the page's address."""
    ui.add_css(_STYLE)
    with ui.element("header").classes("top"):
        ui.label("Pace").classes("brand")
        with ui.element("nav").props('aria-label="Pages"'):
            for address, name in _PAGES:
                link = ui.link(name, address)
                if address == current:
                    link.props('aria-current="page"')
        ui.label(window.chat.settings.planner.tier).classes("tier")
    with ui.element("main").classes("page"):
        yield
