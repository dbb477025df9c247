"""A past conversation, opened: its turns as they were said, and what can be done with it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlencode

from nicegui import json, ui

from pace.doors.safe_text import safe_line
from pace.doors.web.confirming import confirmed
from pace.doors.web.continuing import Continuing
from pace.doors.web.fields import Field
from pace.doors.web.listing import live_session, name_of
from pace.doors.web.past_turn import PastTurn
from pace.doors.web.places import ADDRESS, Go, Place, place_link
from pace.doors.web.plain import Tag, button
from pace.doors.web.saying_when import date_of, end_of, time_of, turns_of
from pace.doors.web.window import Window
from pace.errors import HistoryError, NotInHistoryError
from pace.journal.rows import Entry, Page, PastConversation
from pace.memory.turn import SessionId

_PAGE = 50
_GONE = "It will be gone from the history's file too, and nothing can bring it back."
_ON_ENTER = "(e) => { if (!e.isComposing) emit(e.target.value) }"


class Opened:
    """Shows one conversation, a page of turns at a time; no more of it is read than is shown."""

    def __init__(self, window: Window, session_id: SessionId, go: Go) -> None:
        self._window = window
        self._session_id = session_id
        self._go = go
        self._first = 1
        self._limit = _PAGE
        self._page = Page([], 0, 0)
        self._reading = asyncio.Lock()
        self._facts_shown: tuple[PastConversation, bool] | None = None
        self._is_live = False
        self._turns: dict[int, PastTurn] = {}
        self._back = place_link(Place(), go, "All conversations").classes("past-back")
        self._head = Tag("header").classes("past-title")
        self._told = Tag("p", role="status").classes("past-said")
        self._earlier = Tag("div").classes("past-rest")
        self._body = Tag("div").classes("past-turns")
        self._later = Tag("div").classes("past-rest")
        with Tag("div").classes("past-foot"):
            self._continuing = Continuing(window.drafts, self._turns, self._body)

    async def begin(self, number: int | None) -> None:
        """Show it from its beginning, or around a turn."""
        if number is not None:
            with suppress(HistoryError):
                await self._look_for(number)
        await self.refresh()

    async def refresh(self) -> None:
        """Read anew what is shown; whoever is choosing turns is not disturbed."""
        if self._continuing.is_open:
            return
        async with self._reading:
            await self._read()

    async def point_at(self, number: int | None) -> None:
        """Bring a turn into sight, and have it stand out; without a number, stay."""
        if number is None:
            return
        if number not in self._turns and self._continuing.is_open:
            self._told.set_text("Put the quotation into the message box first, or cancel it.")
            return
        if number not in self._turns:
            await self.begin(number)
        if number not in self._turns:
            self._told.set_text("That turn is not in the history any more.")
            return
        for each, turn in self._turns.items():
            turn.stand_out(is_meant=each == number)
        self._turns[number].focus()

    # --- reading

    async def _look_for(self, number: int) -> None:
        """Have a page begin so that a turn is in its middle, if there is that turn."""
        around = await self._window.history.page(
            self._session_id, first=number, before=_PAGE // 2, limit=1
        )
        if around.entries and around.entries[-1].number == number:
            self._first, self._limit = around.entries[0].number, _PAGE

    async def _read(self) -> None:
        history = self._window.history
        try:
            page = await history.page(self._session_id, first=self._first, limit=self._limit)
            if not page.entries:
                # All of this page was deleted.
                self._first = 1
                page = await history.page(self._session_id, limit=self._limit)
            facts = await history.conversation(self._session_id)
        except NotInHistoryError:
            self._show_nothing("This conversation is not in the history any more.")
            return
        except HistoryError as error:
            self._show_nothing(str(error))
            return
        self._is_live = await live_session(self._window) == self._session_id
        # What is shown already stays where it is, with whatever the person is doing there.
        if (facts, self._is_live) != self._facts_shown:
            self._facts_shown = (facts, self._is_live)
            self._show_head(facts)
        if page != self._page:
            await self._follow(page)

    async def _read_earlier(self) -> None:
        async with self._reading:
            first = self._first
            with suppress(HistoryError):
                page = await self._window.history.page(
                    self._session_id, first=first, before=_PAGE, limit=0
                )
                if page.entries:
                    self._first = page.entries[0].number
                    self._limit += len(page.entries)
            await self._read()

    async def _read_later(self) -> None:
        async with self._reading:
            self._limit += _PAGE
            await self._read()

    # --- showing

    def _show_nothing(self, sentence: str) -> None:
        for part in (self._head, self._earlier, self._body, self._later):
            part.clear()
        self._turns.clear()
        self._page, self._facts_shown = Page([], 0, 0), None
        with self._body:
            Tag("p", sentence).classes("empty")

    def _show_head(self, facts: PastConversation) -> None:
        self._head.clear()
        with self._head:
            with Tag("div").classes("past-named") as named:
                self._show_name(named, facts)
            ended = end_of(facts.cause, is_live=self._is_live)
            when = f"{date_of(facts.began_at)}, {time_of(facts.began_at)}"
            Tag("p", f"{when} · {turns_of(facts.turns)} · {ended}").classes("hint")
            with Tag("div").classes("row"):
                button("Continue…", "primary small", self._continue)
                self._renames = button("Rename", "small", lambda: self._ask_name(named, facts))
                self._export("Export Markdown", "markdown")
                self._export("Export JSON lines", "jsonl")
                button("Delete…", "danger small", self._delete_all)

    def _show_name(self, place: Tag, facts: PastConversation) -> None:
        place.clear()
        with place:
            Tag("h2", name_of(facts))

    def _export(self, text: str, form: str) -> None:
        asked = urlencode({"form": form, "conversation": self._session_id})
        Tag("a", text, href=f"{ADDRESS}/export?{asked}", download=True).classes("button small")

    async def _follow(self, page: Page) -> None:
        """Add and take away turns; if others were changed, all are shown anew."""
        before = {entry.number: entry for entry in self._page.entries}
        now = {entry.number: entry for entry in page.entries}
        self._page = page
        kept = before.keys() & now.keys()
        if not kept or any(before[number] != now[number] for number in kept):
            self._body.clear()
            self._turns.clear()
        for number in self._turns.keys() - now.keys():
            self._turns.pop(number).delete()
        await self._add_turns(page)
        self._show_rest(self._earlier, page.earlier, "Show {} earlier of {}", self._read_earlier)
        self._show_rest(self._later, page.later, "Show {} more of {}", self._read_later)
        gone = [number for number in before if number not in now]
        if kept and gone:
            nearest = min(self._turns, key=lambda number: abs(number - gone[0]))
            self._turns[nearest].focus()

    async def _add_turns(self, page: Page) -> None:
        for at, entry in enumerate(page.entries):
            if entry.number in self._turns:
                continue
            # A turn may be long, and other tabs are waiting, too.
            await asyncio.sleep(0)
            if self._body.is_deleted:
                return
            with self._body:
                turn = PastTurn(entry, self._deleting(entry))
            turn.place_at(at)
            turn.when_chosen = self._continuing.chosen
            self._turns[entry.number] = turn

    def _show_rest(
        self, place: Tag, left: int, told: str, read: Callable[[], Awaitable[None]]
    ) -> None:
        place.clear()
        if left and not place.is_deleted:
            with place:
                button(told.format(min(left, _PAGE), f"{left:,}"), "quiet", read)

    def _continue(self) -> None:
        self._continuing.begin()

    # --- its name

    def _ask_name(self, place: Tag, facts: PastConversation) -> None:
        async def save(name: str) -> None:
            await self._rename(name)

        def keep() -> None:
            self._show_name(place, facts)
            self._renames.run_method("focus")

        place.clear()
        with place:
            field = Field("input", name_of(facts), aria_label="Name", maxlength="200")
            field.classes("input")
            field.on("keydown.enter", lambda e: save(str(e.args)), js_handler=_ON_ENTER)
            field.on("keydown.esc", lambda _: keep(), js_handler="() => emit()")
            reads = f"() => emit(document.getElementById({json.dumps(field.html_id)}).value)"
            made = Tag("button", "Save", type="button").classes("button small primary")
            made.on("click", lambda e: save(str(e.args)), js_handler=reads)
            button("Cancel", "quiet small", keep)
        field.focus()

    async def _rename(self, name: str) -> None:
        try:
            await self._window.history.rename(self._session_id, safe_line(name))
        except HistoryError as error:
            self._told.set_text(str(error))
            return
        self._told.set_text("Renamed." if name.strip() else "Named by its first words again.")
        self._facts_shown = None
        await self._window.tell_of_history()
        self._renames.run_method("focus")

    # --- deleting

    async def _delete_all(self) -> None:
        turns = 0 if self._facts_shown is None else self._facts_shown[0].turns
        count = turns_of(turns)
        sentences = [f"All of it will be deleted, {count}. {_GONE}"]
        if self._is_live:
            sentences += self._window.outlives_deletion()
        if not await confirmed("Delete this conversation?", *sentences, verb=f"Delete {count}"):
            return
        if await self._delete(self._window.history.delete_conversation(self._session_id)):
            ui.navigate.history.replace(Place().address)
            await self._go(Place())
            await self._window.tell_of_history()

    def _deleting(self, entry: Entry) -> Callable[[], Awaitable[None]]:
        async def delete() -> None:
            sentences = [f"What you said will be deleted, and the reply. {_GONE}"]
            if self._is_live:
                sentences += self._window.outlives_deletion()
            if not await confirmed("Delete this turn?", *sentences, verb="Delete the turn"):
                return
            if await self._delete(self._window.history.delete_turn(entry.number)):
                self._told.set_text("The turn is deleted.")
                await self._window.tell_of_history()

        return delete

    async def _delete(self, deleting: Awaitable[int]) -> bool:
        try:
            # Somebody else may have deleted it while the question stood there.
            with suppress(NotInHistoryError):
                await deleting
        except HistoryError as error:
            self._told.set_text(str(error))
            return False
        return True
