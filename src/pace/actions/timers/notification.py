"""Shows a desktop notification through desktop-notifier."""

import logging

from pace.errors import ActionError

_STEP = "Is a notification service running?"
_FAILED = "The desktop showed no notification; the timer rang here alone. "


class DesktopNotification:
    """Shows a title and a text; where the desktop cannot, a sentence says so. A `Notify`."""

    async def __call__(self, title: str, text: str) -> None:
        """Show it once. Raises ActionError."""
        try:
            from desktop_notifier import DesktopNotifier  # noqa: PLC0415  # slow, and an extra
        except ImportError as error:
            raise ActionError(f"{_FAILED}It needs: pip install 'pace[chat]'") from error
        # It logs what it could not send, and that holds a timer's label.
        logging.getLogger("desktop_notifier").setLevel(logging.CRITICAL + 1)
        shown: list[str] = []
        try:
            notifier = DesktopNotifier(app_name="Pace")
            # A failure is logged and not raised; only what was shown is told (its documentation).
            await notifier.send(
                title=title, message=text, on_dispatched=lambda: shown.append(title)
            )
        except Exception as error:  # each platform's own; the library names none
            raise ActionError(f"{_FAILED}{_STEP}") from error
        if not shown:
            raise ActionError(f"{_FAILED}{_STEP}")
