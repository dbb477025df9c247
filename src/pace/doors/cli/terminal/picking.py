"""`/tier`: who could answer, who does, and switching in the middle of a conversation."""

from collections.abc import Mapping, Sequence

from rich.text import Text

from pace.doors.cli.terminal.asking import InputLine
from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import ACCENT, DIM, WARNING
from pace.doors.cli.terminal.talking import Talking
from pace.doors.cli.terminal.wrapping import labelled, wrapped
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.doors.standing import standing
from pace.doors.switching import values_to_switch, who_answers
from pace.doors.yes import is_yes
from pace.errors import PaceError
from pace.folders import Folders
from pace.planners.offers import Offer, Ways, offers, pick_named
from pace.planners.picking import TIER, names, takes_address
from pace.settings import Provider, Tier
from pace.settings_file import Source

_CELLS = 14
_ADDRESSED = {Tier.LOCAL, Provider.CUSTOM}
_HERE = Ways(pick="/tier {name}", pick_at="/tier {name} {url}")


class Picking:
    """The command that shows and changes who answers."""

    def __init__(self, chat: OpenChat, canvas: Canvas, line: InputLine, talking: Talking) -> None:
        self._chat = chat
        self._canvas = canvas
        self._line = line
        self._talking = talking
        # Those that were called in this run, by whoever called them; settings hold one at a time.
        self._addresses: dict[str, str] = {}

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
            sign = self._canvas.look.signs.bullet if offer.is_active else " "
            label = f"{sign} {offer.command}"
            told = Text(_told(offer), "" if offer.is_usable else DIM)
            self._canvas.write(*labelled(label, told, cells=_CELLS, width=width, style=style))
        self._canvas.write("")
        stands = await standing(self._chat.settings, ways=_HERE)
        self._talking.tell(safe_line(f"{stands} Switch like: /tier local"))

    async def _switch(self, rest: str) -> None:
        """Have another one answer from the next turn on; the conversation stays as it is."""
        file, before = self._chat.settings_file, self._chat.settings.planner
        name, url = _name_and_address(rest)
        try:
            pick = await pick_named(
                name, before, base_url=url or self._addresses.get(name), ways=_HERE
            )
            values = await values_to_switch(file, before, pick, self._agrees)
            if values is None:
                self._talking.tell(f"Nothing is changed. {who_answers(self._chat.settings)}")
                return
            # What was switched by a flag is this run's alone, and so is what comes after it.
            is_of_run = file.source_of(TIER) in {Source.FLAG, Source.RUN}
            said = await self._put(values, is_of_run=is_of_run)
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        if before.base_url is not None and takes_address(before.tier, before.provider):
            self._addresses[before.provider or before.tier] = before.base_url
        self._talking.tell(safe_line(f"{await standing(self._chat.settings, ways=_HERE)} {said}"))

    async def _put(self, values: Mapping[str, object], *, is_of_run: bool) -> str:
        """Put the settings into force, all or none; says for how long. Raises PaceError."""
        file = self._chat.settings_file
        of_run = {n: v for n, v in values.items() if is_of_run and n.startswith("planner.")}
        before = {name: file.current.get(name) for name in of_run}
        changes = file.change_all({n: v for n, v in values.items() if n not in of_run})
        try:
            for name, value in of_run.items():
                file.wish(name, value)
            await self._chat.apply()
        except PaceError:
            for name, value in before.items():
                file.wish(name, value)
            file.undo_all(changes)
            raise
        if of_run:
            return "That holds for this run."
        overridden = [change.sentence for change in changes if change.is_overridden]
        return " ".join(overridden) if overridden else "It stays so in later conversations."

    async def _agrees(self, sentence: str) -> bool:
        """Ask whether words may leave this machine; whatever is not a yes is a no."""
        width = self._canvas.width
        self._canvas.write(*wrapped(Text(safe_line(sentence), WARNING), width))
        self._canvas.write(*wrapped(Text("Do you want that? Type yes or no.", DIM), width))
        answer = await self._line.ask("", beside=_nothing)
        self._canvas.write("")
        return is_yes(answer)


async def _nothing() -> None:
    """Nothing goes on beside the question."""


def _name_and_address(rest: str) -> tuple[str, str | None]:
    """A name, and the address behind it, if there is one; names of servers may be of two words."""
    *name, last = rest.split()
    if name and ("://" in last or name[0].lower() in _ADDRESSED):
        return " ".join(name), last
    return rest, None


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
