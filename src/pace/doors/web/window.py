"""What all pages of the window share: one open conversation, and whatever shows it."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from nicegui import Event

from pace.doors.open_chat import OpenChat
from pace.doors.web.drawing import Drawings
from pace.doors.web.measures import Measures
from pace.doors.web.voice.desk import VoiceDesk
from pace.history import PaceHistory


class Drafts:
    """Words that one page hands to the message box of another; they are there for one look."""

    def __init__(self) -> None:
        self._text = ""

    def put(self, text: str) -> None:
        """Leave words for whoever shows a message box next; they replace what was left before."""
        self._text = text

    def take(self) -> str:
        """What was left, or nothing; the next look finds nothing."""
        text, self._text = self._text, ""
        return text


@dataclass(frozen=True, slots=True)
class Window:
    """One companion behind all tabs, the journal that it writes, and what is to be told of it.

    `settings_changed` tells every tab that a setting is in force, `history_changed` that turns or
    names of the journal were changed by a person. `changing` is held while settings are changed.
    """

    chat: OpenChat
    history: PaceHistory
    notices: deque[str]
    drawings: Drawings
    voice: VoiceDesk
    drafts: Drafts = field(default_factory=Drafts)
    settings_changed: Event[[]] = field(default_factory=Event)
    history_changed: Event[[]] = field(default_factory=Event)
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    measures: Measures = field(default_factory=Measures)

    def outlives_deletion(self) -> list[str]:
        """What stays if the live conversation is deleted from the history, in sentences."""
        sentences = ["The conversation itself goes on and remembers it until it is reset."]
        is_kept = self.chat.settings.history.keep and not self.chat.is_temporary
        if is_kept and self.chat.session.open_row is not None:
            sentences.append("The turn that is being answered now will be kept when it is over.")
        return sentences

    async def tell_of_history(self) -> None:
        """A person changed something of the journal: have all tabs show it, and what it says."""
        while self.history.notices:
            self.notices.append(self.history.notices.pop(0))
        await self.history_changed.call()
