"""Tells from a reply's first characters whether it is an envelope or plain text."""

from collections.abc import Collection

from pace.envelope.model import FIELDS, INTENT, SPOKEN

FENCE = "```"
# White space ahead of the first key; with more of it than that, nobody means an envelope.
_LONGEST_HEAD = 200
_LABEL = "json"


def begins_envelope(text: str) -> bool | None:
    """Whether a reply that begins so is an envelope; None while only more of it can tell.

    One code fence around it is allowed: models that are merely asked for a form like to write one.
    """
    rest = text.lstrip()
    if rest.startswith("`"):
        line, line_end, inside = rest.partition("\n")
        if not line_end:
            label = line.removeprefix(FENCE).strip().lower()
            is_open = FENCE.startswith(line) or (
                line.startswith(FENCE) and _LABEL.startswith(label)
            )
            return _undecided(text) if is_open else False
        if not line.startswith(FENCE) or line.removeprefix(FENCE).strip().lower() not in {
            "",
            _LABEL,
        }:
            return False
        rest = inside.lstrip()
    if not rest:
        return _undecided(text)
    return begins_object(rest, FIELDS)


def begins_object(text: str, keys: Collection[str] = (INTENT, SPOKEN)) -> bool | None:
    """Whether a text begins with an object whose first key is one of these; None as above."""
    if not text.startswith("{"):
        return False
    rest = text[1:].lstrip()
    if not rest:
        return _undecided(text)
    if not rest.startswith('"'):
        return False
    key, quote, _ = rest[1:].partition('"')
    if quote:
        return key in keys
    return _undecided(text) if any(known.startswith(key) for known in keys) else False


def _undecided(text: str) -> bool | None:
    return None if len(text) <= _LONGEST_HEAD else False
