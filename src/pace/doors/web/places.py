"""Which past conversation a tab shows: an address to keep, to open twice, and to go back to.

An address holds ids and numbers, and no word of what was said.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qs, urlencode

from nicegui import events, ui

from pace.doors.web.plain import Tag
from pace.memory.turn import SessionId

ADDRESS = "/conversations"

# A click with a key held is the browser's: another tab, another window, a download.
_GO = """(e) => {
  if (e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || e.button) return;
  e.preventDefault();
  history.pushState(null, "", e.currentTarget.href);
  emit();
}"""
_HEAR = "addEventListener('popstate', () => emitEvent('place', location.search))"


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation and a turn in it, if one is meant; without both, the list alone."""

    session_id: SessionId | None = None
    number: int | None = None

    @classmethod
    def of(cls, conversation: str, turn: str) -> Self:
        """A place as an address names it; what is no number names no turn."""
        is_number = turn.isascii() and turn.isdecimal() and len(turn) < len(str(2**63))
        return cls(
            SessionId(conversation) if conversation else None, int(turn) if is_number else None
        )

    @property
    def address(self) -> str:
        """Where the place is."""
        if self.session_id is None:
            return ADDRESS
        turn = {} if self.number is None else {"turn": self.number}
        return f"{ADDRESS}?{urlencode({'conversation': self.session_id, **turn})}"


Go = Callable[[Place], Awaitable[None]]


def place_link(place: Place, go: Go, text: str = "") -> Tag:
    """A link that changes what this tab shows, without leaving the page."""
    made = Tag("a", text, href=place.address)
    made.on("click", lambda _: go(place), js_handler=_GO)
    return made


def go_back_with(go: Go) -> None:
    """Follow the browser's own ways back and forth."""

    async def heard(event: events.GenericEventArguments) -> None:
        named = parse_qs(str(event.args).removeprefix("?"))
        await go(Place.of(named.get("conversation", [""])[0], named.get("turn", [""])[0]))

    ui.on("place", heard)
    ui.run_javascript(_HEAR)
