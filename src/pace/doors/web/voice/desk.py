"""Lends the voice to one tab at a time: ears and voices are opened once, for whoever asks first.

Nothing of the extra `voice` is imported before somebody wants to talk.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from starlette.websockets import WebSocket

from pace.asked import Words
from pace.doors.faults import fault_sentence
from pace.doors.open_chat import OpenChat
from pace.doors.web.voice.connection import SoundConnection
from pace.errors import MissingExtraError
from pace.planners.tiers import FetchScreen
from pace.settings import VoiceSettings

# RFC 6455, section 7.4.1.
_AGAINST_THE_RULES = 1008
_ELSEWHERE = "Another tab talks now, so this one does not any more."


class Tab(FetchScreen, Protocol):
    """The page that talks. It shows what is being fetched."""

    def connect(self, ticket: str) -> None:
        """Have the page open its sound connection with this ticket, which is good once."""
        ...

    def tell(self, sentence: str) -> None:
        """Tell the person."""
        ...


class Talking(Protocol):
    """A spoken conversation over a tab's sound connection."""

    async def run(self) -> None:
        """Talk until the connection ends, and finish the reply."""
        ...

    async def type(self, words: Words) -> None:
        """Send typed words; a reply that sounds is cut at once."""
        ...

    async def stop(self) -> bool:
        """Cut the reply; False if there is none."""
        ...

    def close_microphone(self) -> bool:
        """Listen no more, and drop what was being said; False if it was closed already."""
        ...

    def mute(self, *, is_muted: bool) -> None:
        """The reply that sounds goes on as text; or the next ones sound again."""
        ...


BeginTalking = Callable[[SoundConnection, Callable[[str], None]], Talking]
"""Makes a conversation over a connection; the second one gets sentences for the person."""


@dataclass(frozen=True, slots=True)
class _Lent:
    """The tab that has the voice, its connection, and what goes on in it."""

    tab: Tab
    connection: SoundConnection
    talking: Talking


class VoiceDesk:
    """Opens the voice for a tab, and serves that tab's sound connection."""

    def __init__(self, chat: OpenChat) -> None:
        self._chat = chat
        self._tickets: dict[str, Tab] = {}
        self._lent: _Lent | None = None
        self._opening = asyncio.Lock()
        self._begin: BeginTalking | None = None
        self._opened_with: VoiceSettings | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._begin = None
        await self._stack.aclose()

    # --- for pages

    async def open_for(self, tab: Tab) -> None:
        """Get ears and voices ready, and have this tab connect.

        Raises PaceError, whose sentence says what is missing.
        """
        async with self._opening:
            await self._ready(tab)
        self.forget(tab)
        ticket = secrets.token_urlsafe(32)
        self._tickets[ticket] = tab
        tab.connect(ticket)

    def forget(self, tab: Tab) -> None:
        """A ticket of this tab that was not used is good no more."""
        self._tickets = {ticket: each for ticket, each in self._tickets.items() if each is not tab}

    def talking_in(self, tab: Tab) -> Talking | None:
        """What goes on in this tab, if it has the voice."""
        lent = self._lent
        if lent is None or lent.tab is not tab or lent.connection.is_over:
            return None
        return lent.talking

    # --- the connection

    async def serve(self, socket: WebSocket) -> None:
        """Talk over a connection whose address holds a ticket; any other is refused."""
        tab = self._tickets.pop(socket.query_params.get("ticket", ""), None)
        if tab is None or self._begin is None:
            await socket.close(_AGAINST_THE_RULES)
            return
        await socket.accept()
        connection = SoundConnection(socket)
        lent = _Lent(tab, connection, self._begin(connection, tab.tell))
        self._take_back(tab)
        self._lent = lent
        try:
            await lent.talking.run()
        except Exception as error:  # noqa: BLE001  # the window outlives a fault
            tab.tell(fault_sentence(error))
        finally:
            if self._lent is lent:
                self._lent = None

    # --- inside

    async def _ready(self, tab: Tab) -> None:
        settings = self._chat.settings.voice
        if self._begin is not None and settings == self._opened_with:
            return
        opening = _opening(self._chat, settings, tab)
        self._take_back(tab)
        self._begin = None
        await self._stack.aclose()
        self._stack = AsyncExitStack()
        self._begin = await self._stack.enter_async_context(opening)
        self._opened_with = settings

    def _take_back(self, tab: Tab) -> None:
        """Whoever has the voice has it no more, since this tab gets it."""
        lent, self._lent = self._lent, None
        if lent is not None:
            lent.connection.end("" if lent.tab is tab else _ELSEWHERE)


def _opening(
    chat: OpenChat, settings: VoiceSettings, tab: Tab
) -> AbstractAsyncContextManager[BeginTalking]:
    try:
        from pace.doors.web.voice.talk import open_voice  # noqa: PLC0415  # slow, and an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "pace":
            raise
        raise MissingExtraError("Talking to Pace", "voice") from error
    return open_voice(chat, settings, tab, tell=tab.tell)
