"""What all pages of the window share: one open conversation, and whatever shows it."""

from collections import deque
from dataclasses import dataclass

from pace.doors.open_chat import OpenChat
from pace.history import PaceHistory


@dataclass(frozen=True, slots=True)
class Window:
    """One companion behind all tabs, the journal that it writes, and what is to be told of it."""

    chat: OpenChat
    history: PaceHistory
    notices: deque[str]
