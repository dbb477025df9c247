"""What stands around every page: its looks, the way to the other pages, and who answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nicegui import ui

from pace.doors.safe_text import safe_line
from pace.doors.web.icons import icon
from pace.doors.web.plain import button
from pace.doors.web.window import Window
from pace.errors import PaceError
from pace.ports import PlannerTraits
from pace.wiring import Parts

_LOOKS = Path(__file__).parent / "looks"
_STYLE = "\n".join(sheet.read_text(encoding="utf-8") for sheet in sorted(_LOOKS.glob("*.css")))
_PAGES = (
    ("/", "Conversation", "conversation"),
    ("/conversations", "Past", "past"),
    ("/settings", "Settings", "settings"),
)
_LOOK_SECONDS = 1.0
# As many as leave a phone's page room for itself.
_MOST_NOTICES = 3


@dataclass(frozen=True, slots=True)
class Around:
    """What a page may ask of its frame."""

    live: ui.label

    def announce(self, sentence: str) -> None:
        """Have a screen reader say something that is seen elsewhere."""
        self.live.set_text(sentence)


@contextmanager
def frame(window: Window, current: str) -> Iterator[Around]:
    """Put a page's content inside the frame; `current` is the page's address."""
    ui.add_css(_STYLE)
    _leave_main_to_us()
    with ui.element("div").classes("app"):
        ui.link("Skip to the page", "#page").classes("skip")
        with ui.element("header").classes("top-brand"), ui.link(target="/").classes("brand"):
            ui.html(icon("brand", size=22), sanitize=False)
            ui.label("Pace")
        with ui.element("nav").classes("top-nav").props('aria-label="Pages"'):
            for address, name, picture in _PAGES:
                with ui.link(target=address) as link:
                    ui.html(icon(picture), sanitize=False)
                    ui.label(name)
                if address == current:
                    link.props('aria-current="page"')
        who = _Who(window)
        notices = _Notices(window)
        live = ui.label().classes("unseen").props('role="status" aria-live="polite"')
        with ui.element("main").classes("page").props('id="page" tabindex="-1"'):
            yield Around(live)
        ui.timer(_LOOK_SECONDS, who.look)
        ui.timer(_LOOK_SECONDS, notices.look)


def _leave_main_to_us() -> None:
    """The framework sets a whole page in a `main`; ours leaves out what is on every page."""
    slot = ui.context.client.content.parent_slot
    assert slot is not None  # noqa: S101  # for the type checker
    slot.parent.tag = "div"


class _Who:
    """Says which tier and model answer, and whether words stay on this machine."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._asked: Parts | None = None
        with ui.element("div").classes("top-who").props('role="region" aria-label="Who answers"'):
            self._model = ui.label("starting the model…").classes("model")
            self._tier = ui.label().classes("tier")
            self._where = ui.label().classes("where")
        self._where.set_visibility(False)

    async def look(self) -> None:
        """Ask the planner again if another one answers now, or it did not say."""
        parts = self._window.chat.parts
        if parts is self._asked:
            return
        try:
            traits = await parts.planner.traits()
        except PaceError:
            self._model.set_text("the model does not answer")
            self._tier.set_text("")
            self._where.set_visibility(False)
            return
        self._asked = parts
        self._show(traits)

    def _show(self, traits: PlannerTraits) -> None:
        name = safe_line(traits.model).removesuffix("-Instruct")
        self._model.set_text(name)
        self._model.props["title"] = name
        self._tier.set_text(safe_line(traits.name))
        stays = traits.on_this_machine
        self._where.set_text("on this machine" if stays else "leaves this machine")
        self._where.classes(add="" if stays else "leaves", remove="leaves" if stays else "")
        self._where.tooltip(
            "What you say stays on this machine."
            if stays
            else "What you say is sent to another machine."
        )
        self._where.set_visibility(True)


class _Notices:
    """Tells what is the matter, once, in the first window that looks; the newest few stay there."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._place = ui.element("div").classes("notices").props('role="status"')
        # By their sentences, the one that was told last at the end.
        self._shown: dict[str, ui.element] = {}

    def look(self) -> None:
        """Show what has come up since."""
        while self._window.notices:
            self._show(safe_line(self._window.notices.popleft()))
        while len(self._shown) > _MOST_NOTICES:
            self._dismiss(next(iter(self._shown)))

    def _show(self, sentence: str) -> None:
        if sentence in self._shown:
            self._shown[sentence] = self._shown.pop(sentence)
            return
        with self._place, ui.element("div").classes("notice") as notice:
            ui.label(sentence)
            button("Dismiss", "small quiet", lambda: self._dismiss(sentence))
        self._shown[sentence] = notice

    def _dismiss(self, sentence: str) -> None:
        # Pressed twice before the page followed, it is gone already.
        if notice := self._shown.pop(sentence, None):
            notice.delete()
