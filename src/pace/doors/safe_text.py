r"""Makes text of a model, an error or the past safe for a terminal: it is read, and does nothing.

Whatever could move the cursor, change the title, touch the clipboard, turn the reading direction or
hide between letters is shown as a visible escape (`\x1b`, `\u202e`). Colours are added afterwards,
by Pace alone.
"""

import unicodedata

from pace.memory.turn import is_invisible

# Line ends of other kinds and halves of pairs; what shows nothing is the conversation's own rule.
_HIDING = frozenset({"Cc", "Cs", "Zl", "Zp"})
# The space of braille, in pictures made of its dots, too; it stands where a space would.
_BRAILLE_SPACE = "\u2800"
_NON_JOINER, _JOINER, _TEXT_STYLE, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0e", "\ufe0f"
_KEYCAP_BASES = frozenset("0123456789#*")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
# Scripts whose spelling needs joiners between letters: Arabic and its kin, Indic, Khmer, Mongolian.
_JOINING_SCRIPTS = (
    range(0x0600, 0x0900),
    range(0x0900, 0x0E00),
    range(0x1780, 0x18B0),
    range(0xFB50, 0xFDFF),
)


def safe_text(text: str) -> str:
    """A whole text made safe."""
    stream = SafeTextStream()
    return stream.feed(text) + stream.finish()


def safe_line(text: str) -> str:
    """A text made safe and set on one line, for places that have no room for a second."""
    return " ".join(safe_text(text).split())


class SafeTextStream:
    """Makes text safe chunk by chunk; however it is cut, the result is the same.

    A line end or a joiner whose meaning hangs on the next character is held until that comes, or
    until `finish`.
    """

    def __init__(self) -> None:
        self._held = ""
        self._before = ""

    def feed(self, chunk: str) -> str:
        """The safe text that is certain so far; may be empty."""
        safe: list[str] = []
        for character in chunk:
            if self._held:
                safe.append(self._released(character))
            if self._waits(character):
                self._held = character
                continue
            safe.append(self._shown(character))
        return "".join(safe)

    def finish(self) -> str:
        """Whatever was held; nothing follows it."""
        return self._released("") if self._held else ""

    def _waits(self, character: str) -> bool:
        if character == "\r":
            return True
        return character in {_JOINER, _NON_JOINER} and _joins(character, self._before)

    def _released(self, following: str) -> str:
        """The held character, now that the next one is known."""
        held, self._held = self._held, ""
        if held == "\r" and following == "\n":
            # The line end of other systems; the line feed itself comes next.
            return ""
        if held != "\r" and following and _joins(held, following):
            self._before = held
            return held
        self._before = held
        return _escaped(held)

    def _shown(self, character: str) -> str:
        before, self._before = self._before, character
        if character in {"\n", "\t"}:
            return character
        if character in {_TEXT_STYLE, _EMOJI_STYLE}:
            return character if _takes_style(before) else _escaped(character)
        if character == _BRAILLE_SPACE:
            return character
        if is_invisible(character) or unicodedata.category(character) in _HIDING:
            return _escaped(character)
        return character


def _joins(joiner: str, neighbour: str) -> bool:
    """Whether a joiner beside this character is spelling, not trickery."""
    if not neighbour:
        return False
    code = ord(neighbour)
    if any(code in script for script in _JOINING_SCRIPTS):
        return unicodedata.category(neighbour)[0] in "LM"
    return joiner == _JOINER and (neighbour == _EMOJI_STYLE or _is_pictograph(neighbour))


def _is_pictograph(character: str) -> bool:
    return unicodedata.category(character) == "So" or ord(character) in _SKIN_TONES


def _takes_style(character: str) -> bool:
    if not character:
        return False
    return character in _KEYCAP_BASES or unicodedata.category(character) in {"So", "Sm", "Po", "Pd"}


def _escaped(character: str) -> str:
    if character == "\r":
        return "\\r"
    code = ord(character)
    if code < 0x100:  # noqa: PLR2004  # two hex digits are enough
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004  # four digits
