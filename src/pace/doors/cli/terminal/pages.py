"""The pages that stand by themselves: the first screen, the help, and the line of a new session."""

from collections.abc import Sequence

from rich.text import Text

from pace.doors.cli.terminal.commands import COMMANDS, Command
from pace.doors.cli.terminal.look import ACCENT, DIM, STRONG, Look
from pace.doors.cli.terminal.wrapping import labelled, wrapped
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.planners.consent import recipient_of
from pace.settings import Tier

_STAYS = "Nothing leaves this machine"
_FORGETS = "; forgets when you stop."
_KEPT = "; the model forgets when you stop. What was said stays in your own history: pace history"
_LABEL = 8
_WIDEST = 84
_TRY = (
    "What should I cook with a cauliflower and two eggs?",
    "/file notes.txt, then ask about it",
    "/memory shows what Pace holds of this conversation",
)
_KEYS = (
    ("Enter", "sends"),
    ("Alt+Enter", "begins a new line, and so does Ctrl-J"),
    ("Ctrl-C", "stops the reply; at the prompt, twice leaves"),
    ("Ctrl-D", "leaves"),
    ("Up, Down", "go through what you typed in this session"),
    ("//", "at the beginning sends a message that begins with a slash"),
)
_WIDEST_DIVIDER = 72


def first_screen(chat: OpenChat, width: int, look: Look) -> list[Text]:
    """Who is here, what it is worth, what becomes of the words, and three things to try."""
    width = min(width, _WIDEST)
    name = Text.assemble(("Pace", f"{STRONG} {ACCENT}"), f"  {_model(chat, look)}")
    lines = [Text(), name, *wrapped(Text(_privacy(chat)), width), Text()]
    if chat.note:
        lines += [*wrapped(Text(safe_line(chat.note), DIM), width), Text()]
    for number, suggestion in enumerate(_TRY):
        label = "" if number else "Try"
        lines += labelled(label, Text(suggestion), cells=_LABEL, width=width, style=DIM)
    return [*lines, Text()]


def help_page(
    width: int,
    *,
    commands: Sequence[Command] = COMMANDS,
    keys: Sequence[tuple[str, str]] = _KEYS,
) -> list[Text]:
    """Every command and every key."""
    width = min(width, _WIDEST)
    rows = [(f"/{command.name} {command.takes}".rstrip(), command.does) for command in commands]
    cells = max(len(label) for label, _ in (*rows, *keys)) + 2
    lines: list[Text] = []
    for label, does in rows:
        lines += labelled(label, Text(does), cells=cells, width=width, style=ACCENT)
    lines.append(Text())
    for label, does in keys:
        lines += labelled(label, Text(does), cells=cells, width=width, style=DIM)
    return lines


def divider(words: str, width: int, look: Look) -> Text:
    """A rule across the screen with words in it."""
    rule = look.signs.rule
    whole = min(width, _WIDEST_DIVIDER)
    if len(words) + 6 > whole:
        return Text(words, DIM)
    return Text(f"{rule * 2} {words} {rule * (whole - len(words) - 4)}", DIM)


def _privacy(chat: OpenChat) -> str:
    recipient = recipient_of(chat.settings.planner)
    where = _STAYS if recipient is None else f"What you say goes to {safe_line(recipient.host)}"
    is_kept = chat.history is not None and chat.settings.history.keep
    return f"{where}{_KEPT if is_kept else _FORGETS}"


def _model(chat: OpenChat, look: Look) -> str:
    planner = chat.settings.planner
    if planner.tier is Tier.LOCAL:
        told = f"{planner.model or 'a local server'} at {planner.base_url}"
    elif planner.tier is Tier.APPLE:
        told = "Apple's on-device model, on this machine"
    elif recipient := recipient_of(planner):
        told = f"{recipient.command}, {planner.model or 'its own model'}"
    else:
        told = f"{planner.model or 'its own model'}, on this machine"
    return f"{look.signs.dot}  {safe_line(told)}"
