"""What Pace may do besides talk: on or off, what there is, and what runs without asking."""

from pace.acting import permission_for
from pace.doors.safe_text import safe_line
from pace.doors.web.adjusting import Adjusting, shown_error
from pace.doors.web.plain import Tag, button
from pace.doors.web.setting_rows import LineRow, SettingRow, SwitchRow
from pace.doors.web.window import Window
from pace.errors import PaceError
from pace.ports import Action, Risk
from pace.settings_file import Without

_ALLOWED = "actions.allowed"
_ENDS = tuple(".!?:…。！？")


class ActionsSettings:
    """The rows of the section, and the list of actions below them."""

    def __init__(self, window: Window, adjusting: Adjusting) -> None:
        self._window = window
        self._adjusting = adjusting
        self._shown: tuple[object, ...] | None = None

        def row(kind: type[SettingRow], name: str, hint: str) -> SettingRow:
            return kind(adjusting, lambda: window.chat.settings, name, hint)

        self.rows = [
            row(
                SwitchRow,
                "actions.enabled",
                "Let Pace do things on this machine. It asks before it changes anything. The model "
                "is told what there is, which makes every prompt longer.",
            ),
            row(LineRow, "actions.notes_folder", "The folder of notes; empty for Pace's own."),
            row(
                LineRow,
                "actions.mcp_file",
                "A file that names MCP servers; empty for mcp.json beside the settings.",
            ),
        ]
        with Tag("details").classes("advanced"):
            Tag("summary", "What Pace can do")
            self._list = Tag("ul").classes("actions-list")
            self._said = Tag("p", role="status").classes("setting-said")
        self.follow()

    def follow(self) -> None:
        """Show the actions as they are now; servers come and go."""
        actions = self._window.chat.offered_actions
        permissions = self._window.chat.settings.actions.allowed_names
        allowed = {name.removesuffix(":high") for name in permissions}
        state = (tuple(action.traits for action in actions), allowed)
        if state == self._shown:
            return
        self._shown = state
        self._list.clear()
        with self._list:
            for action in actions:
                self._show(action, is_allowed=action.traits.name in allowed)

    def _show(self, action: Action, *, is_allowed: bool) -> None:
        traits = action.traits
        with Tag("li").classes("row"):
            with Tag("span").classes("choice-text"):
                Tag("span", safe_line(traits.name)).classes("setting-name")
                told = f"{ended(safe_line(traits.description))} {_asks(traits.risk, is_allowed)}"
                Tag("span", told.strip()).classes("hint")
            if is_allowed:
                button("Ask again", "small", lambda: self._ask_again(traits.name))

    async def _ask_again(self, name: str) -> None:
        try:
            for permission in (name, permission_for(name, Risk.HIGH)):
                await self._adjusting.change({_ALLOWED: Without(permission)})
        except PaceError as error:
            self._said.classes(add="error").set_text(shown_error(error))
        else:
            self._said.classes(remove="error").set_text(f"{name} asks each time again.")


def ended(text: str) -> str:
    """A text of whoever made the action, ended so that a sentence may follow."""
    return text if not text or text.endswith(_ENDS) else f"{text}."


def _asks(risk: Risk, is_allowed: bool) -> str:  # noqa: FBT001  # one of two words
    if risk is Risk.READS:
        return "It only looks, and asks nobody."
    return "It runs without asking." if is_allowed else "It asks each time."
