"""One spoken conversation in one tab: what the page sends goes in, what it is to show comes out.

It needs the extra `voice`; whoever imports it sees to that.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pace.asked import Words
from pace.chat import Change
from pace.clock import SystemClock
from pace.doors.open_chat import OpenChat
from pace.doors.safe_text import safe_line
from pace.doors.voice.equipment import Equipment, open_equipment
from pace.doors.voice.live import LiveConversation
from pace.doors.web.voice.browser_devices import BrowserMicrophone, BrowserSpeaker
from pace.doors.web.voice.connection import SoundConnection
from pace.doors.web.voice.desk import BeginTalking
from pace.doors.web.voice.frames import (
    EndTalk,
    HandsFree,
    MicrophoneIs,
    NoSound,
    Order,
    Sounding,
    Talk,
    written,
)
from pace.planners.tiers import FetchScreen
from pace.settings import VoiceMode, VoiceSettings
from pace.speech.echo_gate import EchoGate


@asynccontextmanager
async def open_voice(
    chat: OpenChat, settings: VoiceSettings, screen: FetchScreen, *, tell: Callable[[str], None]
) -> AsyncIterator[BeginTalking]:
    """Ears and voices for conversations in tabs; raises as `open_equipment` does."""
    async with open_equipment(settings, screen=screen, tell=tell) as equipment:

        def begin(connection: SoundConnection, tell: Callable[[str], None]) -> TabTalk:
            return TabTalk(chat, equipment, connection, tell=tell)

        yield begin


class TabTalk:
    """A LiveConversation over a tab's sound connection; a `Receiver` of what the page sends.

    `tell` gets sentences for the person.
    """

    def __init__(
        self,
        chat: OpenChat,
        equipment: Equipment,
        connection: SoundConnection,
        *,
        tell: Callable[[str], None],
    ) -> None:
        self._chat = chat
        self._tell = tell
        self._connection = connection
        self._microphone = BrowserMicrophone(connection)
        self._speaker = BrowserSpeaker(connection)
        self._live = LiveConversation(
            chat,
            microphone=self._microphone,
            speaker=self._speaker,
            detector=equipment.detector,
            recogniser=equipment.recogniser,
            voices=equipment.voices,
            # The browser cancels the echo of what it plays.
            gate=EchoGate(is_open=True),
            language=equipment.language,
            clock=SystemClock(),
            tell=tell,
            changed=self._changed,
        )

    # --- what the page sends

    def chunk(self, chunk: bytes) -> None:
        """A chunk that the microphone heard."""
        self._microphone.heard(chunk)

    def take(self, order: Order) -> None:
        """What the person did, or how the page's devices are."""
        match order:
            case Talk(held=held):
                if not held and self._chat.settings.voice.mode is VoiceMode.HANDS_FREE:
                    self._live.hands_free(on=True)
                self._live.talk(held=held)
            case EndTalk():
                self._live.end_talk()
            case HandsFree(on=on):
                self._live.hands_free(on=on)
            case MicrophoneIs():
                self._microphone.told(order)
            case Sounding():
                self._speaker.told(order)
            case NoSound():
                self._speaker.fail()

    # --- what the person does elsewhere on the page

    async def type(self, words: Words) -> None:
        """Send typed words; a reply that sounds is cut at once."""
        await self._live.type(words)

    async def stop(self) -> bool:
        """Cut the reply; False if there is none."""
        return await self._live.stop()

    def close_microphone(self) -> bool:
        """Listen no more, and drop what was being said; False if it was closed already."""
        was_open = self._live.is_open
        self._live.hands_free(on=False)
        return was_open

    def mute(self, *, is_muted: bool) -> None:
        """The reply that sounds goes on as text; or the next ones sound again."""
        if is_muted:
            self._speaker.stop_with("Muted; the reply is text.")
        else:
            self._speaker.stop()

    # --- life

    async def run(self) -> None:
        """Talk until the connection ends; a reply that sounds then goes on as text.

        Raises what is at fault.
        """
        self._changed()
        talking = asyncio.create_task(self._live.run(), name="talk")
        carrying = asyncio.create_task(self._connection.run(self), name="carry")
        try:
            await asyncio.wait({talking, carrying}, return_when=asyncio.FIRST_COMPLETED)
            if talking.done():
                await talking
            self._lose(await carrying)
            await _wait_replied(self._chat)
        finally:
            carrying.cancel()
            talking.cancel()
            await asyncio.wait({talking, carrying})

    def _lose(self, why: str) -> None:
        """The page is gone: nothing is heard or sounds any more."""
        if why:
            self._tell(why)
        self.close_microphone()
        why = why or "The page that talked was closed."
        self._microphone.lose(f"{why} The microphone is closed.")
        self._speaker.lose(f"{why} The rest of the reply is text.")

    def _changed(self) -> None:
        self._connection.show(
            written(
                "state",
                state=self._live.state.value,
                words=safe_line(self._live.words),
                open=self._live.is_open,
                handsFree=self._live.is_hands_free,
            )
        )


async def _wait_replied(chat: OpenChat) -> None:
    """Wait until no turn is being answered."""
    changed = asyncio.Event()

    def hear(_: Change) -> None:
        changed.set()

    forget = chat.session.subscribe(hear)
    try:
        while chat.session.open_row is not None:
            changed.clear()
            await changed.wait()
    finally:
        forget()
