"""The page at /settings: every control applies at once, and says so beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nicegui import ui

from pace.doors.web.actions_settings import ActionsSettings
from pace.doors.web.adjusting import Adjusting
from pace.doors.web.confirming import confirmed
from pace.doors.web.frame import frame
from pace.doors.web.plain import Tag, button
from pace.doors.web.planner_settings import PlannerSettings
from pace.doors.web.privacy import Privacy
from pace.doors.web.retention import RetentionRow
from pace.doors.web.saying_when import turns_of
from pace.doors.web.setting_rows import (
    ChoiceRow,
    NumberRow,
    SettingRow,
    SliderRow,
    SwitchRow,
    TextRow,
)
from pace.doors.web.voice_settings import voice_rows
from pace.doors.web.window import Window
from pace.memory.limits import IDLE_MINUTES, SUMMARY_TOKENS, WINDOW_SIZES
from pace.settings import Settings

_STYLE = (Path(__file__).parent / "settings.css").read_text(encoding="utf-8")
_SECTIONS = (
    ("activity", "Activity"),
    ("journal", "History"),
    ("planner", "Planner"),
    ("voice", "Voice"),
    ("actions", "Actions"),
    ("privacy", "Privacy"),
)
# The page is drawn after the browser has looked for what its address points at.
_FOLLOW = "document.getElementById(location.hash.slice(1))?.scrollIntoView()"


async def settings_page(window: Window) -> None:
    """Show it, and follow what other tabs change."""
    ui.add_css(_STYLE)
    with frame(window, "/settings"), Tag("div").classes("settings"):
        with Tag("nav", aria_label="Sections").classes("settings-nav"):
            for anchor, title in _SECTIONS:
                Tag("a", title, href=f"#{anchor}")
        with Tag("div").classes("settings-body"):
            Tag("h1", "Settings")
            await _SettingsPage(window).build()
    ui.run_javascript(_FOLLOW)


class _SettingsPage:
    """All sections."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._adjusting = Adjusting(window)
        self._rows: list[SettingRow] = []

    async def build(self) -> None:
        """Put them on the page."""
        self._activity()
        self._journal()
        planner = self._planner()
        with _section("voice", "Voice"):
            self._rows += voice_rows(self._adjusting, self._current)
        with _section("actions", "Actions"):
            actions = ActionsSettings(self._window, self._adjusting)
            self._rows += actions.rows
        with _section("privacy", "Privacy"):
            privacy = Privacy(self._window, self._adjusting)

        async def refresh() -> None:
            for row in self._rows:
                row.follow()
            planner.follow()
            actions.follow()
            await privacy.refresh()

        await privacy.refresh()
        self._window.settings_changed.subscribe(refresh)
        self._window.history_changed.subscribe(privacy.refresh)

    def _current(self) -> Settings:
        return self._window.chat.settings

    def _activity(self) -> None:
        with _section("activity", "Activity"):
            self._rows += [
                SliderRow(
                    self._adjusting,
                    self._current,
                    "activity.window",
                    "How many of the last turns the model sees word for word.",
                    span=(WINDOW_SIZES[0], WINDOW_SIZES[-1], 1),
                    unit=lambda shown: turns_of(int(shown)),
                ),
                SliderRow(
                    self._adjusting,
                    self._current,
                    "activity.idle_minutes",
                    "After how long a pause the conversation is forgotten.",
                    span=(IDLE_MINUTES[0], IDLE_MINUTES[-1], 1),
                    unit="{} min".format,
                ),
                SwitchRow(
                    self._adjusting,
                    self._current,
                    "activity.remember",
                    "Off forgets the conversation at once, and each message then stands alone.",
                ),
                SwitchRow(
                    self._adjusting,
                    self._current,
                    "activity.recall",
                    "Keep older turns whole as well, and show the model those that your words ask "
                    "for. In memory only, and forgotten with the conversation.",
                ),
                SwitchRow(
                    self._adjusting,
                    self._current,
                    "activity.show_summary",
                    "Show the paragraph that the model is given about everything older.",
                ),
            ]
            _Reset(self._window)
            with Tag("details").classes("advanced"):
                Tag("summary", "Advanced")
                self._rows += [
                    SliderRow(
                        self._adjusting,
                        self._current,
                        "activity.summary_tokens",
                        "How long the paragraph about everything older may become.",
                        span=(SUMMARY_TOKENS[0], SUMMARY_TOKENS[-1], 50),
                        unit="{} tokens".format,
                    ),
                    ChoiceRow(
                        self._adjusting,
                        self._current,
                        "summaries.by",
                        "Picked from your words without a model, or written by one that can.",
                        choices={
                            "auto": "the best here that can",
                            "extractive": "never a model",
                            "planner": "whoever answers",
                        },
                    ),
                ]

    def _journal(self) -> None:
        with _section("journal", "History"):
            self._rows += [
                SwitchRow(
                    self._adjusting,
                    self._current,
                    "history.keep",
                    "Keep every turn on this machine, for you to read. The model never sees it. "
                    "What was kept already stays until you delete it.",
                ),
                RetentionRow(self._window, self._adjusting),
            ]

    def _planner(self) -> PlannerSettings:
        with _section("planner", "Planner"):
            planner = PlannerSettings(self._window, self._adjusting)
            self._rows += [
                TextRow(
                    self._adjusting,
                    self._current,
                    "planner.instructions",
                    "What the model is told ahead of every conversation. Taken up when you leave "
                    "the box.",
                    wide=True,
                ),
                NumberRow(
                    self._adjusting,
                    self._current,
                    "planner.reply_tokens",
                    "How long a reply may be, 16 to 32,768.",
                    span=(16, 32_768),
                    unit="tokens",
                ),
                SliderRow(
                    self._adjusting,
                    self._current,
                    "planner.temperature",
                    "How freely words are chosen; 0 gives the likeliest each time.",
                    span=(0, 2, 0.1),
                ),
                SwitchRow(
                    self._adjusting,
                    self._current,
                    "planner.fall_back",
                    "When who you chose does not answer, the model on this machine does, and that "
                    "is said first. Off, nobody answers for another.",
                ),
            ]
        return planner


