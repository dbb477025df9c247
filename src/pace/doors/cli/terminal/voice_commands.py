"""The keys and commands of `pace voice`."""

from pace.doors.cli.terminal.commands import Command

KEYS_SHOWN = ("Space talks", "Esc stops", "F2 hands-free", "F3 mutes", "/help")
VOICE_COMMANDS = (
    Command(name="help", does="what can be said and typed here"),
    Command(name="hands", does="leave the microphone open, or close it"),
    Command(name="mute", does="replies as text alone, or spoken again"),
    Command(name="memory", does="what Pace holds of this conversation, and what it costs"),
    Command(name="reset", does="forget this conversation now"),
    Command(name="quit", does="leave; the model forgets"),
)
VOICE_KEYS = (
    ("Space", "on the empty line: talk for one turn; again: that was it"),
    ("Esc", "stops the reply; what was heard of it is kept"),
    ("F2", "hands-free: the microphone stays open, a minute without a turn closes it"),
    ("F3", "mutes replies, for this session"),
    ("Enter", "sends what you typed, and cuts in on a reply"),
    ("Ctrl-C", "stops the reply; twice leaves"),
    ("Ctrl-D", "leaves"),
)
