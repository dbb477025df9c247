"""The page at /conversations."""

from nicegui import ui

from pace.doors.web.frame import frame
from pace.doors.web.window import Window


def past_page(window: Window) -> None:
    """Show it."""
    with frame(window, "/conversations"):
        ui.label("past")
