"""What a search of the whole history found, while it is typed; what was found is marked."""

from datetime import datetime

from pace.doors.safe_text import safe_text
from pace.doors.web.places import Go, Place, place_link
from pace.doors.web.plain import Tag, button
from pace.doors.web.saying_when import day_of, time_of
from pace.errors import HistoryError
from pace.history import PaceHistory
from pace.journal.rows import Found, TurnStatus
from pace.journal.words import Snippet
from pace.memory.turn import is_blank

_PAGE = 20


class Finding:
    """Shows the turns that hold what is typed, the best first; each leads to its place."""

    def __init__(self, history: PaceHistory, go: Go) -> None:
        self._history = history
        self._go = go
        self._text = ""
        self._limit = _PAGE
        self._told = Tag("p", role="status").classes("hint past-told")
        self._place = Tag("ol").classes("past-found")
        self._more = button("Show more", "quiet", self._show_more)
        self._more.set_visibility(False)

    async def search(self, text: str) -> bool:
        """Show what holds this text; False if nothing is asked for."""
        self._text, self._limit = text, _PAGE
        await self._look()
        return not is_blank(text)

    async def again(self) -> None:
        """Look once more: something was said or deleted."""
        if not is_blank(self._text):
            await self._look()

    async def _show_more(self) -> None:
        self._limit += _PAGE
        await self._look()

    async def _look(self) -> None:
        text, limit = self._text, self._limit
        try:
            found = await self._history.search(text, limit=limit + 1)
        except HistoryError as error:
            self._show([], str(error))
            return
        if (text, limit) == (self._text, self._limit):
            self._show(found[:limit], _told(text, found, limit))
            self._more.set_visibility(len(found) > limit)

    def _show(self, found: list[Found], told: str) -> None:
        self._told.set_text(told)
        self._more.set_visibility(False)
        self._place.clear()
        today = datetime.now().astimezone().date()
        with self._place:
            for each in found:
                turn = each.entry.turn
                with (
                    Tag("li"),
                    place_link(Place(turn.session_id, each.entry.number), self._go) as a,
                ):
                    a.classes("past-item")
                    with Tag("span").classes("past-facts"):
                        day = day_of(turn.said_at.date(), today=today)
                        Tag("span", f"{day}, {time_of(turn.said_at)}")
                        if turn.status is not TurnStatus.ANSWERED:
                            Tag("span", turn.status).classes("tag")
                    _piece("You", each.said)
                    _piece("Pace", each.reply)


def _told(text: str, found: list[Found], limit: int) -> str:
    if is_blank(text):
        return ""
    if not found:
        return "Nothing found. Every word has to occur in one turn; beginnings of words are enough."
    if len(found) > limit:
        return f"The best {limit}."
    return f"{len(found)} turn{'s' * (len(found) != 1)} found."


def _piece(who: str, snippet: Snippet) -> None:
    """One line of a turn, as text and marks: nothing in it is read as HTML."""
    if not snippet.text:
        return
    with Tag("span").classes("past-piece"):
        Tag("span", f"{who}: ").classes("past-speaker")
        at = 0
        for start, end in snippet.found:
            _plain(snippet.text[at:start])
            Tag("mark", safe_text(snippet.text[start:end]))
            at = end
        _plain(snippet.text[at:])


def _plain(text: str) -> None:
    if text:
        Tag("span", safe_text(text))
