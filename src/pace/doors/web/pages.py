"""The pages of the window, and under which address each stands."""

from fastapi import Response
from nicegui import app, ui

from pace.doors.exported import ExportForm
from pace.doors.web.conversation import conversation_page
from pace.doors.web.export import exported
from pace.doors.web.past import past_page
from pace.doors.web.places import ADDRESS, Place
from pace.doors.web.settings import settings_page
from pace.doors.web.window import Window


def build_pages(window: Window) -> None:
    """Have the framework know the pages; once in a process."""

    async def past(conversation: str = "", turn: str = "") -> None:
        await past_page(window, Place.of(conversation, turn))

    async def settings() -> None:
        await settings_page(window)

    async def export(form: ExportForm, conversation: str = "") -> Response:
        return await exported(window.history, form, conversation)

    ui.page("/", title="Pace")(lambda: conversation_page(window))
    app.get(f"{ADDRESS}/export")(export)
    ui.page(ADDRESS, title="Conversations · Pace")(past)
    ui.page("/settings", title="Settings · Pace")(settings)
