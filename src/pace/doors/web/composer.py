"""The message box: what a person writes, and the keys of the page."""

from dataclasses import dataclass

from nicegui import Event
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from pace.asked import Words
from pace.memory.turn import TurnId

# The framework takes a megabyte in one message, and there a character may be written as seven.
_LONGEST = 140_000
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True)
class Composer:
    """The box, and what comes of it.

    `said` hears words with the id that they were given once, `drafted` what is being written,
    `pressed` the names of keys, `stopped` that the reply is to stop.
    """

    box: "_Box"
    said: Event[[Words]]
    drafted: Event[[str]]
    pressed: Event[[str]]
    stopped: Event[[]]

    @classmethod
    def build(cls) -> "Composer":
        """Put the box where the page is being built."""
        made = cls(_Box(), Event(), Event(), Event(), Event())
        made.box.on("say", made._say)
        made.box.on("draft", lambda event: made.drafted.emit(_text(event.args)))
        made.box.on("key", lambda event: made.pressed.emit(_text(event.args)))
        made.box.on("stop", lambda _: made.stopped.emit())
        return made

    def show(self, *, replying: bool, temporary: bool, goes_to: str = "") -> None:
        """Offer to stop a reply, and say that nothing is kept, and who gets the words."""
        self.box.props["replying"] = replying
        self.box.props["goes-to"] = goes_to
        self.box.props["temporary"] = temporary

    def offer(self, others: str) -> None:
        """Say who else could answer, after a turn that failed; nothing says it no more."""
        self.box.props["others"] = others

    def took(self, words: Words) -> None:
        """These words have become a turn."""
        self.box.run_method("took", words.turn_id)

    def give_back(self, words: Words, why: str) -> None:
        """These words have not; they stand in the box again."""
        self.box.run_method("giveBack", why, words.turn_id)

    def put(self, text: str) -> None:
        """Have the person go on writing this."""
        self.box.run_method("put", text)

    def restore(self, text: str) -> None:
        """Have the box hold this, unless the person has begun to write already."""
        if text:
            self.box.run_method("restore", text)

    def focus(self) -> None:
        """Have the person write."""
        self.box.run_method("focus")

    def edit(self, turn_id: TurnId, text: str) -> None:
        """Have the person write the last message anew."""
        self.box.run_method("edit", turn_id, text)

    def end_editing(self, turn_id: TurnId) -> None:
        """That message is not the last one any more."""
        self.box.run_method("endEditing", turn_id)

    def _say(self, event: GenericEventArguments) -> None:
        said = event.args if isinstance(event.args, dict) else {}
        turn_id = turn_id_of(said.get("id"))
        if turn_id is not None:
            self.said.emit(
                Words(
                    text=_text(said.get("text")),
                    turn_id=turn_id,
                    replaces=turn_id_of(said.get("replaces")),
                )
            )


class _Box(Element, component="components/composer.js"):
    """The box in the browser."""

    def __init__(self) -> None:
        super().__init__()
        self.props["longest"] = _LONGEST


def turn_id_of(value: object) -> TurnId | None:
    """An id that a browser gave to a turn; None if it is none."""
    is_id = isinstance(value, str) and 0 < len(value) <= _LONGEST_ID and value.isprintable()
    return TurnId(str(value)) if is_id else None


def _text(value: object) -> str:
    """What a browser sent, if it is a text."""
    return value if isinstance(value, str) else ""
