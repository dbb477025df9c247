"""Apps of Linux desktops, from their desktop entries.

The form of entries and of `Exec` is that of the Desktop Entry Specification of freedesktop.org.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pace.actions.opening.apps import App, app_named, plain
from pace.actions.opening.programs import started
from pace.actions.telling import quoted
from pace.actions.waiting import in_thread
from pace.errors import ActionError

# An app that cannot run says so at once; one that runs goes on.
_FAILS_WITHIN = 1.0
_MOST_READ = 200_000
# Within a word of Exec: quoted text, an escaped character, any other.
_PIECE = re.compile(r""""(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]""")
_WORD = re.compile(f"(?:{_PIECE.pattern})+")
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# These start something else, so that their own names say nothing about an app.
_STARTERS = frozenset(("env", "sh", "bash", "flatpak", "snap", "python3", "gapplication", "java"))


class DesktopEntryApps:
    """Apps that the desktop's own menu would show. `fails_within` is in seconds."""

    def __init__(self, *, fails_within: float = _FAILS_WITHIN) -> None:
        self._fails_within = fails_within

    async def open(self, name: str) -> str:
        """Start the app that goes by a name."""
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise ActionError("There is no screen here to open an app on. Use Pace on a desktop.")
        app = app_named(name, await in_thread(self._installed, name="look for apps"))
        await app.start()
        return app.name

    def _installed(self) -> list[App]:
        return [app for path, entry in _entries() if (app := self._app(path, entry))]

    def _app(self, path: Path, entry: Mapping[str, str]) -> App | None:
        """An app of an entry, unless menus do not show it or it cannot run."""
        words = _words(entry, path)
        if not words or entry.get("Type") != "Application" or not entry.get("Name"):
            return None
        if "true" in {entry.get("NoDisplay"), entry.get("Hidden")}:
            return None
        if (tried := entry.get("TryExec")) and not shutil.which(tried):
            return None
        name = entry["Name"]

        async def start() -> None:
            if entry.get("Terminal") == "true":
                raise ActionError(f"{quoted(name)} runs in a terminal. Start it there.")
            status = await started(words, within=self._fails_within)
            if status:
                raise ActionError(
                    f"{quoted(name)} ended at once (status {status}). Try it from the menu."
                )

        by_names = {path.stem, path.stem.rpartition(".")[2]}
        if (program := Path(words[0]).name) not in _STARTERS:
            by_names.add(program)
        return App(
            name=name,
            names=_in_all_languages(entry, "Name"),
            by_names=frozenset(map(plain, by_names)),
            kinds=_in_all_languages(entry, "GenericName"),
            start=start,
        )


def _in_all_languages(entry: Mapping[str, str], key: str) -> frozenset[str]:
    return frozenset(
        plain(value) for name, value in entry.items() if name == key or name.startswith(f"{key}[")
    )


def _entries() -> Iterator[tuple[Path, Mapping[str, str]]]:
    """Each entry once; what stands in a person's own folder stands for what has the same id."""
    seen = set[str]()
    for folder in _folders():
        for path in sorted(folder.rglob("*.desktop")):
            entry_id = "-".join(path.relative_to(folder).parts)
            if entry_id in seen:
                continue
            seen.add(entry_id)
            try:
                if not path.is_file():
                    continue  # a pipe would never end
                with path.open("rb") as file:
                    written = file.read(_MOST_READ).decode("utf-8", "replace")
            except OSError:
                continue
            yield path, _parsed(written)


def _folders() -> Sequence[Path]:
    own = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    places = (Path(place) / "applications" for place in (own, *shared.split(":")) if place)
    return [place for place in places if place.is_dir()]


def _parsed(written: str) -> Mapping[str, str]:
    """The keys of the group that describes the app; its other groups are actions of its own."""
    values: dict[str, str] = {}
    is_within = False
    for line in map(str.strip, written.splitlines()):
        if line.startswith("["):
            is_within = line == "[Desktop Entry]"
        elif is_within and not line.startswith("#"):
            key, equals, value = line.partition("=")
            if equals:
                values.setdefault(key.strip(), value.strip())
    return values


def _words(entry: Mapping[str, str], path: Path) -> list[str]:
    """The words of Exec, without places for files; none if it cannot be read or is not there."""
    written = re.sub(r"\\([sntr\\])", lambda found: _ESCAPES[found[1]], entry.get("Exec", ""))
    if _WORD.sub("", written).strip():
        return []
    words = [_PIECE.sub(_unquoted, word) for word in _WORD.findall(written)]
    kept = (word for word in words if not re.fullmatch(r"%[fFuUdDnNickvm]", word))
    meant = [_meant(word, entry, path) for word in kept]
    if not meant or not shutil.which(meant[0]):
        return []
    return meant


def _unquoted(piece: re.Match[str]) -> str:
    text = piece[0]
    if text.startswith("'"):
        return text[1:-1]
    if text.startswith('"'):
        return re.sub(r'\\(["`$\\])', r"\1", text[1:-1])
    return text.removeprefix("\\")


def _meant(word: str, entry: Mapping[str, str], path: Path) -> str:
    codes = {"%": "%", "c": entry.get("Name", ""), "k": str(path)}
    return re.sub(r"%(.)", lambda found: codes.get(found[1], ""), word)
