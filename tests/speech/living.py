"""A live conversation over stand-ins, whose microphone gives what a test says."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pace.asked import Words
from pace.chat import Row
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.voice.live import LiveConversation, VoiceState
from pace.errors import MicrophoneError, SpeakerError
from pace.history import PaceHistory
from pace.planners.tiers import OpenedPlanner
from pace.ports import ActionsAtWork
from pace.settings_file import SettingsFile
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import CHUNK_SAMPLES, Heard, Microphone, Sound, Speaker
from pace.testing import (
    ManualClock,
    ManualSpeaker,
    ScriptedPlanner,
    ScriptedRecogniser,
    ScriptedVoice,
)

LOUD = (1000).to_bytes(2, "little") * CHUNK_SAMPLES
QUIET = bytes(2 * CHUNK_SAMPLES)
SAID, PAUSED, DONE = 20, 6, 60
"""Chunks of a short sentence, of a pause within it, and of a silence that ends any."""

REPLY = "The ferry leaves at noon. It costs nine crowns."
FIRST_SENTENCE = 2.5
"""Seconds of it, as the scripted voice speaks."""
REMOTE: dict[str, object] = {
    "planner.tier": "direct",
    "planner.provider": "openai",
    "privacy.agreed": "direct:api.openai.com",
}


class LoudnessDetector:
    """Takes loud chunks for speech."""

    def probability(self, chunk: bytes) -> float:
        return 1.0 if any(chunk) else 0.0

    def reset(self) -> None:
        """It remembers nothing."""


class HandMicrophone:
    """Hears what a test gives it, chunk by chunk, while somebody listens."""

    def __init__(self) -> None:
        self.is_open = False
        self._given: asyncio.Queue[bytes | Exception] = asyncio.Queue()

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        self.is_open = True
        try:
            while True:
                given = await self._given.get()
                if isinstance(given, Exception):
                    raise given
                yield given
                self._given.task_done()
        finally:
            self.is_open = False
            while not self._given.empty():
                self._given.get_nowait()

    async def hear(self, chunk: bytes, times: int = 1) -> None:
        """Give chunks, one after the other, each once the one before was taken in."""
        for _ in range(times):
            if not self.is_open:
                return
            self._given.put_nowait(chunk)
            await settled(6)

    def fail(self, sentence: str) -> None:
        self._given.put_nowait(MicrophoneError(sentence))


class HandSpeaker(ManualSpeaker):
    """Plays as the test says, and fails as often as it says."""

    def __init__(self) -> None:
        super().__init__()
        self._faults: list[str] = []

    def fail(self, *sentences: str) -> None:
        """Each of these is what comes of one more sound; what waits to sound never does."""
        self._faults.extend(sentences)

    async def play(self, sound: Sound) -> None:
        self._raise_fault()
        await super().play(sound)

    async def wait_silent(self) -> None:
        await super().wait_silent()
        self._raise_fault()

    def _raise_fault(self) -> None:
        if self._faults:
            raise SpeakerError(self._faults.pop(0))


async def settled(steps: int = 60) -> None:
    """Let everything go on as far as it can."""
    for _ in range(steps):
        await asyncio.sleep(0)


@dataclass
class Living:
    """All that a test looks at."""

    live: LiveConversation
    chat: OpenChat
    microphone: HandMicrophone
    speaker: HandSpeaker
    voice: ScriptedVoice
    planner: ScriptedPlanner
    recogniser: ScriptedRecogniser
    clock: ManualClock
    told: list[str]
    seen: asyncio.Event
    """Set with whatever a screen would show anew."""

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for what takes its own time, as real devices do."""
        while not is_so():
            self.seen.clear()
            await self.seen.wait()

    async def say(self) -> None:
        """Somebody speaks a sentence and is silent until it has ended; the script knows which."""
        await self.microphone.hear(LOUD, SAID)
        await self.microphone.hear(QUIET, DONE)
        await settled()

    async def say_and_pause(self) -> None:
        """Somebody speaks and pauses, so that the words so far are recognised."""
        await self.microphone.hear(LOUD, SAID)
        await self.microphone.hear(QUIET, PAUSED)

    async def listen(self) -> None:
        """Leave the microphone open."""
        self.live.hands_free(on=True)
        await settled()

    async def over(self) -> None:
        """All of the reply sounds."""
        self.speaker.played = self.speaker.given
        self.speaker.silent.open()
        await settled()

    async def kept(self) -> None:
        """Wait until the turn is over, and with it in the journal, which is a file."""
        await self.until(lambda: self.live.state not in {VoiceState.THINKING, VoiceState.SPEAKING})

    @property
    def rows(self) -> list[Row]:
        return [line for line in self.chat.session.lines if isinstance(line, Row)]

    async def pairs(self) -> list[tuple[str, str, bool]]:
        memory = await self.chat.memory()
        return [(pair.user_text, pair.reply_text, pair.interrupted) for pair in memory.window]


@asynccontextmanager
async def living(
    planner: ScriptedPlanner,
    *heard: str | Heard | Exception,
    actions: ActionsAtWork | None = None,
    voice: ScriptedVoice | None = None,
    gate: EchoGate | None = None,
    flags: dict[str, object] | None = None,
    history: PaceHistory | None = None,
    devices: tuple[Microphone, Speaker] | None = None,
    typed_early: Sequence[Words] = (),
) -> AsyncIterator[Living]:
    """Open it; the recogniser hears what its script says, sentence after sentence.

    Real `devices` take the place of those that the test gives its chunks to. What is `typed_early`
    comes before it runs.
    """

    async def opener(_: object, *, screen: object) -> OpenedPlanner:  # noqa: ARG001
        return OpenedPlanner(planner=planner)

    clock, told, seen = ManualClock(), list[str](), asyncio.Event()
    file = SettingsFile.open(flags or {})
    microphone, speaker = HandMicrophone(), HandSpeaker()
    hears, plays = devices or (microphone, speaker)
    voice = voice or ScriptedVoice()

    def tell(sentence: str) -> None:
        told.append(sentence)
        seen.set()

    with ScriptedRecogniser(*heard) as recogniser, planner:
        chat = OpenChat(
            file,
            screen=FetchBar(),
            opener=opener,
            clock=clock,
            history=history,
            actions=actions,
        )
        async with chat:
            live = LiveConversation(
                chat,
                microphone=hears,
                speaker=plays,
                detector=LoudnessDetector(),
                recogniser=recogniser,
                voices=[voice],
                gate=gate or EchoGate(is_open=True),
                language=lambda: None,
                clock=clock,
                tell=tell,
                changed=seen.set,
            )
            typing = [asyncio.create_task(live.type(words)) for words in typed_early]
            await settled()
            life = asyncio.create_task(live.run())
            await settled()
            try:
                yield Living(
                    live, chat, microphone, speaker, voice, planner, recogniser, clock, told, seen
                )
            finally:
                life.cancel()
                await asyncio.wait([life, *typing])
        if not life.cancelled():
            life.result()


def typed(text: str) -> Words:
    return Words(text=text)


def texts(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row.user_text, row.reply_text) for row in rows]
