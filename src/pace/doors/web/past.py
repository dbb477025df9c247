"""The page at /conversations: what was said before, to be read, found, continued and deleted."""

from pathlib import Path

from nicegui import ui

from pace.chat import Change, ChangeKind, Row
from pace.doors.web.fields import Field
from pace.doors.web.finding import Finding
from pace.doors.web.frame import frame
from pace.doors.web.listing import Listing
from pace.doors.web.opened import Opened
from pace.doors.web.places import Place, go_back_with
from pace.doors.web.plain import Tag
from pace.doors.web.window import Window

_STYLE = (Path(__file__).parent / "past.css").read_text(encoding="utf-8")
_LOOK_SECONDS = 0.5


async def past_page(window: Window, place: Place) -> None:
    """Show the list, and beside it the conversation that the address names."""
    ui.add_css(_STYLE)
    with frame(window, "/conversations"):
        await _PastPage(window).begin(place)


class _PastPage:
    """The list, or what a search found, on one side; an opened conversation on the other."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._place = Place()
        self._opened: Opened | None = None
        self._is_stale = False
        with Tag("div").classes("past") as self._whole:
            with Tag("section", aria_label="Past conversations").classes("past-side"):
                Tag("h1", "Conversations")
                self._search_field()
                self._finding = Finding(window.history, self.go)
                self._listing = Listing(window, self.go)
            self._side = Tag("section", aria_label="Opened conversation").classes("past-opened")

    async def begin(self, place: Place) -> None:
        """Show everything for the first time, and keep it as it should be from then on."""
        await self._listing.refresh()
        await self.go(place)
        go_back_with(self.go)
        self._window.history_changed.subscribe(self._refresh)
        unsubscribe = self._window.chat.session.subscribe(self._heard)
        ui.context.client.on_delete(unsubscribe)
        ui.timer(_LOOK_SECONDS, self._look)

    async def go(self, place: Place) -> None:
        """Show a conversation; one that is open already stays as it is."""
        is_same = self._opened is not None and self._place.session_id == place.session_id
        self._place = place
        is_open = place.session_id is not None
        self._whole.classes(add="is-open" if is_open else "", remove="" if is_open else "is-open")
        self._listing.mark(place.session_id)
        if not is_same:
            await self._open()
        if self._opened is not None:
            await self._opened.point_at(place.number)

    async def _open(self) -> None:
        self._side.clear()
        self._opened = None
        with self._side:
            if self._place.session_id is None:
                Tag("p", "Choose a conversation to read it.").classes("empty")
                return
            self._opened = Opened(self._window, self._place.session_id, self.go)
        await self._opened.begin(self._place.number)

    def _search_field(self) -> None:
        Field(
            "input",
            "",
            typed=self._search,
            pause=0.15,
            type="search",
            placeholder="Search everything said",
            aria_label="Search the history",
            autocomplete="off",
            spellcheck="false",
        ).classes("input")

    async def _search(self, text: str) -> None:
        is_asked = await self._finding.search(text)
        self._listing.show(is_asked=is_asked)

    def _heard(self, change: Change) -> None:
        is_typing = isinstance(change.line, Row) and change.line.is_open
        if change.kind is not ChangeKind.ALL and not is_typing:
            self._is_stale = True

    async def _look(self) -> None:
        """Read anew after turns of the live conversation; several at once are one."""
        if self._is_stale:
            await self._refresh()

    async def _refresh(self) -> None:
        self._is_stale = False
        await self._listing.refresh()
        await self._finding.again()
        if self._opened is not None:
            await self._opened.refresh()
