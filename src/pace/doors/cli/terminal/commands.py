"""The slash commands, and what a line that begins with a slash means."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: its name without the slash, what it takes, and what it does."""

    name: str
    takes: str = ""
    does: str


COMMANDS = (
    Command(name="help", does="what can be typed here"),
    Command(name="memory", does="what Pace holds of this conversation, and what it costs"),
    Command(name="retry", does="have the last message answered anew"),
    Command(name="edit", does="change your last message and send it again"),
    Command(name="undo", does="take the last message and its reply back"),
    Command(name="continue", does="go on with a reply that was cut or stopped"),
    Command(name="thinking", does="what the model thought before its last reply"),
    Command(name="copy", does="copy the last reply to the clipboard"),
    Command(name="file", takes="PATH", does="add a text file to your next message"),
    Command(name="reset", does="forget this conversation now"),
    Command(name="window", takes="N", does="turn pairs that the model sees word for word, 1 to 8"),
    Command(name="idle", takes="N", does="minutes of silence until Pace forgets, 5 to 60"),
    Command(name="remember", takes="on|off", does="off: each message stands alone"),
    Command(name="tier", takes="[NAME [URL]]", does="show or change who answers"),
    Command(name="model", takes="[NAME]", does="show or change the model"),
    Command(name="actions", takes="[on|off]", does="show what Pace can do, or let it, or not"),
    Command(name="settings", takes="[NAME [VALUE]]", does="show or change settings"),
    Command(name="quit", does="leave; the model forgets"),
)
_SLASH_WORD = re.compile(r"/(?P<name>[^\s/]*)(?:\s+(?P<rest>.*))?\Z", re.DOTALL)
# Shorter beginnings would run what nobody meant.
_SHORTEST_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class Message:
    """Words for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, and what stands after it."""

    name: str
    rest: str


@dataclass(frozen=True, slots=True)
class Mistaken:
    """A line that begins with a slash and is no command, and a sentence about it."""

    sentence: str


def parse(line: str, commands: Sequence[Command] = COMMANDS) -> Message | Asked | Mistaken:
    """What a line means. Two slashes send one; a path with more slashes is a message."""
    if line.startswith("//"):
        return Message(line[1:])
    found = _SLASH_WORD.match(line.rstrip())
    if found is None:
        return Message(line)
    word, rest = found["name"].lower(), (found["rest"] or "").strip()
    known = {command.name: command for command in commands}
    name = _command_of(word, tuple(known))
    if name is None:
        return Mistaken(_no_command(found["name"], tuple(known)))
    if rest and not known[name].takes:
        return Mistaken(f"/{name} takes nothing after it. Type it alone.")
    return Asked(name, rest)


def _command_of(word: str, names: Sequence[str]) -> str | None:
    """The command of that name, or the only one that begins so."""
    if word in names:
        return word
    beginning = [name for name in names if name.startswith(word)]
    return beginning[0] if len(beginning) == 1 and len(word) >= _SHORTEST_BEGINNING else None


def _no_command(word: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(word.lower(), names, n=1) or [
        name for name in names if word and name.startswith(word.lower())
    ]
    step = f"Did you mean /{near[0]}?" if near else "/help lists them."
    if not word:
        return f"A command follows the slash. {step} Begin with // to send a slash."
    return f"There is no command /{word}. {step} Begin with // to send a slash."