class _Reset:
    """Forgets the conversation, after one question."""

    def __init__(self, window: Window) -> None:
        self._window = window
        with Tag("div").classes("setting"):
            with Tag("div").classes("setting-text"):
                Tag("span", "Reset thread").classes("setting-name")
                Tag(
                    "p",
                    "Forgets the conversation at once. What was kept of it in the history stays.",
                ).classes("hint")
            with Tag("div").classes("setting-control"):
                button("Reset thread…", "danger", self._reset)
            with Tag("div").classes("setting-end"):
                self._said = Tag("p", role="status").classes("setting-said")

    async def _reset(self) -> None:
        chat = self._window.chat
        held = await chat.memory()
        if held.is_empty and chat.session.open_row is None:
            self._said.set_text("There is nothing to forget.")
            return
        # The turn that is being answered is said, too, unless it takes another one's place.
        replying = chat.session.open_row
        count = turns_of(held.next_number - 1 + (replying is not None and not replying.replaces))
        stops = "" if replying is None else " The reply in progress stops."
        is_sure = await confirmed(
            "Reset the thread?",
            f"Pace forgets what was said in it, {count}.{stops}",
            verb="Reset",
        )
        if is_sure:
            await chat.companion.reset(chat.thread_id)
            self._said.set_text(f"Forgotten: {count}. A new conversation begins.")


@contextmanager
def _section(anchor: str, title: str) -> Iterator[None]:
    with Tag("section", id=anchor, aria_labelledby=f"{anchor}-title").classes("settings-section"):
        Tag("h2", title, id=f"{anchor}-title")
        with Tag("div").classes("card"):
            yield
