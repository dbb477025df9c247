"""The files and folders that a person names in the settings."""

from pathlib import Path

from pace.actions.telling import quoted
from pace.errors import SettingsError
from pace.folders import Folders


def notes_folder(named: str | None) -> Path:
    """Where notes are: in `actions.notes_folder`, or in Pace's own. Raises SettingsError."""
    return _place(named, "actions.notes_folder", Folders.of().notes)


def mcp_file(named: str | None) -> Path:
    """Where MCP servers are named: `actions.mcp_file`, or beside the settings. As above."""
    return _place(named, "actions.mcp_file", Folders.of().mcp_file)


def _place(named: str | None, setting: str, otherwise: Path) -> Path:
    if not named:
        return otherwise
    try:
        # A null character would show only when the file is opened.
        return Path(named.replace("\0", "\ufffd")).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        raise SettingsError(
            f"The setting {setting} is {quoted(named)}, which leads nowhere. Choose another: pace "
            f"settings {setting} PATH"
        ) from error
