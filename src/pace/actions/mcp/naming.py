"""What tools are called here: letters, figures, hyphens and underscores, each name one tool's.

The part up to the first underscore names the server, as the person calls it; so no server can give
a tool the name of another's, which may be allowed for good. Nor can it hand on a name from one of
its tools to another: a name comes of the server's own alone, whatever else is listed.
"""

import hashlib
import re

from pace.actions.telling import shown
from pace.memory.markers import harmless

LONGEST_NAME = 64
_DIGEST = 8
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
# How a name ends that was changed; one that a server ends so itself is changed, too.
_CHANGED = re.compile(rf"_[0-9a-f]{{{_DIGEST}}}\Z")


def action_name(slug: str, tool: str) -> str:
    """The action's name for a tool of a server; one that had to be changed ends in a digest."""
    whole = f"{slug}_{tool}"
    if _PLAIN.fullmatch(tool) and not _CHANGED.search(tool) and len(whole) <= LONGEST_NAME:
        return whole
    # "backslashreplace" gives different bytes to what differs, also to what is no Unicode.
    digest = hashlib.sha256(tool.encode(errors="backslashreplace")).hexdigest()[:_DIGEST]
    return f"{slug}_{plain_name(tool)}"[: LONGEST_NAME - _DIGEST - 1] + f"_{digest}"


def plain_name(tool: str) -> str:
    """A tool's name without what could be anything but a name."""
    return re.sub(r"[^a-z0-9]+", "_", tool.lower()).strip("_") or "tool"


def on_one_line(text: str, most: int) -> str:
    """A text of others for the system prompt: short, on one line, without markers."""
    return harmless(shown(text[: most * 4], most))
