"""The list of past conversations, in groups by the day of their last turn, the newest first."""

from datetime import date, datetime

from pace.doors.safe_text import safe_line
from pace.doors.web.fields import attribute
from pace.doors.web.places import ADDRESS, Go, Place, place_link
from pace.doors.web.plain import Tag, button
from pace.doors.web.saying_when import day_of, end_of, time_of, turns_of
from pace.doors.web.window import Window
from pace.errors import HistoryError
from pace.journal.rows import PastConversation
from pace.memory.turn import SessionId

_PAGE = 50
_LONGEST_NAME = 140
# Of words that may be very long, with room for the spaces between them.
_LOOKED_AT = 4 * _LONGEST_NAME


class Listing:
    """Shows a page of conversations, and more when asked."""

    def __init__(self, window: Window, go: Go) -> None:
        self._window = window
        self._go = go
        self._limit = _PAGE
        self._links: dict[SessionId, Tag] = {}
        self._marked: SessionId | None = None
        self._place = Tag("div").classes("past-list")

    async def refresh(self) -> None:
        """Read the list anew, as far as it was shown."""
        live = await live_session(self._window)
        try:
            found = await self._window.history.conversations(limit=self._limit + 1)
        except HistoryError as error:
            self._place.clear()
            with self._place:
                Tag("p", str(error), role="alert").classes("error")
            return
        self._place.clear()
        self._links = {}
        with self._place:
            self._groups(found[: self._limit], live)
            if len(found) > self._limit:
                button("Show more", "quiet", self._more)
            if found:
                _export_all()
            else:
                self._empty()

    def mark(self, session_id: SessionId | None) -> None:
        """Show which conversation is open."""
        for each in (self._marked, session_id):
            if each in self._links:
                attribute(self._links[each], "aria-current", "true" if each == session_id else None)
        self._marked = session_id

    def show(self, *, is_asked: bool) -> None:
        """Make way while something is searched for."""
        self._place.set_visibility(not is_asked)

    async def _more(self) -> None:
        self._limit += _PAGE
        await self.refresh()

    def _groups(self, found: list[PastConversation], live: SessionId) -> None:
        today = datetime.now().astimezone().date()
        day: date | None = None
        items = Tag("ul")
        for each in found:
            if (its_day := each.last_at.date()) != day:
                day = its_day
                heading = f"day-{day.isoformat()}"
                Tag("h2", day_of(day, today=today), id=heading).classes("past-day")
                items = Tag("ul", aria_labelledby=heading).classes("past-items")
            with items, Tag("li"):
                self._item(each, is_live=each.session_id == live)

    def _item(self, each: PastConversation, *, is_live: bool) -> None:
        with place_link(Place(each.session_id), self._go) as made:
            made.classes("past-item")
            Tag("span", name_of(each)).classes("past-name")
            with Tag("span").classes("past-facts"):
                if is_live:
                    Tag("span", "Live").classes("tag live")
                ended = "" if is_live else f" · {end_of(each.cause, is_live=False)}"
                Tag("span", f"{time_of(each.last_at)} · {turns_of(each.turns)}{ended}")
        if each.session_id == self._marked:
            attribute(made, "aria-current", "true")
        self._links[each.session_id] = made

    def _empty(self) -> None:
        with Tag("div").classes("empty"):
            Tag("p", "Nothing has been kept yet.")
            if self._window.chat.settings.history.keep:
                Tag("p", "What you say to Pace will stand here, on this machine, for you alone.")
                Tag("a", "Begin a conversation", href="/").classes("button")
            else:
                Tag("p", "Keeping conversations is switched off.")
                Tag("a", "Change that", href="/settings#journal").classes("button")


def _export_all() -> None:
    with Tag("p").classes("past-export"):
        Tag("span", "Export everything as")
        Tag("a", "Markdown", href=f"{ADDRESS}/export?form=markdown", download=True)
        Tag("span", "or")
        Tag("a", "JSON lines", href=f"{ADDRESS}/export?form=jsonl", download=True)


def name_of(conversation: PastConversation) -> str:
    """The name that a person gave it, or its first words, on one line."""
    words = (conversation.name or conversation.first_words).lstrip()[:_LOOKED_AT]
    name = safe_line(words) or "Without words"
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


async def live_session(window: Window) -> SessionId:
    """The session in which the next words will be said."""
    memory = await window.chat.companion.memory(window.chat.thread_id)
    return memory.session_id
