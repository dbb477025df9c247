"""A live conversation over stand-ins, whose microphone gives what a test says."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pace.asked import Words
from pace.chat import Row
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.voice.live import LiveConversation
from pace.errors import MicrophoneError
from pace.planners.tiers import OpenedPlanner
from pace.ports import ActionsAtWork
from pace.settings_file import SettingsFile
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import CHUNK_SAMPLES, Heard
from pace.testing import (
    ManualClock,
    ManualSpeaker,
    ScriptedPlanner,
    ScriptedRecogniser,
    ScriptedVoice,
)

LOUD = (1000).to_bytes(2, "little") * CHUNK_SAMPLES
QUIET = bytes(2 * CHUNK_SAMPLES)
SAID, DONE = 20, 60
"""Chunks of a short sentence, and of a silence that ends any."""


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
    speaker: ManualSpeaker
    voice: ScriptedVoice
    planner: ScriptedPlanner
    clock: ManualClock
    told: list[str] = field(default_factory=list)

    async def say(self) -> None:
        """Somebody speaks a sentence and is silent until it has ended; the script knows which."""
        await self.microphone.hear(LOUD, SAID)
        await self.microphone.hear(QUIET, DONE)
        await settled()

    async def over(self) -> None:
        """All of the reply sounds."""
        self.speaker.played = self.speaker.given
        self.speaker.silent.open()
        await settled()

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
) -> AsyncIterator[Living]:
    """Open it; the recogniser hears what its script says, sentence after sentence."""

    async def opener(_: object, *, screen: object) -> OpenedPlanner:  # noqa: ARG001
        return OpenedPlanner(planner=planner)

    clock, told = ManualClock(), list[str]()
    file = SettingsFile.open(flags or {})
    microphone, speaker = HandMicrophone(), ManualSpeaker()
    voice = voice or ScriptedVoice()
    with ScriptedRecogniser(*heard) as recogniser, planner:
        chat = OpenChat(file, screen=FetchBar(), opener=opener, clock=clock, actions=actions)
        async with chat:
            live = LiveConversation(
                chat,
                microphone=microphone,
                speaker=speaker,
                detector=LoudnessDetector(),
                recogniser=recogniser,
                voices=[voice],
                gate=gate or EchoGate(is_open=True),
                language=lambda: None,
                clock=clock,
                tell=told.append,
                changed=lambda: None,
            )
            life = asyncio.create_task(live.run())
            await settled()
            try:
                yield Living(live, chat, microphone, speaker, voice, planner, clock, told)
            finally:
                life.cancel()
                await asyncio.wait([life])
        if not life.cancelled():
            life.result()


def typed(text: str) -> Words:
    return Words(text=text)


def texts(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row.user_text, row.reply_text) for row in rows]
