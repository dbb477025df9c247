"""What a note is called, and what its file is called: a name that is safe on every system."""

import re
import unicodedata

from pace.actions.telling import quoted
from pace.memory.turn import is_blank, is_invisible

# In bytes of UTF-8. File systems take 255, and a number and an ending are added.
_LONGEST_STEM = 120
# Windows takes none of these in a name; a slash leads to another folder everywhere.
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')
# Names of devices on Windows, whatever ending follows (its naming conventions).
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])( *\..*)?", re.IGNORECASE
)
_UNNAMED = "Note"


def title_of(text: str) -> str:
    """A title as it is shown and written into the note. Raises ValueError."""
    if is_blank(text):
        raise ValueError("A note needs a title. Say what it is called.")
    if not text.isprintable() or any(map(is_invisible, text)):
        raise ValueError(f"The title {quoted(text)} holds characters that cannot be seen.")
    return text


def stem_of(title: str) -> str:
    """The file's name for a title, without its ending; never empty, hidden or a device's."""
    composed = unicodedata.normalize("NFC", title)
    seen = "".join(c if c.isprintable() and not is_invisible(c) else " " for c in composed)
    words = " ".join(_FORBIDDEN.sub(" ", seen).split())
    stem = _shortened(words.lstrip(".-~ ")).rstrip(". ")
    if not stem:
        return _UNNAMED
    return f"{_UNNAMED} {stem}" if _RESERVED.fullmatch(stem) else stem


def key_of(title: str) -> str:
    """A title as titles are compared, and as file systems without letter case see names."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _shortened(text: str) -> str:
    return text.encode("utf-8", "ignore")[:_LONGEST_STEM].decode("utf-8", "ignore")
