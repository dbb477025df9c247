"""The keys and commands of `pace voice`."""

import difflib
from dataclasses import dataclass

from rich.text import Text

from pace.doors.cli.terminal.commands import Message, Mistaken
from pace.doors.cli.terminal.look import ACCENT, DIM
from pace.doors.cli.terminal.wrapping import labelled

VOICE_KEYS = ("Space talks", "Esc stops", "F2 hands-free", "F3 mutes", "/help")
_COMMANDS = (
    ("help", "what can be said and typed here"),
    ("hands", "leave the microphone open, or close it"),
    ("mute", "replies as text alone, or spoken again"),
    ("memory", "what Pace holds of this conversation, and what it costs"),
    ("reset", "forget this conversation now"),
    ("quit", "leave; the model forgets"),
)
_KEYS = (
    ("Space", "on the empty line: talk for one turn; again: that was it"),
    ("Esc", "stops the reply; what was heard of it is kept"),
    ("F2", "hands-free: the microphone stays open, a minute without a turn closes it"),
    ("F3", "mutes replies, for this session"),
    ("Enter", "sends what you typed, and cuts in on a reply"),
    ("Ctrl-C", "stops the reply; twice leaves"),
    ("Ctrl-D", "leaves"),
)
_WIDEST = 84


@dataclass(frozen=True, slots=True)
class VoiceCommand:
    """A command that was typed."""

    name: str


def parsed(line: str) -> VoiceCommand | Message | Mistaken:
    """What a typed line means; two slashes send one."""
    if line.startswith("//"):
        return Message(line[1:])
    if not line.startswith("/"):
        return Message(line)
    word = line[1:].strip().lower()
    names = [name for name, _ in _COMMANDS]
    if word in names:
        return VoiceCommand(word)
    near = difflib.get_close_matches(word, names, n=1)
    step = f"Did you mean /{near[0]}?" if near else "/help lists them."
    return Mistaken(f"There is no command /{word} here. {step}")


def voice_help(width: int) -> list[Text]:
    """Every command and every key."""
    width = min(width, _WIDEST)
    cells = max(len(label) for label, _ in (*_COMMANDS, *_KEYS)) + 3
    lines: list[Text] = []
    for name, does in _COMMANDS:
        lines += labelled(f"/{name}", Text(does), cells=cells, width=width, style=ACCENT)
    lines.append(Text())
    for key, does in _KEYS:
        lines += labelled(key, Text(does), cells=cells, width=width, style=DIM)
    return lines
