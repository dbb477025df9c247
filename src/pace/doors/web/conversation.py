"""The page at /."""

from nicegui import ui

from pace.doors.web.frame import frame
from pace.doors.web.window import Window


def conversation_page(window: Window) -> None:
    """Show it."""
    with frame(window, "/"):
        ui.label("conversation")
