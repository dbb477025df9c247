"""What an empty conversation shows: what to expect, and things to try."""

from collections.abc import Callable

from pace.doors.web.plain import Tag
from pace.settings import Settings

_TO_TRY = (
    "Suggest three names for a teal kettle.",
    "Why is the sea salty? Answer in three sentences.",
    "Write a Python function that counts the words in a file.",
)


class Beginning:
    """Stands where the turns will; `take` hears what a person chose to try."""

    def __init__(self, take: Callable[[str], None]) -> None:
        with Tag("div").classes("beginning") as self._place:
            self._title = Tag("h2").classes("beginning-title")
            self._text = Tag("p").classes("beginning-text")
            with Tag("div", role="group", aria_label="Things to try").classes("row"):
                for text in _TO_TRY:
                    chip = Tag("button", text, type="button").classes("chip")
                    chip.on("click", _taking(take, text))

    def show(self, settings: Settings, *, is_empty: bool, temporary: bool) -> None:
        """Show it while nothing was said."""
        self._place.set_visibility(is_empty)
        self._title.set_text("Off the record" if temporary else "What is on your mind?")
        self._text.set_text(_temporary(settings) if temporary else _usual(settings))


def _taking(take: Callable[[str], None], text: str) -> Callable[[], None]:
    return lambda: take(text)


def _usual(settings: Settings) -> str:
    size = settings.activity.window
    if not settings.activity.remember:
        return "Remembering is off: each message stands alone."
    turns = f"the last {size} turns" if size > 1 else "the last turn"
    return (
        f"The model sees {turns} word for word and everything older in one paragraph. After "
        f"{settings.activity.idle_minutes} minutes of silence both are forgotten."
    )


def _temporary(settings: Settings) -> str:
    return (
        "Nothing of a temporary conversation is kept in the history. It is gone when you begin "
        f"another, end Pace, or say nothing for {settings.activity.idle_minutes} minutes."
    )
