"""Sets a prompt's messages as one text, for a program that takes no more than that.

Contents stand as they are. The fence around them is longer than any row of its sign in them, so
that nothing said can pass for the beginning of a message.
"""

import re
from collections.abc import Sequence

from pace.memory.prompt import Message, Role

FIXED_INSTRUCTION = (
    "You take part in a conversation. You have no tools and no files here, and look nothing up. "
    "The system part of the conversation says who you are."
)
_HEAD = (
    "The messages of a conversation follow. A line with a row of equals signs on both sides says "
    "who the next message is from. Reply to the last message as the assistant, and give the reply "
    "alone."
)
_ROW = re.compile("=+")
_SHORTEST_FENCE = 5


def as_one_text(messages: Sequence[Message]) -> str:
    """All messages in their order; the last line is a fence, so that no end is trimmed away."""
    longest = max((len(row) for m in messages for row in _ROW.findall(m.content)), default=0)
    fence = "=" * max(_SHORTEST_FENCE, longest + 1)
    parts = [_HEAD, "\n"]
    for message in messages:
        parts += [f"{fence} {message.role} {fence}\n", message.content, "\n"]
    return "".join([*parts, f"{fence} end {fence}\n"])


def split_system(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The system text, empty if there is none, and the other messages."""
    if messages and messages[0].role is Role.SYSTEM:
        return messages[0].content, messages[1:]
    return "", messages
