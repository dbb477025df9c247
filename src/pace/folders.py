"""Where Pace keeps things; nothing here makes a folder."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

_NAME = "pace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of one person: what they set, what they said for good, what can be had again."""

    config: Path
    data: Path
    cache: Path

    @classmethod
    def of(cls, environment: Mapping[str, str] | None = None) -> Self:
        """All under PACE_HOME, if that is set; else where the platform puts them."""
        home = (os.environ if environment is None else environment).get("PACE_HOME", "").strip()
        if home:
            root = Path(home).expanduser().absolute()
            return cls(config=root, data=root / "data", cache=root / "cache")
        return cls(
            config=platformdirs.user_config_path(_NAME, appauthor=False),
            data=platformdirs.user_data_path(_NAME, appauthor=False),
            cache=platformdirs.user_cache_path(_NAME, appauthor=False),
        )

    @property
    def settings_file(self) -> Path:
        """The one file that a person sets things in."""
        return self.config / "settings.toml"

    @property
    def history(self) -> Path:
        """The journal of what was said."""
        return self.data / "history.db"

    @property
    def sent_log(self) -> Path:
        """How much was sent off this machine, to whom and when; it holds no words."""
        return self.data / "sent.db"

    @property
    def notes(self) -> Path:
        """Notes, unless a person keeps them elsewhere."""
        return self.data / "notes"

    @property
    def mcp_file(self) -> Path:
        """The MCP servers, unless a person names another file."""
        return self.config / "mcp.json"

    @property
    def models(self) -> Path:
        """Model files; each can be fetched again."""
        return self.cache / "models"
