"""The keys of the conversation page, in a dialog that any of them closes."""

from pace.doors.web.plain import Tag

_KEYS = (
    ("Enter", "send"),
    ("Shift + Enter", "begin a new line"),
    ("Esc", "stop the reply, close the microphone, or leave an edit"),
    ("/", "go to the message box"),
    ("Ctrl + Alt + N", "begin a new conversation"),
    ("Ctrl + Alt + T", "begin a temporary one"),
    ("Ctrl + Alt + V", "talk while you hold them, or tap them for one turn"),
    ("Ctrl + Alt + F", "find in this conversation"),
    ("Ctrl + Alt + M", "show what the model sees"),
    ("?", "this list"),
)


class KeyList:
    """The dialog; `open` shows it."""

    def __init__(self) -> None:
        self._dialog = Tag("dialog", aria_labelledby="keys-title").classes("keys")
        with self._dialog:
            Tag("h2", "Keys", id="keys-title")
            with Tag("dl"):
                for keys, what in _KEYS:
                    with Tag("div"):
                        with Tag("dt"):
                            for part in keys.split(" + "):
                                Tag("kbd", part)
                        Tag("dd", what)
            close = Tag("button", "Close", type="button").classes("button")
            close.on("click", js_handler="(e) => e.currentTarget.closest('dialog').close()")

    def open(self) -> None:
        """Show it."""
        self._dialog.run_method("showModal")
