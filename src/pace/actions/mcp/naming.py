"""What tools are called here: letters, figures and underscores, unique, and the same each time.

The part up to the first underscore names the server, as the person calls it; so no server can give
a tool the name of another's, which may be allowed for good.
"""

import hashlib
import re
from collections.abc import Container

from pace.actions.telling import shown
from pace.memory.markers import harmless

LONGEST_NAME = 64
_DIGEST = 6


def action_name(slug: str, tool: str, taken: Container[str]) -> str:
    """The action's name for a tool of a server, other than those that are taken."""
    whole = f"{slug}_{plain_name(tool)}"
    if len(whole) > LONGEST_NAME:
        digest = hashlib.sha256(tool.encode(errors="replace")).hexdigest()[:_DIGEST]
        whole = f"{whole[: LONGEST_NAME - _DIGEST - 1]}_{digest}"
    name, number = whole, 1
    while name in taken:
        number += 1
        ending = f"_{number}"
        name = whole[: LONGEST_NAME - len(ending)] + ending
    return name


def plain_name(tool: str) -> str:
    """A tool's name without what could be anything but a name."""
    return re.sub(r"[^a-z0-9]+", "_", tool.lower()).strip("_") or "tool"


def on_one_line(text: str, most: int) -> str:
    """A text of others for the system prompt: short, on one line, without markers."""
    return harmless(shown(text[: most * 4], most))
