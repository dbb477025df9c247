"""A setting on the page: its name, what it does, its control, and what became of a change."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from pace.doors.safe_text import safe_line
from pace.doors.web.adjusting import LABELS, Adjusting, shown_error
from pace.doors.web.fields import Field, Switch, attribute
from pace.doors.web.plain import Tag, button
from pace.errors import PaceError
from pace.settings import Settings, every_setting, shown_value

Asked = Callable[[], Settings]


class SettingRow(ABC):
    """One setting. `refresh` shows it as it is now, in this tab, whoever changed it."""

    def __init__(
        self, adjusting: Adjusting, current: Asked, name: str, hint: str, *, wide: bool = False
    ) -> None:
        self.name = name
        self.key = name.replace(".", "-").replace("_", "-")
        self._adjusting = adjusting
        self._current = current
        self._default = next(info.default for info in every_setting() if info.name == name)
        with Tag("div").classes(f"setting{' wide' if wide else ''}"):
            with Tag("div").classes("setting-text"):
                Tag("label", LABELS[name], id=f"{self.key}-label", for_=self.key)
                Tag("p", hint, id=f"{self.key}-hint").classes("hint")
            self._control = Tag("div").classes("setting-control")
            with Tag("div").classes("setting-end"):
                self._note = Tag("p").classes("hint setting-note")
                self._said = Tag("p", role="status").classes("setting-said")
                back = safe_line(shown_value(self._default)) or "not set"
                shown = f"Default: {back}" if len(back) < 20 else "Use the default"  # noqa: PLR2004
                self._back = button(shown, "quiet small", self._use_default)
                self._back.props["aria-label"] = f"{shown} ({LABELS[name]})"
        self._shown = self.value
        with self._control:
            self._build()
        self._refresh_end()

    @property
    def value(self) -> object:
        """What holds now."""
        return self._current().get(self.name)

    @property
    def is_fixed(self) -> bool:
        """Whether nothing done here would hold."""
        return self._adjusting.is_fixed(self.name)

    async def set(self, value: object) -> None:
        """Change it, and say in place what became of that."""
        try:
            self.tell(await self._adjusting.change({self.name: value}))
        except PaceError as error:
            stays = safe_line(shown_value(self.value)) or "not set"
            short = f" It stays {stays}." if len(stays) < 40 else ""  # noqa: PLR2004  # on one line
            self.tell(
                f"{shown_error(error).removesuffix(' Nothing was changed.')}{short}", bad=True
            )
        self.refresh()

    def tell(self, sentence: str, *, bad: bool = False) -> None:
        """Say something beside the control."""
        self._said.classes(add="error" if bad else "", remove="" if bad else "error")
        self._said.set_text(safe_line(sentence))

    def follow(self) -> None:
        """Show what was changed elsewhere; what is being typed here stays, if nothing was."""
        if self.value != self._shown:
            self.refresh()

    def refresh(self) -> None:
        """Show it as it is now."""
        self._shown = self.value
        self._show()
        self._refresh_end()

    async def _use_default(self) -> None:
        try:
            self.tell(await self._adjusting.use_default(self.name))
        except PaceError as error:
            self.tell(shown_error(error), bad=True)
        self.refresh()

    def _refresh_end(self) -> None:
        self._note.set_text(self._adjusting.fixed_by(self.name))
        self._back.set_visibility(self.value != self._default and not self.is_fixed)

    def _tie(self, control: Tag) -> None:
        """Have a control belong to this row."""
        attribute(control, "id", self.key)
        attribute(control, "aria-describedby", f"{self.key}-hint")
        attribute(control, "disabled", self.is_fixed)

    @abstractmethod
    def _build(self) -> None:
        """Make the control, inside its place."""

    @abstractmethod
    def _show(self) -> None:
        """Have the control show what holds now."""


class SliderRow(SettingRow):
    """A number that cannot leave its range, with the number beside it."""

    def __init__(
        self,
        adjusting: Adjusting,
        current: Asked,
        name: str,
        hint: str,
        *,
        span: tuple[float, float, float],
        unit: Callable[[str], str] = str,
    ) -> None:
        self._span = span
        self._unit = unit
        super().__init__(adjusting, current, name, hint)

    def _build(self) -> None:
        lowest, highest, step = (f"{number:g}" for number in self._span)
        shown = shown_value(self.value)
        self._field = Field(
            "input",
            shown,
            heard=self.set,
            typed=self._say_number,
            type="range",
            min=lowest,
            max=highest,
            step=step,
            aria_valuetext=self._unit(shown),
        )
        self._tie(self._field)
        self._number = Tag("output", self._unit(shown), for_=self.key)

    def _show(self) -> None:
        shown = shown_value(self.value)
        self._field.show(shown)
        self._say_number(shown)

    def _say_number(self, shown: str) -> None:
        self._number.set_text(self._unit(shown))
        attribute(self._field, "aria-valuetext", self._unit(shown))


class NumberRow(SettingRow):
    """A number that is typed; what is out of its range is explained, and changes nothing."""

    def __init__(
        self,
        adjusting: Adjusting,
        current: Asked,
        name: str,
        hint: str,
        *,
        span: tuple[int, int],
        unit: str,
        placeholder: str = "",
    ) -> None:
        self._span = span
        self._unit = unit
        self._placeholder = placeholder
        super().__init__(adjusting, current, name, hint)

    def _build(self) -> None:
        self._field = Field(
            "input",
            shown_value(self.value),
            heard=self.set,
            # Not of type number: that keeps from us what was typed wrongly, and we explain it.
            inputmode="numeric",
            autocomplete="off",
            placeholder=self._placeholder,
            size="7",
        ).classes("input number")
        self._tie(self._field)
        Tag("span", self._unit).classes("hint")

    def _show(self) -> None:
        self._field.show(shown_value(self.value))


class SwitchRow(SettingRow):
    """On or off."""

    def _build(self) -> None:
        self._switch = Switch(
            self._pressed,
            is_on=bool(self.value),
            aria_labelledby=f"{self.key}-label",
        )
        self._tie(self._switch)
        self._word = Tag("span", shown_value(self.value), aria_hidden="true").classes("hint")

    async def _pressed(self) -> None:
        await self.set(not self.value)

    def _show(self) -> None:
        self._switch.show(is_on=bool(self.value))
        self._word.set_text(shown_value(self.value))


class ChoiceRow(SettingRow):
    """One of a few words."""

    def __init__(
        self,
        adjusting: Adjusting,
        current: Asked,
        name: str,
        hint: str,
        *,
        choices: dict[str, str],
    ) -> None:
        self._choices = choices
        super().__init__(adjusting, current, name, hint)

    def _build(self) -> None:
        self._field = Field("select", "", heard=self.set).classes("input")
        self._tie(self._field)
        with self._field:
            for value, text in self._choices.items():
                option = Tag("option", text, value=value)
                attribute(option, "selected", value == shown_value(self.value))

    def _show(self) -> None:
        self._field.show(shown_value(self.value))


class TextRow(SettingRow):
    """A text of several lines; it is taken up when the person leaves it."""

    def _build(self) -> None:
        self._field = Field("textarea", shown_value(self.value), heard=self.set, rows="5").classes(
            "input"
        )
        self._tie(self._field)

    def _show(self) -> None:
        self._field.show(shown_value(self.value))


class LineRow(SettingRow):
    """A text of one line; it is taken up when the person leaves it. Empty is none."""

    def _build(self) -> None:
        self._field = Field("input", shown_value(self.value), heard=self._left).classes("input")
        self._tie(self._field)

    async def _left(self, text: str) -> None:
        await self.set(text.strip() or None)

    def _show(self) -> None:
        self._field.show(shown_value(self.value))
