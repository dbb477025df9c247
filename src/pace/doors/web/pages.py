"""The pages of the window, and under which address each stands."""

from nicegui import ui

from pace.doors.web.conversation import conversation_page
from pace.doors.web.past import past_page
from pace.doors.web.settings import settings_page
from pace.doors.web.window import Window


def build_pages(window: Window) -> None:
    """Have the framework know the pages; once in a process."""
    ui.page("/", title="Pace")(lambda: conversation_page(window))
    ui.page("/conversations", title="Conversations · Pace")(lambda: past_page(window))
    ui.page("/settings", title="Settings · Pace")(lambda: settings_page(window))
