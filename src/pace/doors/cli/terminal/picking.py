"""`/tier`: who could answer, who does, and switching in the middle of a conversation."""

from collections.abc import Sequence

from rich.text import Text

from pace.doors.cli.terminal.asking import InputLine
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import ACCENT, DIM, WARNING
from pace.doors.cli.terminal.talking import Talking
from pace.doors.cli.terminal.wrapping import labelled, wrapped
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.doors.switching import values_to_switch, who_answers
from pace.errors import PaceError
from pace.folders import Folders
from pace.planners.offers import Offer, offers, pick_named
from pace.planners.picking import names
from pace.settings import Provider

_CELLS = 14
_YES = "yes"


class Picking:
    """The command that shows and changes who answers."""

    def __init__(self, chat: OpenChat, canvas: Canvas, line: InputLine, talking: Talking) -> None:
        self._chat = chat
        self._canvas = canvas
        self._line = line
        self._talking = talking

    async def tier(self, rest: str) -> None:
        """Show all that could answer, or switch."""
        if rest:
            await self._switch(rest)
        else:
            await self._show()

    async def _show(self) -> None:
        found = await offers(self._chat.settings, models=Folders.of().models)
        width = self._canvas.width
        for offer in found:
            style = ACCENT if offer.is_active else DIM
            sign = self._canvas.look.signs.you if offer.is_active else " "
            label = f"{sign} {offer.command}"
            told = Text(_told(offer), "" if offer.is_usable else DIM)
            self._canvas.write(*labelled(label, told, cells=_CELLS, width=width, style=style))
        self._canvas.write("")
        self._talking.tell(f"{who_answers(self._chat.settings)} Switch like: /tier local")

    async def _switch(self, name: str) -> None:
        """Have another one answer from the next turn on; the conversation stays as it is."""
        file = self._chat.settings_file
        try:
            pick = await pick_named(name, self._chat.settings.planner)
            values = await values_to_switch(self._chat.settings, pick, self._agrees)
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        if values is None:
            self._talking.tell(f"Nothing is changed. {who_answers(self._chat.settings)}")
            return
        try:
            changes = file.change_all(values)
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        try:
            await self._chat.apply()
        except PaceError as error:
            file.undo_all(changes)
            self._talking.tell_error(str(error))
            return
        overridden = [change.sentence for change in changes if change.is_overridden]
        self._talking.tell(safe_line(" ".join([who_answers(self._chat.settings), *overridden])))

    async def _agrees(self, sentence: str) -> bool:
        """Ask whether words may leave this machine; whatever is not a yes is a no."""
        width = self._canvas.width
        self._canvas.write(*wrapped(Text(safe_line(sentence), WARNING), width))
        self._canvas.write(*wrapped(Text("Do you want that? Type yes or no.", DIM), width))
        answer = await self._line.ask("", beside=_nothing)
        self._canvas.write("")
        return (answer or "").strip().lower() == _YES


async def _nothing() -> None:
    """Nothing goes on beside the question."""


def tier_choices() -> Sequence[tuple[str, str]]:
    """What `/tier` completes to."""
    return [(name, _words(name)) for name in names() if name not in {"cli", "direct"}]


def _words(name: str) -> str:
    if name in set(Provider):
        return "sends words off this machine"
    return "on this machine"


def _told(offer: Offer) -> str:
    where = f" (sends words to {offer.host})" if offer.host else ""
    return safe_line(f"{offer.told}{where}")
