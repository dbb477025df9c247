"""Fields that a person fills in; what is typed stays typed.

The content of a field belongs to the browser. A page hears of it and may replace it, and drawing
the page anew leaves alone what a person is writing.
"""

from collections.abc import Awaitable, Callable, Mapping

from nicegui import events, json
from nicegui.element import Element

from pace.doors.web.plain import Tag

Heard = Callable[[str], Awaitable[None] | None]
_VALUE = "(e) => emit(e.target.value)"
_CHECKED = "(e) => emit(e.target.checked ? e.target.value : '')"


def attribute(element: Element, name: str, value: str | bool | None) -> None:  # noqa: FBT001
    """Set an attribute of HTML, or take it away: None and False are none."""
    if value is None or value is False:
        element.props.pop(name, None)
    else:
        element.props[name] = value


class Field(Tag):
    """An input or a textarea. `heard` gets its text once it is final, `typed` at every key.

    With a `pause`, in seconds, keys that follow each other quickly are told once.
    """

    def __init__(
        self,
        tag: str,
        value: str,
        *,
        heard: Heard | None = None,
        typed: Heard | None = None,
        pause: float = 0.0,
        **attributes: str | bool,
    ) -> None:
        super().__init__(tag, value if tag == "textarea" else "")
        _set_all(self, attributes)
        if tag != "textarea":
            # The attribute, not the property: a drawing of the page would put that back.
            self.props["^value"] = value
        if heard is not None:
            self.on("change", _handler(heard), js_handler=_VALUE)
        if typed is not None:
            handler = _handler(typed)
            self.on("input", handler, js_handler=_VALUE, throttle=pause, leading_events=pause == 0)

    def show(self, value: str) -> None:
        """Replace the text in this tab."""
        _set(self, "value", value)

    def focus(self) -> None:
        """Have the person type here next, all of it chosen."""
        self.run_method("focus")
        self.run_method("select")


class Check(Tag):
    """A checkbox or a radio button; `heard` gets its value when it is chosen, else nothing."""

    def __init__(
        self, kind: str, value: str, *, heard: Heard, is_on: bool, **attributes: str | bool
    ) -> None:
        super().__init__("input", type=kind, value=value)
        _set_all(self, attributes)
        attribute(self, "checked", is_on)
        self.on("change", _handler(heard), js_handler=_CHECKED)

    def show(self, *, is_on: bool) -> None:
        """Have it chosen, or not, in this tab."""
        _set(self, "checked", is_on)


class Switch(Tag):
    """Something that is on or off; it shows what `show` says, whatever was pressed."""

    def __init__(
        self, pressed: Callable[[], object], *, is_on: bool, **attributes: str | bool
    ) -> None:
        super().__init__("button", type="button", role="switch")
        _set_all(self, attributes)
        self.classes("switch").on("click", lambda _: pressed(), js_handler="() => emit()")
        self.is_on = is_on
        self.show(is_on=is_on)

    def show(self, *, is_on: bool) -> None:
        """Be on or off."""
        self.is_on = is_on
        self.props["aria-checked"] = "true" if is_on else "false"


def _set_all(element: Tag, attributes: Mapping[str, str | bool]) -> None:
    for name, value in attributes.items():
        attribute(element, name.rstrip("_").replace("_", "-"), value)


def _set(element: Tag, name: str, value: str | bool) -> None:  # noqa: FBT001  # a value for JSON
    # By its id in the page, which may be one that we gave it.
    where = json.dumps(element.props.get("id", element.html_id))
    element.client.run_javascript(f"document.getElementById({where}).{name} = {json.dumps(value)}")


def _handler(heard: Heard) -> Callable[[events.GenericEventArguments], Awaitable[None] | None]:
    return lambda event: heard(str(event.args))
