"""What stands where a page should be: that there is none, or that it failed; never a traceback."""

from fastapi import Request
from fastapi.responses import HTMLResponse
from nicegui import app, ui

from pace.doors.faults import fault_sentence

_BACK = "Go to the conversation"
_NONE = f"""<!doctype html>
<html lang="en-US">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No such page · Pace</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 20vh auto 0;
padding: 0 1.5rem }}</style>
<main><h1>There is no such page.</h1><p><a href="/">{_BACK}</a></p></main>
</html>
"""


def build_no_page() -> None:
    """Have the framework show these in place of its own; once in a process."""
    app.add_exception_handler(404, _none)
    app.on_page_exception(_failed)


def _none(_request: Request, _error: Exception) -> HTMLResponse:
    return HTMLResponse(_NONE, status_code=404)


def _failed(error: Exception) -> None:
    # The framework sets it in a main part of its own.
    with ui.element("div").style("max-width: 40rem; margin: 20vh auto 0; padding: 0 1.5rem"):
        ui.label(fault_sentence(error)).props('role="alert"')
        ui.link(_BACK, "/")
