r"""Other people's words within a sentence of ours: short, on one line, and they do nothing.

What could move a cursor, turn the reading direction or hide is shown as an escape (`\u202e`).
"""

from pace.memory.turn import is_invisible

_LONGEST = 60


def shown(text: str, most: int = _LONGEST) -> str:
    """A text made short and safe; its end gives way to dots."""
    line = " ".join(text.split())
    cut = line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
    return "".join(map(_safe, cut))


def quoted(text: str, most: int = _LONGEST) -> str:
    """The same, between quotation marks."""
    return f'"{shown(text, most)}"'


def counted(number: int, thing: str) -> str:
    """A number with its thing: 1 note, 2 notes."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def bounded(text: str, most: int) -> str:
    """A long text by its beginning, and how much more there is."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[{len(text) - most:,} more characters]"


def _safe(character: str) -> str:
    if character.isprintable() and not is_invisible(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004  # four digits
