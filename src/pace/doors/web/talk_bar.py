"""The line above a conversation: begin another, find something in it, see what the model sees."""

from collections.abc import Callable

from nicegui.events import GenericEventArguments

from pace.doors.web.plain import Tag, button

_TEMPORARY = "Temporary: nothing of this is kept in the history"


class TalkBar:
    """Buttons with their keys; `find` hears what is looked for, "" when it is over."""

    def __init__(
        self,
        *,
        new: Callable[[], object],
        temporary: Callable[[], object],
        find: Callable[[str], None],
        memory: Callable[[], object],
        keys: Callable[[], object],
    ) -> None:
        self._find = find
        with Tag("div").classes("talk-bar"):
            Tag("h1", "Conversation").classes("unseen")
            self._state = Tag("p", _TEMPORARY, role="status").classes("talk-state")
            with Tag("div", role="search").classes("finding") as self._finding:
                self._words = Tag(
                    "input", type="search", placeholder="Find in this conversation",
                    aria_label="Find in this conversation",
                )  # fmt: skip
                self._words.classes("input")
                self._words.on("input", self._typed, js_handler="(e) => emit(e.target.value)")
                self._count = Tag("span", role="status").classes("muted small")
                button("Done", "small quiet", self.end_finding)
            with Tag("div", role="toolbar", aria_label="Conversation").classes("talk-tools"):
                _with_key("New", "N", new)
                _with_key("Temporary", "T", temporary)
                button("Find", "small quiet", self.begin_finding)
                button("Keys", "small quiet wide-only", keys)
                self._memory = button("Memory", "small quiet narrow-only", memory)
        self._finding.set_visibility(False)

    def show(self, *, temporary: bool) -> None:
        """Say whether anything is kept."""
        self._state.set_visibility(temporary)

    def focus_memory(self) -> None:
        """Go back to the button that showed what the model sees."""
        self._memory.run_method("focus")

    def begin_finding(self) -> None:
        """Show the field."""
        self._finding.set_visibility(True)
        self._words.run_method("focus")

    def end_finding(self) -> None:
        """Put the field away, and show everything again."""
        self._finding.set_visibility(False)
        self._find("")

    def found(self, count: int | None) -> None:
        """Say how many turns hold the words; None if nothing is looked for."""
        told = "" if count is None else f"{count} turn{'s' * (count != 1)}"
        self._count.set_text(told)

    def _typed(self, event: GenericEventArguments) -> None:
        self._find(event.args if isinstance(event.args, str) else "")


def _with_key(name: str, key: str, pressed: Callable[[], object]) -> None:
    made = button("", "small quiet", pressed)
    made.props["title"] = f"{name} conversation (Ctrl+Alt+{key})"
    with made:
        Tag("span", name)
        Tag("kbd", f"Ctrl Alt {key}", aria_hidden="true").classes("wide-only")
