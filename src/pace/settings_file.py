"""The person's settings file, and what stands above it: the environment, flags, this run's wishes.

What a person wrote there stays, comments and all; a file that cannot be read is kept aside.
"""

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

import tomlkit
from tomlkit.exceptions import TOMLKitError

from pace.errors import SettingsError
from pace.file_lock import only_here_briefly
from pace.folders import Folders
from pace.settings import (
    Settings,
    check_fit,
    check_name,
    check_value,
    in_environment,
    names_in,
    settings_of,
    shown_value,
    variable_of,
)

_MOST_BROKEN = 1000
# How long another process's change is waited for (seconds); each takes some milliseconds.
_PATIENCE = 5.0


class Source(StrEnum):
    """Where a value comes from; each stands above those before it."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"
    RUN = "this run"


@dataclass(frozen=True, slots=True)
class With:
    """A setting of names with this one added to what the file says when it is written."""

    name: str

    def of(self, held: object) -> str:
        """The setting, made of what is held."""
        names = names_in(held)
        return ", ".join(names if self.name in names else (*names, self.name))


@dataclass(frozen=True, slots=True)
class Without:
    """A setting of names with this one taken from what the file says when it is written."""

    name: str

    def of(self, held: object) -> str:
        """The setting, made of what is held."""
        return ", ".join(name for name in names_in(held) if name != self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A setting that was written to the file; `sentence` says so, and what stands above it.

    For `undo`: `before` is what each source said of it in this process, `in_file` what the file is
    to say again, which others may have written; None if nothing.
    """

    name: str
    value: object
    is_overridden: bool
    sentence: str
    before: Mapping[Source, object]
    in_file: object


