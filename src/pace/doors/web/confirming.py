"""The one question before something is gone, or leaves this machine."""

import asyncio

from nicegui import events, ui

from pace.doors.web.plain import Tag

_YES = "yes"
_CLOSE = "(e) => e.currentTarget.closest('dialog').close(e.currentTarget.value)"


async def confirmed(title: str, *sentences: str, verb: str) -> bool:
    """Ask once, in the page; True if the person says yes. Whoever leaves says no."""
    answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    client = ui.context.client

    def leave() -> None:
        if not answer.done():
            answer.set_result(False)

    def close(event: events.GenericEventArguments) -> None:
        if not answer.done():
            answer.set_result(event.args == _YES)

    client.on_delete(leave)
    with client.content:
        dialog = Tag("dialog", aria_labelledby="question-title", aria_describedby="question-text")
    with dialog.classes("question"):
        Tag("h2", title, id="question-title")
        with Tag("div", id="question-text"):
            for sentence in sentences:
                Tag("p", sentence)
        with Tag("div").classes("question-answers"):
            # The harmless answer comes first, so that Enter alone deletes nothing.
            _answer("Cancel", "", "button")
            _answer(verb, _YES, "button danger")
    dialog.on("close", close, js_handler="(e) => emit(e.target.returnValue)")
    dialog.run_method("showModal")
    try:
        return await answer
    finally:
        if not client.is_deleted:
            dialog.delete()


def _answer(text: str, value: str, look: str) -> None:
    made = Tag("button", text, type="button", value=value).classes(look)
    made.on("click", js_handler=_CLOSE)
