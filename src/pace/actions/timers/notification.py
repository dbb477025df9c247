"""Shows a desktop notification through desktop-notifier."""

import logging
from collections.abc import Awaitable, Callable

from pace.errors import ActionError

_STEP = "Is a notification service running?"
_FAILED = "The desktop showed no notification; the timer rang here alone. "


class DesktopNotification:
    """Shows a title and a text; where the desktop cannot, a sentence says so. A `Notify`.

    Its connection to the desktop is kept: some services end a notification with its sender.
    """

    def __init__(self) -> None:
        self._send: Callable[..., Awaitable[object]] | None = None

    async def __call__(self, title: str, text: str) -> None:
        """Show it once. Raises ActionError."""
        shown: list[str] = []
        try:
            send = self._send or _connected()
            # A failure is logged and not raised; only what was shown is told (its documentation).
            await send(title=title, message=text, on_dispatched=lambda: shown.append(title))
        except ImportError as error:
            raise ActionError(f"{_FAILED}It needs: pip install '.[chat]'") from error
        except Exception as error:  # each platform's own; the library names none
            raise ActionError(f"{_FAILED}{_STEP}") from error
        # What failed once may have lost its connection.
        self._send = send if shown else None
        if not shown:
            raise ActionError(f"{_FAILED}{_STEP}")


def _connected() -> Callable[..., Awaitable[object]]:
    from desktop_notifier import DesktopNotifier  # noqa: PLC0415  # slow, and an extra

    # It logs what it could not send, and that holds a timer's label.
    logging.getLogger("desktop_notifier").setLevel(logging.CRITICAL + 1)
    return DesktopNotifier(app_name="Pace").send
