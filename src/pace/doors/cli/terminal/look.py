"""What this terminal can show, and the few signs and styles that Pace uses on it.

Styles are the terminal's own foreground, its attributes and four of its ANSI colours, so that they
can be read on light and on dark backgrounds alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

DIM = "dim"
STRONG = "bold"
ACCENT = "cyan"
GOOD = "green"
WARNING = "yellow"
ERROR = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The drawing characters, each one cell wide."""

    you: str
    bar: str
    rule: str
    bullet: str
    full: str
    free: str
    dot: str
    dots: str
    away: str


_UNICODE = Signs(
    you="›", bar="│", rule="─", bullet="•", full="━", free="─", dot="·", dots="…", away="↗"
)
_ASCII = Signs(
    you=">", bar="|", rule="-", bullet="*", full="#", free=".", dot="-", dots="...", away="^"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How to write on a terminal. A plain one gets words and line ends, and not one escape code.

    One that can edit has a cursor that moves, so that a line can be edited in place.
    """

    is_plain: bool
    can_edit: bool
    signs: Signs


def look_of(stream: TextIO, environ: Mapping[str, str]) -> Look:
    """What a stream can show: plain if it is dumb, no terminal, or asked to be without colour."""
    encoding = (stream.encoding or "").lower().replace("-", "").replace("_", "")
    can_edit = stream.isatty() and environ.get("TERM", "") not in {"dumb", "unknown"}
    return Look(
        is_plain=bool(environ.get("NO_COLOR")) or not can_edit,
        can_edit=can_edit,
        signs=_UNICODE if encoding in {"utf8", "utf16", "utf32"} else _ASCII,
    )
