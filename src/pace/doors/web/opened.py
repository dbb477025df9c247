"""A past conversation, opened: every turn as it was said, and what can be done with it."""

from collections.abc import Awaitable, Callable, Sequence
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
from pace.journal.rows import Entry, PastConversation
from pace.memory.turn import SessionId, TurnId

_PAGE = 50
_STILL_HELD = "The conversation itself goes on and remembers it until it is reset."
_GONE = "It will be gone from the history's file too, and nothing can bring it back."
_ON_ENTER = "(e) => { if (!e.isComposing) emit(e.target.value) }"


class Opened:
    """Shows one conversation, a page of turns at a time."""

    def __init__(self, window: Window, session_id: SessionId, go: Go) -> None:
        self._window = window
        self._session_id = session_id
        self._go = go
        self._shown = _PAGE
        self._entries: list[Entry] = []
        self._facts_shown: tuple[PastConversation, bool] | None = None
        self._is_live = False
        self._turns: dict[int, PastTurn] = {}
        self._continuing: Continuing | None = None
        self._back = place_link(Place(), go, "All conversations").classes("past-back")
        self._head = Tag("header").classes("past-title")
        self._told = Tag("p", role="status").classes("past-said")
        self._body = Tag("div").classes("past-turns")
        self._foot = Tag("div").classes("past-foot")

    async def refresh(self) -> None:
        """Read the conversation anew; whoever is choosing turns is not disturbed."""
        if self._continuing is not None and self._continuing.is_open:
            return
        try:
            entries = await self._read()
            facts = await self._window.history.conversation(self._session_id)
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
        if entries != self._entries:
            self._follow(entries)

    def point_at(self, number: int | None) -> None:
        """Bring a turn into sight, and have it stand out; without a number, the beginning."""
        if number is None:
            return
        at = next((at for at, each in enumerate(self._entries) if each.number == number), None)
        if at is None:
            self._told.set_text("That turn is not in the history any more.")
            return
        if at >= self._shown:
            self._shown = at + _PAGE
            self._show_turns()
        for each, turn in self._turns.items():
            turn.stand_out(is_meant=each == number)
        self._turns[number].focus()

    # --- reading

    async def _read(self) -> list[Entry]:
        entries = self._window.history.entries(session_id=self._session_id)
        return [entry async for entry in entries]

    # --- showing

    def _show_nothing(self, sentence: str) -> None:
        for part in (self._head, self._body, self._foot):
            part.clear()
        self._turns, self._entries, self._facts_shown = {}, [], None
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

    def _follow(self, entries: list[Entry]) -> None:
        """Add what was said since, take away what was deleted; anything else is shown anew."""
        before, self._entries = self._entries, entries
        if before and entries[: len(before)] == before and len(entries) <= self._shown:
            self._add_turns(entries[len(before) :])
            return
        if [entry for entry in before if entry in entries] != entries or len(before) > self._shown:
            self._show_turns()
            return
        gone = [entry.number for entry in before if entry not in entries]
        for number in gone:
            if (turn := self._turns.pop(number, None)) is not None:
                turn.delete()
        nearest = min(self._turns, key=lambda number: abs(number - gone[0]))
        self._turns[nearest].focus()

    def _show_turns(self) -> None:
        self._body.clear()
        self._foot.clear()
        self._turns = {}
        self._add_turns(self._entries[: self._shown])
        with self._foot:
            left = len(self._entries) - self._shown
            if left > 0:
                button(f"Show {min(left, _PAGE)} more of {left:,}", "quiet", self._more)
            self._continuing = Continuing(self._window.drafts, self._turns, self._body)

    def _add_turns(self, entries: Sequence[Entry]) -> None:
        with self._body:
            for entry in entries:
                self._turns[entry.number] = PastTurn(entry, self._deleting(entry))

    def _more(self) -> None:
        self._shown += _PAGE
        self._show_turns()

    def _continue(self) -> None:
        if self._continuing is not None:
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
        count = turns_of(len(self._entries))
        sentences = [f"All of it will be deleted, {count}. {_GONE}"]
        if self._is_live:
            sentences.append(_STILL_HELD)
        if not await confirmed("Delete this conversation?", *sentences, verb=f"Delete {count}"):
            return
        ids = [entry.turn.turn_id for entry in self._entries]
        if await self._delete(self._window.history.delete_conversation(self._session_id), ids):
            ui.navigate.history.replace(Place().address)
            await self._go(Place())
            await self._window.tell_of_history()

    def _deleting(self, entry: Entry) -> Callable[[], Awaitable[None]]:
        async def delete() -> None:
            sentences = [f"What you said will be deleted, and the reply. {_GONE}"]
            if self._is_live:
                sentences.append(_STILL_HELD)
            if not await confirmed("Delete this turn?", *sentences, verb="Delete the turn"):
                return
            deleting = self._window.history.delete_turn(entry.number)
            if await self._delete(deleting, [entry.turn.turn_id]):
                self._told.set_text("The turn is deleted.")
                await self._window.tell_of_history()

        return delete

    async def _delete(self, deleting: Awaitable[int], turn_ids: list[TurnId]) -> bool:
        """Delete, and take off the screens what had been loaded from the history."""
        try:
            # Somebody else may have deleted it while the question stood there.
            with suppress(NotInHistoryError):
                await deleting
        except HistoryError as error:
            self._told.set_text(str(error))
            return False
        session = self._window.chat.session
        for turn_id in turn_ids:
            row = session.row(turn_id)
            if row is not None and row.number is not None:
                session.remove(turn_id)
        return True
