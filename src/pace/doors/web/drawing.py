"""Replies as HTML, each drawn once for all tabs, at a rate that leaves the window its time."""

import time
from collections.abc import Callable

from pace.chat import Change, ChangeKind, ChatSession, Row
from pace.doors.web.safe_html import safe_html
from pace.memory.turn import TurnId

# Whatever a reply holds and however fast it grows, the rest of the time is for all else.
_SHARE = 0.2


class Drawings:
    """Draws the replies of a session, and holds them for as long as their rows are there."""

    def __init__(self, session: ChatSession, *, now: Callable[[], float] = time.monotonic) -> None:
        self._session = session
        self._now = now
        self._drawn: dict[TurnId, tuple[str, str]] = {}
        self._rests_until = 0.0
        session.subscribe(self._forget)

    def is_due(self, row: Row) -> bool:
        """Whether `html_of` gives the whole reply now; one that still grows may have to wait."""
        if not row.is_open or not row.reply_text or self._now() >= self._rests_until:
            return True
        return row.turn_id in self._drawn and self._drawn[row.turn_id][0] == row.reply_text

    def html_of(self, row: Row) -> str:
        """The reply as far as it has come, or as far as it was drawn last if it is not due."""
        if not row.reply_text:
            return ""
        text, html = self._drawn.get(row.turn_id, ("", ""))
        if text == row.reply_text or (text and not self.is_due(row)):
            return html
        began = self._now()
        html = safe_html(row.reply_text)
        ended = self._now()
        self._rests_until = ended + (ended - began) * (1 / _SHARE - 1)
        self._drawn[row.turn_id] = (row.reply_text, html)
        return html

    def _forget(self, change: Change) -> None:
        if change.kind is ChangeKind.REMOVED and isinstance(change.line, Row):
            self._drawn.pop(change.line.turn_id, None)
        if change.kind is ChangeKind.ALL:
            here = {line.turn_id for line in self._session.lines if isinstance(line, Row)}
            self._drawn = {key: drawn for key, drawn in self._drawn.items() if key in here}
