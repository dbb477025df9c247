"""Plain HTML elements with a text, where the framework's own bring looks that are not ours."""

from collections.abc import Callable

from nicegui.elements.mixins.text_element import TextElement


class Tag(TextElement):
    """An element of any tag; its text is never read as HTML.

    Attributes are named with `_` for `-`: `Tag("p", "…", aria_live="polite")`.
    """

    def __init__(self, tag: str, text: str = "", **attributes: str | bool) -> None:
        super().__init__(tag=tag, text=text)
        for name, value in attributes.items():
            self.props[name.rstrip("_").replace("_", "-")] = value


def button(text: str, classes: str, pressed: Callable[[], object]) -> Tag:
    """A button with our looks; `classes` are those of looks/3-controls.css."""
    made = Tag("button", text, type="button")
    made.classes(f"button {classes}").on("click", pressed)
    return made
