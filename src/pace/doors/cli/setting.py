"""`pace settings`: what is set, what could be, and where each value comes from."""

from pathlib import Path

import click

from pace.doors.cli.fitting_width import say, show_table
from pace.doors.safe_text import safe_line
from pace.errors import SettingsError
from pace.settings import every_setting, shown_value
from pace.settings_file import Change, SettingsFile, Source
from pace.speech.voice_catalogue import known_voice

_LONGEST_SHOWN = 28


def show_all() -> None:
    """All settings as a table."""
    file = _opened()
    rows = [
        (
            info.name,
            _short(file.current.get(info.name)),
            str(file.source_of(info.name)),
            _short(info.default),
            info.allowed,
        )
        for info in every_setting()
    ]
    show_table(("SETTING", "VALUE", "FROM", "DEFAULT", "MAY BE"), rows)
    click.echo(f"\nSet one with: pace settings NAME VALUE\nThe file is {file.path}")


def show_one(name: str) -> None:
    """One setting, with all that is to be said about it."""
    file = _opened()
    source = file.source_of(name)
    info = next(info for info in every_setting() if info.name == name)
    click.echo(f"{name} = {safe_line(shown_value(file.current.get(name)))}")
    say(f"  {info.description}")
    say(f"  may be {info.allowed}; comes from: {source}")
    if source is not Source.DEFAULT:
        click.echo(f"  default: {shown_value(info.default) or '(not set)'}")


def change(name: str, value: str) -> None:
    """Set one setting; a text may stand in a file that is named after an @."""
    file = _opened()
    if name == "planner.instructions":
        value = text_or_file(value, name=name)
    if name == "voice.voice" and value:
        known_voice(value)
    _say(file.change(name, value))


def reset(name: str) -> None:
    """Give a setting its default again."""
    _say(_opened().reset(name))


def show_path() -> None:
    """Where the settings file is, or would be."""
    click.echo(str(_opened().path))


def text_or_file(given: str, *, name: str) -> str:
    """A text, or what is in the file named after an @. Raises SettingsError.

    `name` is the flag or setting that it is for, as the person wrote it.
    """
    if not given.startswith("@"):
        return given
    if given == "@":
        raise SettingsError(f"{name}: after the @ stands no file. Write {name} @FILE or a text.")
    path = Path(given[1:]).expanduser()
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingsError(
            f"{name}: {path} cannot be read ({error.strerror}). Check its name."
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{name}: {path} is no UTF-8 text. Save it as one.") from error


def _opened() -> SettingsFile:
    file = SettingsFile.open()
    for notice in file.notices:
        say(f"pace: {safe_line(notice)}", err=True)
    return file


def _say(changed: Change) -> None:
    say(safe_line(changed.sentence))


def _short(value: object) -> str:
    text = safe_line(shown_value(value)) or "(not set)"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
