r"""Decodes a JSON string piece by piece, and gives no half of an escape or of a character.

"\ud83d\ude00" is one character in two escapes; a half without its other becomes U+FFFD.
"""

import re

_ESCAPES = {
    '\\"': '"',
    "\\\\": "\\",
    "\\/": "/",
    "\\b": "\b",
    "\\f": "\f",
    "\\n": "\n",
    "\\r": "\r",
    "\\t": "\t",
}
_CODE_START = re.compile(r"\\(u[0-9a-fA-F]{0,3})?")
_WHOLE_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_LOST = "\ufffd"

PLAIN_RUN = re.compile("[^\"'\\\\\ud800-\udfff]+")
"""Characters of a string that stand for themselves and may be fed at once."""


class StringDecoder:
    """Takes the characters between the quotes; an escape that is none of JSON's gives nothing."""

    def __init__(self) -> None:
        self._escape = ""
        self._high = ""

    @property
    def is_within_escape(self) -> bool:
        """Whether the next character belongs to an escape, a quote included."""
        return bool(self._escape)

    def feed(self, piece: str) -> str:
        """The text that is certain with this character, or PLAIN_RUN; may be empty."""
        if not self._escape and piece != "\\":
            return self._unit(piece)
        self._escape += piece
        if self._escape in _ESCAPES:
            unit, self._escape = _ESCAPES[self._escape], ""
            return self._unit(unit)
        if code := _WHOLE_CODE.fullmatch(self._escape):
            self._escape = ""
            return self._unit(chr(int(code[1], 16)))
        if not _CODE_START.fullmatch(self._escape):
            self._escape = ""
        return ""

    def finish(self) -> str:
        """What a half stands for whose other half did not come."""
        lost, self._high = _LOST if self._high else "", ""
        return lost

    def _unit(self, unit: str) -> str:
        high, self._high = self._high, ""
        if "\ud800" <= unit <= "\udbff":
            self._high = unit
            return _LOST if high else ""
        if "\udc00" <= unit <= "\udfff":
            if not high:
                return _LOST
            return (high + unit).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        return f"{_LOST}{unit}" if high else unit
