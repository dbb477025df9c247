"""Settings, changed from within the conversation: checked, saved and in force at the next turn."""

from collections.abc import Sequence

from rich.text import Text

from pace.doors.cli.terminal.canvas import Canvas
from pace.doors.cli.terminal.look import DIM, STRONG
from pace.doors.cli.terminal.talking import Talking
from pace.doors.cli.terminal.wrapping import labelled
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.errors import PaceError
from pace.planners.catalogue import LARGER, SHIPPED
from pace.planners.consent import recipient_of
from pace.ports import Risk
from pace.settings import Tier, check_name, every_setting, shown_value
from pace.settings_file import Change, Source

_DEFAULT = "default"
_INDENT = "  "


class Adjusting:
    """The commands that show and change settings."""

    def __init__(self, chat: OpenChat, canvas: Canvas, talking: Talking) -> None:
        self._chat = chat
        self._canvas = canvas
        self._talking = talking

    async def settings(self, rest: str) -> None:
        """Show all, show one, or change one."""
        name, _, value = rest.partition(" ")
        if not name:
            self._show_all()
        elif value.strip():
            await self._set(name, value.strip(), like=f"/settings {name} VALUE")
        else:
            self._show(name)

    async def window(self, rest: str) -> None:
        """Show or change the verbatim window."""
        await self._one("activity.window", rest, "/window 4")

    async def idle(self, rest: str) -> None:
        """Show or change the idle limit."""
        await self._one("activity.idle_minutes", rest, "/idle 20")

    async def remember(self, rest: str) -> None:
        """Switch remembering on or off; off forgets at once."""
        await self._one("activity.remember", rest, "/remember off")

    async def model(self, rest: str) -> None:
        """Show the model, or change it."""
        if rest:
            await self._set("planner.model", rest, like="/model default")
            return
        await self._show_model()
        self._canvas.write("")

    async def actions(self, rest: str) -> None:
        """Switch acting on or off, or show what there is to be done."""
        if rest:
            await self._one("actions.enabled", rest, "/actions on")
            return
        allowed = self._chat.settings.actions.allowed_names
        offered = self._chat.offered_actions
        cells = max((len(action.traits.name) for action in offered), default=0) + len(_INDENT) + 2
        for action in offered:
            traits = action.traits
            asks = "" if traits.risk is Risk.READS else "; asks"
            asks = "; allowed" if traits.name in allowed else asks
            told = safe_line(f"{traits.description.rstrip('.')}{asks}")
            self._canvas.write(
                *labelled(
                    f"{_INDENT}{safe_line(traits.name)}",
                    Text(told),
                    cells=cells,
                    width=self._canvas.width,
                    style=DIM,
                )
            )
        self._canvas.write("")
        is_on = self._chat.settings.actions.enabled
        self._talking.tell(
            "Pace may do these when you ask; /actions off stops that."
            if is_on
            else "Pace does nothing but talk now; /actions on lets it do these when you ask."
        )

    # --- showing

    def _show_all(self) -> None:
        infos = every_setting()
        cells = max(len(info.name) for info in infos) + 2
        for info in infos:
            value = safe_line(shown_value(self._chat.settings.get(info.name))) or "none"
            room = max(self._canvas.width - cells - len(_INDENT), len("none"))
            shown = value if len(value) <= room else f"{value[: room - 3]}..."
            self._canvas.write(Text.assemble((f"{_INDENT}{info.name:<{cells}}", DIM), shown))
        self._canvas.write("")
        self._talking.tell("/settings NAME tells more, /settings NAME VALUE changes it.")

    def _show(self, name: str) -> None:
        try:
            check_name(name)
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        info = next(info for info in every_setting() if info.name == name)
        source = self._chat.settings_file.source_of(name)
        rows = (
            ("value", safe_line(shown_value(self._chat.settings.get(name))) or "none"),
            ("from", _SOURCES[source]),
            ("does", info.description),
            ("can be", info.allowed),
            ("default", safe_line(shown_value(info.default)) or "none"),
        )
        self._rows(name, rows)

    async def _show_model(self) -> None:
        try:
            traits = await self._chat.parts.planner.traits()
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        who = f"{traits.name}, {'' if traits.on_this_machine else 'not '}on this machine"
        if recipient := recipient_of(self._chat.settings.planner):
            who = f"{recipient.command}; words go to {recipient.host}"
        rows = [
            ("model", safe_line(traits.model)),
            ("answers", safe_line(who)),
            ("context", f"{traits.context_tokens:,} tokens"),
        ]
        names = ", ".join(name for name, _ in model_choices(self._chat))
        if names:
            rows.append(("others", f"{names}, or a .gguf file: /model NAME"))
        if self._chat.note:
            rows.append(("note", safe_line(self._chat.note)))
        self._rows("Model", rows)

    def _rows(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        self._canvas.write(Text(title, STRONG), "")
        for label, value in rows:
            width = self._canvas.width
            self._canvas.write(*labelled(label, Text(value), cells=10, width=width, style=DIM))
        self._canvas.write("")

    # --- changing

    async def _one(self, name: str, rest: str, example: str) -> None:
        if rest:
            await self._set(name, rest, like=example)
            return
        info = next(info for info in every_setting() if info.name == name)
        value = shown_value(self._chat.settings.get(name))
        self._talking.tell(f"It is {value}: {info.description}. Change it like {example}.")

    async def _set(self, name: str, value: str, *, like: str) -> None:
        """Save a value and put it into force; if that fails, all is as it was."""
        file = self._chat.settings_file
        try:
            if value == _DEFAULT:
                change = file.reset(name)
            else:
                change = file.change(name, value, step=f"Type it like: {like}")
        except PaceError as error:
            self._talking.tell_error(str(error))
            return
        try:
            await self._chat.apply()
        except PaceError as error:
            file.undo(change)
            self._talking.tell_error(str(error))
            return
        self._talking.tell(safe_line(_said(change, self._chat.settings.activity.remember)))


def setting_choices() -> Sequence[tuple[str, str]]:
    """What `/settings` completes to."""
    return [(info.name, info.description) for info in every_setting()]


def model_choices(chat: OpenChat) -> Sequence[tuple[str, str]]:
    """What `/model` completes to."""
    if chat.settings.planner.tier is not Tier.EMBEDDED:
        return []
    return [(file.name, _size(file.size)) for file in (*SHIPPED, *LARGER)]


_SOURCES = {
    Source.DEFAULT: "its default",
    Source.FILE: "your settings file",
    Source.ENVIRONMENT: "the environment",
    Source.FLAG: "the command line",
    Source.RUN: "this run",
}


def _said(change: Change, remembers: bool) -> str:  # noqa: FBT001  # the value itself
    if change.name == "activity.remember" and not remembers:
        return f"{change.sentence} The conversation so far is forgotten."
    if change.is_overridden:
        return change.sentence
    return f"{change.sentence} It stays so in later conversations."


def _size(count: int) -> str:
    return f"{count / 1_000_000_000:.1f} GB"
