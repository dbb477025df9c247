"""The page at /settings."""

from nicegui import ui

from pace.doors.web.frame import frame
from pace.doors.web.window import Window


def settings_page(window: Window) -> None:
    """Show it."""
    with frame(window, "/settings"):
        ui.label("settings")
