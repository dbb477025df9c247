"""Changes settings from a page: checked, saved, in force at once, or all is as it was."""

from collections.abc import Mapping

from pace.doors.web.window import Window
from pace.errors import PaceError
from pace.settings import variable_of
from pace.settings_file import Change, Source

LABELS = {
    "activity.window": "Window",
    "activity.idle_minutes": "Idle limit",
    "activity.remember": "Remember this conversation",
    "activity.show_summary": "Show current summary",
    "activity.summary_tokens": "Summary budget",
    "activity.recall": "Recall older turns",
    "summaries.by": "Who writes the summary",
    "history.keep": "Keep conversations",
    "history.retention_days": "Keep for",
    "planner.tier": "Tier",
    "planner.provider": "Provider",
    "planner.base_url": "Address",
    "planner.model": "Model",
    "planner.instructions": "Instructions",
    "planner.reply_tokens": "Reply length",
    "planner.temperature": "Temperature",
    "planner.fall_back": "Fall back",
    "actions.enabled": "Actions",
    "actions.allowed": "What runs without asking",
    "actions.notes_folder": "Notes",
    "actions.mcp_file": "MCP servers",
    "privacy.agreed": "What you agreed to",
    "voice.mode": "Microphone",
    "voice.recogniser": "Recogniser",
    "voice.voice": "Voice",
    "voice.speed": "Speed of speech",
    "voice.headphones": "Headphones",
    "voice.device": "Sound device",
    "summaries.remote": "Summaries elsewhere",
}
_STEP = "Nothing was changed."


class Adjusting:
    """Puts settings into force, one change after the other, and tells all tabs of each."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._file = window.chat.settings_file

    async def change(self, values: Mapping[str, object]) -> str:
        """Set these, all or none; gives a sentence that says so.

        Raises PaceError, whose sentence names settings as `shown_error` does not.
        """
        async with self._window.changing:
            done: list[Change] = []
            try:
                for name, value in values.items():
                    done.append(self._file.change(name, value, step=_STEP))  # undone
                await self._window.chat.apply()
            except BaseException:
                self._undo(done)
                raise
        self._window.settings_changed.emit()
        return " ".join(self._said(change) for change in done)

    async def use_default(self, name: str) -> str:
        """Give a setting its default again; as `change` does."""
        async with self._window.changing:
            change = self._file.reset(name)
            try:
                await self._window.chat.apply()
            except BaseException:
                self._undo([change])
                raise
        self._window.settings_changed.emit()
        return self._said(change)

    def fixed_by(self, name: str) -> str:
        """What else sets this setting, in a sentence; nothing, if nothing does."""
        source = self._file.source_of(name)
        if source is Source.ENVIRONMENT:
            return f"{variable_of(name)} in the environment sets this, and comes first."
        if source is Source.FLAG:
            return "Set on the command line for this run; a change here is saved and replaces it."
        return ""

    def is_fixed(self, name: str) -> bool:
        """Whether the environment sets it, so that nothing done here would hold."""
        return self._file.source_of(name) is Source.ENVIRONMENT

    def _undo(self, changes: list[Change]) -> None:
        for change in reversed(changes):
            self._file.undo(change)

    def _said(self, change: Change) -> str:
        said = change.sentence.replace(change.name, LABELS[change.name], 1)
        if change.name == "activity.remember" and not self._window.chat.settings.activity.remember:
            return f"{said} The conversation so far is forgotten."
        return said


def shown_error(error: PaceError) -> str:
    """An error's sentence, with settings called as the page calls them."""
    sentence = str(error)
    for name, label in LABELS.items():
        sentence = sentence.replace(name, label)
    return sentence
