"""Continuing a past conversation: chosen turns, quoted by the person, in their next message.

The past is never fed back by itself. What is quoted can be read and changed before it is sent.
"""

from collections.abc import Mapping, Sequence

from nicegui import ui

from pace.doors.web.fields import Field, attribute
from pace.doors.web.past_turn import PastTurn
from pace.doors.web.plain import Tag, button
from pace.doors.web.window import Drafts
from pace.journal.rows import Entry
from pace.memory.tokens import estimate_tokens
from pace.memory.turn import is_blank

_CHOOSING = "is-choosing"


class Continuing:
    """A text box with a quotation of the turns that are chosen in the conversation above it."""

    def __init__(self, drafts: Drafts, turns: Mapping[int, PastTurn], around: Tag) -> None:
        self._drafts = drafts
        self._turns = turns
        self._around = around
        self._text = ""
        self._is_own = False
        self.is_open = False
        self._place = Tag("section", aria_label="Continue").classes("continuing")
        self._place.set_visibility(False)

    def begin(self) -> None:
        """Offer the turns to choose from, the last one chosen."""
        if self.is_open:
            return
        self.is_open = True
        self._around.classes(add=_CHOOSING)
        quotable = [turn for turn in self._in_order() if turn.can_be_quoted]
        for turn in self._turns.values():
            turn.choose(is_chosen=turn in quotable[-1:])
        self._text = self._quoted()
        self._is_own = False
        with self._place:
            self._build()
        self._place.set_visibility(True)
        ui.run_javascript(
            f"document.getElementById('{self._place.html_id}').scrollIntoView({{block: 'end'}})"
        )
        self._field.run_method("focus")

    def _build(self) -> None:
        with Tag("div").classes("field"):
            Tag("label", "Your next message begins with", for_="quotation")
            self._field = Field(
                "textarea",
                self._text,
                typed=self._typed,
                id="quotation",
                rows="7",
                aria_describedby="quotation-hint",
            )
            hint = (
                "Choose turns above; change the text as you like. It is sent as your own words, "
                "and nothing else of this conversation is."
            )
            Tag("p", hint, id="quotation-hint").classes("hint")
        with Tag("div").classes("row"):
            self._go = button("Put it into the message box", "primary", self._put)
            self._again = button("Quote the chosen turns anew", "quiet", self._quote_anew)
            self._again.set_visibility(False)
            button("Cancel", "quiet", self._end)
            self._size = Tag("span").classes("hint")
        self._weigh()

    def chosen(self) -> None:
        """Follow the choice, unless the person has changed the text: that is theirs."""
        if not self.is_open:
            return
        if self._is_own:
            self._again.set_visibility(True)
        else:
            self._quote_anew()

    def _quote_anew(self) -> None:
        self._text, self._is_own = self._quoted(), False
        self._field.show(self._text)
        self._again.set_visibility(False)
        self._weigh()

    def _typed(self, text: str) -> None:
        self._text, self._is_own = text, True
        self._weigh()

    def _weigh(self) -> None:
        attribute(self._go, "disabled", is_blank(self._text))
        self._size.set_text(f"about {estimate_tokens(self._text):,} tokens")

    def _put(self) -> None:
        self._drafts.put(self._text)
        ui.navigate.to("/")

    def _end(self) -> None:
        self.is_open = False
        self._around.classes(remove=_CHOOSING)
        self._place.clear()
        self._place.set_visibility(False)

    def _quoted(self) -> str:
        return quotation([turn.entry for turn in self._in_order() if turn.is_chosen])

    def _in_order(self) -> list[PastTurn]:
        return [turn for _, turn in sorted(self._turns.items())]


def quotation(entries: Sequence[Entry]) -> str:
    """Turns as a person would quote them; nothing, if there are none."""
    if not entries:
        return ""
    pieces = [
        f"{_block('I', entry.turn.user_text)}\n>\n{_block('You', entry.turn.reply_text)}"
        if entry.turn.reply_text
        else _block("I", entry.turn.user_text)
        for entry in entries
    ]
    return "Earlier we said:\n\n" + "\n>\n".join(pieces) + "\n\n"


def _block(who: str, words: str) -> str:
    first, *rest = words.strip().splitlines() or [""]
    return "\n".join([f"> {who}: {first}", *(f"> {line}".rstrip() for line in rest)])