class SettingsFile:
    """All settings of one run. `open` reads them, `change` writes one and applies it.

    `notices` are sentences for the person about what could not be used of the file.
    """

    def __init__(
        self, path: Path, *, environment: Mapping[str, object], overrides: Mapping[str, object]
    ) -> None:
        self.path = path
        self.notices: list[str] = []
        self._layers: dict[Source, dict[str, object]] = {
            Source.FILE: {},
            Source.ENVIRONMENT: dict(environment),
            Source.FLAG: dict(overrides),
            Source.RUN: {},
        }
        for name, value in environment.items():
            check_value(name, value, step=f"Check {variable_of(name)} in the environment.")
        for name, value in overrides.items():
            check_value(name, value, step="Check the flags.")
        self._layers[Source.FILE] = self._usable(_flattened(self._read()))
        self._current = self._checked()

    @classmethod
    def open(
        cls, overrides: Mapping[str, object] | None = None, *, path: Path | None = None
    ) -> Self:
        """Read file and environment; `overrides` are flags, by full setting names.

        What the file says wrongly is told in `notices`, and defaults stand in for it. Raises
        SettingsError for a wrong value in the environment or in a flag.
        """
        return cls(
            path or Folders.of().settings_file,
            environment=in_environment(),
            overrides=overrides or {},
        )

    @property
    def current(self) -> Settings:
        """The settings that hold now."""
        return self._current

    def source_of(self, name: str) -> Source:
        """Where a setting's value comes from. Raises SettingsError for an unknown name."""
        check_name(name)
        return next(
            (source for source in reversed(self._layers) if name in self._layers[source]),
            Source.DEFAULT,
        )

    def below_flags(self, name: str) -> object:
        """What a setting would be without flags and without wishes of this run."""
        check_name(name)
        standing = {**self._layers[Source.FILE], **self._layers[Source.ENVIRONMENT]}
        return settings_of(standing).get(name)

    def change(self, name: str, value: object, *, step: str | None = None) -> Change:
        """Write one setting to the file, whole or not at all, and apply it.

        `step` says how to give a right value where this one was given, if not at the command line.
        A flag or an earlier wish of this run makes way for it, the environment does not. Raises
        SettingsError, and nothing is changed, if the value is wrong or cannot be written.
        """
        given = _whole_path(value) if name == "planner.model" else value
        if not isinstance(given, With | Without):
            check_fit(name, given, self._current.planner)
            given = check_value(name, given, step=step)
        before = self._sources_of(name)
        with self._alone():
            document = self._read()
            held = _flattened(document).get(name)
            checked, in_file = given, held
            if isinstance(given, With | Without):
                checked = check_value(name, given.of(held), step=step)
                was_in = given.name in names_in(held)
                in_file = With(given.name) if was_in else Without(given.name)
            _put(document, name, checked)
            self._write(document)
        self._take_up(document, name)
        now = self._current.get(name)
        is_overridden = self.source_of(name) is Source.ENVIRONMENT
        sentence = f"{name} is now {_said(checked)}."
        if is_overridden:
            sentence = (
                f"{name} is saved as {_said(checked)}, but {variable_of(name)} in the "
                f"environment sets {_said(now)} and comes first."
            )
        return Change(
            name=name,
            value=now,
            is_overridden=is_overridden,
            sentence=sentence,
            before=before,
            in_file=in_file,
        )

    def reset(self, name: str) -> Change:
        """Take one setting out of the file, so that its default holds."""
        check_name(name)
        before = self._sources_of(name)
        document = self._read()
        held = _flattened(document).get(name)
        if held is not None:
            with self._alone():
                document = self._read()
                held = _flattened(document).get(name)
                if _drop(document, name):
                    self._write(document)
        self._take_up(document, name)
        now = self._current.get(name)
        sentence = f"{name} is {_said(now)} again, its default."
        overridden = self.source_of(name) is Source.ENVIRONMENT
        if overridden:
            sentence = (
                f"{name} left the file, but {variable_of(name)} in the environment "
                f"sets {_said(now)}."
            )
        return Change(
            name=name,
            value=now,
            is_overridden=overridden,
            sentence=sentence,
            before=before,
            in_file=held,
        )

    def change_all(
        self, values: Mapping[str, object], *, step: str | None = None
    ) -> tuple[Change, ...]:
        """Write these settings, in their order, all or none; as `change` does."""
        done: list[Change] = []
        try:
            for name, value in values.items():
                done.append(self.change(name, value, step=step))  # undone if one fails
        except BaseException:
            self.undo_all(done)
            raise
        return tuple(done)

    def undo_all(self, changes: Sequence[Change]) -> None:
        """Undo these, the last one first."""
        for change in reversed(changes):
            self.undo(change)

    def undo(self, change: Change) -> None:
        """Have every source say of the setting what it said before, the file included."""
        with self._alone():
            document = self._read()
            former = change.in_file
            if isinstance(former, With | Without):
                former = former.of(_flattened(document).get(change.name)) or None
            if former is None:
                _drop(document, change.name)
            else:
                _put(document, change.name, former)
            self._write(document)
        for source, layer in self._layers.items():
            layer.pop(change.name, None)
            if source in change.before:
                layer[change.name] = change.before[source]
        self._current = self._checked()

    def wish(self, name: str, value: object) -> None:
        """Set one setting for this run alone, above everything else. Raises SettingsError."""
        check_value(name, value, step="Give another value.")
        self._layers[Source.RUN][name] = value
        self._current = self._checked()

    def catch_up(self, name: str) -> None:
        """Take up what another process made of one setting meanwhile.

        A file that cannot be read says nothing of it; it is left for whoever changes it to mend.
        """
        try:
            written = tomllib.loads(self.path.read_bytes().decode("utf-8-sig"))
        except (OSError, ValueError):
            written = {}
        layer = self._layers[Source.FILE]
        held = {key: value for key, value in _flattened(written).items() if key == name}
        usable = self._usable(held)
        if usable.get(name) != layer.get(name):
            layer.pop(name, None)
            layer.update(usable)
            self._current = self._checked()

    # --- layers

    def _checked(self) -> Settings:
        merged: dict[str, object] = {}
        for layer in self._layers.values():
            merged.update(layer)
        return settings_of(merged)

    def _sources_of(self, name: str) -> dict[Source, object]:
        return {source: layer[name] for source, layer in self._layers.items() if name in layer}

    def _take_up(self, document: tomlkit.TOMLDocument, name: str) -> None:
        """Apply this setting alone: what other windows wrote meanwhile is theirs."""
        for source in (Source.FILE, Source.FLAG, Source.RUN):
            self._layers[source].pop(name, None)
        written = {key: value for key, value in _flattened(document).items() if key == name}
        self._layers[Source.FILE].update(self._usable(written))
        self._current = self._checked()

    def _usable(self, values: Mapping[str, object]) -> dict[str, object]:
        """What of the file can be used; the rest is told once."""
        usable: dict[str, object] = {}
        for name, value in values.items():
            try:
                check_value(name, value, step="Its default holds.")
            except SettingsError as error:
                self._tell(f"{self.path}: {error}")
            else:
                usable[name] = value
        return usable

    def _tell(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    # --- the file

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from changing the file between reading and replacing it."""
        target = self.path.resolve()
        with ExitStack() as stack:
            try:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock = target.with_name(f".{target.name}.lock")
                stack.enter_context(only_here_briefly(lock, limit=_PATIENCE))
            except TimeoutError as error:
                raise SettingsError(
                    f"{target} is being changed by another program. Try again in a moment."
                ) from error
            except OSError as error:
                raise _unwritable(target, error) from error
            yield

    def _read(self) -> tomlkit.TOMLDocument:
        """What the file says; nothing, if there is none or it is broken."""
        try:
            written = self.path.read_bytes()
        except FileNotFoundError:
            return tomlkit.document()
        except OSError as error:
            raise SettingsError(
                f"{self.path} cannot be read ({error.strerror}). Check who owns it."
            ) from error
        try:
            return tomlkit.parse(written.decode("utf-8-sig"))
        except (UnicodeDecodeError, TOMLKitError) as error:
            self._keep_aside(error)
            return tomlkit.document()

    def _keep_aside(self, error: Exception) -> None:
        where = f" (line {error.line})" if hasattr(error, "line") else ""
        for number in range(1, _MOST_BROKEN):
            aside = self.path.with_name(f"{self.path.name}.broken-{number}")
            if aside.exists():
                continue
            try:
                self.path.rename(aside)
            except OSError:
                break
            self._tell(
                f"{self.path} is not valid TOML{where}; it was kept as {aside.name}, and the "
                "defaults hold."
            )
            return
        self._tell(f"{self.path} is not valid TOML{where}; the defaults hold until it is mended.")

    def _write(self, document: tomlkit.TOMLDocument) -> None:
        """Put the whole file in place of the old one, or leave the old one as it is."""
        # A person may keep the file elsewhere and link it here; the link stays.
        target = self.path.resolve()
        try:
            _replace_whole(target, tomlkit.dumps(document).encode())
        except OSError as error:
            raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"{target} cannot be written ({error.strerror}). Check who owns its folder, or "
        "set PACE_HOME to another one."
    )


def _replace_whole(target: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name reach the disk, where folders can be opened for that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _flattened(document: Mapping[str, object]) -> dict[str, object]:
    """Values by their full names; a value where a section belongs keeps its own name."""
    flat: dict[str, object] = {}
    for section, fields in document.items():
        if isinstance(fields, Mapping):
            flat.update({f"{section}.{field}": _plain(value) for field, value in fields.items()})
        else:
            flat[section] = _plain(fields)
    return flat


def _plain(value: object) -> object:
    return value.unwrap() if isinstance(value, tomlkit.items.Item) else value


def _put(document: tomlkit.TOMLDocument, name: str, value: object) -> None:
    section, _, field = name.partition(".")
    held = document.get(section)
    if held is None:
        held = tomlkit.table()
        document[section] = held
    if not isinstance(held, MutableMapping):
        raise SettingsError(f"In the settings file {section} is a value. Make it [{section}].")
    if value is None:
        held.pop(field, None)
    else:
        held[field] = str(value) if isinstance(value, StrEnum) else value


def _drop(document: tomlkit.TOMLDocument, name: str) -> bool:
    """Whether the document said anything of a setting; it does not any more."""
    section, _, field = name.partition(".")
    held = document.get(section)
    if not isinstance(held, MutableMapping) or field not in held:
        return False
    del held[field]
    return True


def _whole_path(model: object) -> object:
    """A model file by a path that is right from every folder; a mere name stays one."""
    if not isinstance(model, str) or not model.lower().endswith(".gguf"):
        return model
    path = Path(model).expanduser()
    return str(path.absolute()) if path.is_file() else model


def _said(value: object) -> str:
    """A value in a sentence; a long one by its length."""
    text = shown_value(value)
    longest = 60
    if not text:
        return "not set"
    return text if len(text) <= longest and text.isprintable() else f"{len(text):,} characters long"
