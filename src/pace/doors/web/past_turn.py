"""One turn of the past: the person's words, the reply, and what became of it."""

from collections.abc import Awaitable, Callable

from nicegui import json, ui

from pace.doors.safe_text import safe_line, safe_text
from pace.doors.web.fields import Check
from pace.doors.web.plain import Tag, button
from pace.doors.web.safe_html import LONGEST_MARKDOWN, safe_html
from pace.doors.web.saying_when import time_of
from pace.journal.rows import Entry, TurnSource, TurnStatus

_STATUS = {
    TurnStatus.INTERRUPTED: "interrupted",
    TurnStatus.REPLACED: "replaced by a later turn",
    TurnStatus.TAKEN_BACK: "taken back",
    TurnStatus.FAILED: "failed",
}


# Beyond this, the first words of a turn stand for it until somebody wants to read them all.
_LONGEST = 4_000


class PastTurn:
    """Shows a turn. `is_chosen` says whether it is to be quoted."""

    def __init__(self, entry: Entry, delete: Callable[[], Awaitable[None]]) -> None:
        self.entry = entry
        self.is_chosen = False
        self.when_chosen: Callable[[], None] = _unheard
        turn = entry.turn
        place = self.place_of(entry.number)
        with Tag("article", id=place, tabindex="-1", data_number=str(entry.number)) as self._whole:
            self._whole.classes("past-turn")
            if turn.status in {TurnStatus.REPLACED, TurnStatus.TAKEN_BACK}:
                self._whole.classes("is-past")
            with Tag("header").classes("past-turn-head"):
                with Tag("label").classes("choose"):
                    self._check = Check("checkbox", "chosen", heard=self._heard, is_on=False)
                    Tag("span", "Quote this turn")
                Tag("span", _facts(entry)).classes("past-when")
                if entry.is_damaged:
                    Tag("span", "damaged in the file").classes("tag status")
                if turn.status in _STATUS:
                    Tag("span", _STATUS[turn.status]).classes("tag status")
                what = f"Delete the turn of {time_of(turn.said_at)}"
                button("Delete", "quiet small delete", delete).props["aria-label"] = what
            _words(turn.user_text)
            if turn.reply_text:
                _reply(turn.reply_text)
            else:
                Tag("p", "There was no reply.").classes("hint")

    @staticmethod
    def place_of(number: int) -> str:
        """The id under which a turn stands in the page."""
        return f"turn-{number}"

    @property
    def can_be_quoted(self) -> bool:
        """Whether it is part of what was said in the end."""
        return self.entry.turn.status in {TurnStatus.ANSWERED, TurnStatus.INTERRUPTED}

    def focus(self) -> None:
        """Bring it into sight, and have the keyboard be there."""
        where = json.dumps(self.place_of(self.entry.number))
        self._whole.client.run_javascript(
            f"const turn = document.getElementById({where});"
            "turn.scrollIntoView({block: 'center'}); turn.focus({preventScroll: true});"
        )

    def place_at(self, index: int) -> None:
        """Stand among the other turns as the one with this index."""
        self._whole.move(target_index=index)

    def delete(self) -> None:
        """Take it off the page."""
        self._whole.delete()

    def choose(self, *, is_chosen: bool) -> None:
        """Choose it, or not."""
        self.is_chosen = is_chosen
        self._check.show(is_on=is_chosen)

    def stand_out(self, *, is_meant: bool) -> None:
        """Be the one that a link led to, or not."""
        self._whole.classes(
            add="is-meant" if is_meant else "", remove="" if is_meant else "is-meant"
        )

    def _heard(self, value: str) -> None:
        self.is_chosen = bool(value)
        self.when_chosen()


def _words(text: str) -> None:
    said = Tag("div", safe_text(text[:_LONGEST])).classes("said")
    if len(text) > _LONGEST:
        _show_all(text, lambda: said.set_text(safe_text(text)))


def _reply(text: str) -> None:
    is_long = len(text) > LONGEST_MARKDOWN
    shown = ui.html(safe_html(text[:_LONGEST] if is_long else text), sanitize=False)
    shown.classes("reply prose")
    if is_long:
        _show_all(text, lambda: shown.set_content(safe_html(text)))


def _show_all(text: str, show: Callable[[], object]) -> None:
    """Offer the rest of what is too long to be shown with all else."""

    def pressed() -> None:
        show()
        made.delete()

    made = button(f"Show all {len(text):,} characters", "small quiet", pressed)


def _facts(entry: Entry) -> str:
    turn = entry.turn
    by = safe_line(turn.model or turn.planner)
    source = "" if turn.source is TurnSource.CHAT else f" · {turn.source}"
    return f"{time_of(turn.said_at)}{source}{f' · {by}' if by else ''}"


def _unheard() -> None:
    """Nobody is choosing."""
