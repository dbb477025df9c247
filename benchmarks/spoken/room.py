"""A room of memory for benchmarks: its clock, its microphone and its loudspeaker go by one beat.

With each chunk of the microphone, 32 ms, as much of what waits in the loudspeaker sounds. A beat is
as long as in life while anybody recognises or makes speech, and else as short as the machine can.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import numpy as np

from pace.chat import Row
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.voice.equipment import Equipment, open_equipment
from pace.doors.voice.live import LiveConversation
from pace.folders import Folders
from pace.memory.turn import TurnId
from pace.planners.tiers import OpenedPlanner
from pace.ports import Planner
from pace.settings import VoiceSettings
from pace.settings_file import SettingsFile
from pace.speech.devices.echo_cancelling import EchoFreeMicrophone, Sounding
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import CHUNK_SAMPLES, RATE, SAMPLE_BYTES, Heard, Recogniser, Sound, Voice
from pace.speech.sound import SILENCE_DBFS, at_rate, level

CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES
BEAT = timedelta(seconds=CHUNK_SAMPLES / RATE)
_FULL = 32768


class AtWork:
    """How many recognise or make speech now."""

    def __init__(self) -> None:
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    def __enter__(self) -> Self:
        self._count += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._count -= 1


class WatchedRecogniser:
    """A recogniser that is seen at work, and how often it was."""

    def __init__(self, inner: Recogniser, at_work: AtWork) -> None:
        self.calls = 0
        self._inner = inner
        self._at_work = at_work

    @property
    def name(self) -> str:
        return self._inner.name

    async def recognise(
        self, sound: Sound, *, language: str | None = None, words: bool = False
    ) -> Heard:
        self.calls += 1
        with self._at_work:
            return await self._inner.recognise(sound, language=language, words=words)

    async def aclose(self) -> None:
        """Whoever opened it closes it."""


class WatchedVoice:
    """A voice that is seen at work."""

    def __init__(self, inner: Voice, at_work: AtWork) -> None:
        self._inner = inner
        self._at_work = at_work

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def languages(self) -> frozenset[str]:
        return self._inner.languages

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:
        with self._at_work:
            async with aclosing(self._inner.speak(text, language=language)) as pieces:
                async for piece in pieces:
                    yield piece

    async def aclose(self) -> None:
        """Whoever opened it closes it."""


class RoomClock:
    """As much time as beats have passed."""

    def __init__(self) -> None:
        self.beats = 0
        self._began = datetime.now(UTC)

    def now(self) -> datetime:
        return self._began + self.beats * BEAT

    def local_time(self) -> datetime:
        return self.now()


class RoomSpeaker:
    """A loudspeaker in which one chunk sounds with each beat, and that keeps what has sounded."""

    def __init__(self, given: Callable[[bytes, int], None] | None = None) -> None:
        self.level = SILENCE_DBFS
        self.sounded = bytearray()
        """Since the last `stop`."""
        self.cut = (b"", b"")
        """What had sounded before the last `stop`, and what would have."""
        self.silent_at = 0.0
        """When it was last told to be silent, by the loop's time."""
        self.is_paused = False
        self._given = given
        self._waiting = bytearray()
        self._changed = asyncio.Event()

    @property
    def played(self) -> float:
        return len(self.sounded) / SAMPLE_BYTES / RATE

    def beat(self) -> bytes:
        """The chunk that sounds now."""
        taken = b"" if self.is_paused else bytes(self._waiting[:CHUNK_BYTES])
        del self._waiting[: len(taken)]
        self.sounded += taken
        chunk = taken.ljust(CHUNK_BYTES, b"\0")
        self.level = level(chunk)
        if self._given is not None:
            self._given(chunk, RATE)
        self._changed.set()
        return chunk

    async def play(self, sound: Sound) -> None:
        self._waiting += at_rate(sound).samples

    async def wait_silent(self) -> None:
        while self._waiting:
            self._changed.clear()
            await self._changed.wait()

    def pause(self) -> None:
        self.is_paused = True
        self.silent_at = asyncio.get_running_loop().time()

    def resume(self) -> None:
        self.is_paused = False

    def stop(self) -> None:
        if not self.is_paused:
            self.silent_at = asyncio.get_running_loop().time()
        self.is_paused = False
        self.cut, self.sounded = (bytes(self.sounded), bytes(self._waiting)), bytearray()
        self._waiting.clear()
        self._changed.set()

    async def aclose(self) -> None:
        """There is no device."""


class RoomMicrophone:
    """Hears whoever speaks, the noise of the room, and, if told so, the loudspeaker.

    `returns` is how much louder the loudspeaker comes back than it sounds, in dB, 100 ms later.
    """

    def __init__(
        self,
        clock: RoomClock,
        speaker: RoomSpeaker,
        at_work: AtWork,
        *,
        noise: Iterator[np.ndarray],
        returns: float | None = None,
    ) -> None:
        self._clock = clock
        self._speaker = speaker
        self._noise = noise
        self._returns = returns
        self._at_work = at_work
        self._said = bytearray()
        self._echo = [np.zeros(CHUNK_SAMPLES)] * 3

    def say(self, sound: Sound) -> None:
        """Somebody speaks, from the next beat on."""
        self._said += at_rate(sound).samples

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + BEAT.total_seconds(), loop.time() - BEAT.total_seconds())
            if self._at_work:
                await asyncio.sleep(max(0.0, due - loop.time()))
            else:
                due = loop.time()
                await asyncio.sleep(0)
            yield self._beat()

    def _beat(self) -> bytes:
        self._clock.beats += 1
        said = bytes(self._said[:CHUNK_BYTES]).ljust(CHUNK_BYTES, b"\0")
        del self._said[:CHUNK_BYTES]
        self._echo.append(samples(self._speaker.beat()))
        heard = samples(said) + next(self._noise)
        echo = self._echo.pop(0)
        if self._returns is not None:
            heard = heard + echo * 10 ** (self._returns / 20)
        return np.clip(np.round(heard * _FULL), -_FULL, _FULL - 1).astype("<i2").tobytes()


def samples(chunk: bytes) -> np.ndarray:
    return np.frombuffer(chunk, "<i2") / _FULL


def hiss(dbfs: float, *, seed: int = 1) -> Iterator[np.ndarray]:
    """The noise of a room and its microphone."""
    random = np.random.default_rng(seed)
    while True:
        yield random.standard_normal(CHUNK_SAMPLES) * 10 ** (dbfs / 20)


async def spoken(voice: Voice, text: str, *, language: str = "en") -> Sound:
    """At the microphone's rate, without the silence before the first word."""
    async with aclosing(voice.speak(text, language=language)) as pieces:
        made = [piece async for piece in pieces]
    whole = at_rate(Sound(b"".join(piece.samples for piece in made), made[0].rate))
    loud = np.flatnonzero(np.abs(np.frombuffer(whole.samples, "<i2")) > _FULL // 50)
    return Sound(whole.samples[int(loud[0]) * SAMPLE_BYTES :])


@contextmanager
def own_home() -> Iterator[Path]:
    """A home of the benchmark's own, with the models of the usual one."""
    models = Folders.of().models
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "cache").mkdir()
        (Path(home) / "cache" / "models").symlink_to(models)
        os.environ["PACE_HOME"] = home
        yield Path(home)


@asynccontextmanager
async def chat_over(planner: Planner, clock: RoomClock) -> AsyncIterator[OpenChat]:
    """A conversation that this planner answers, by the room's clock."""

    async def opener(_: object, *, screen: object) -> OpenedPlanner:  # noqa: ARG001
        return OpenedPlanner(planner=planner)

    file = SettingsFile.open({})
    async with OpenChat(file, screen=FetchBar(), opener=opener, clock=clock) as chat:
        yield chat


@dataclass(frozen=True, slots=True)
class Room:
    """Who talks in it, over what, and by which clock."""

    chat: OpenChat
    live: LiveConversation
    microphone: RoomMicrophone
    speaker: RoomSpeaker
    clock: RoomClock
    gear: Equipment
    recogniser: WatchedRecogniser
    at_work: AtWork

    @property
    def rows(self) -> list[Row]:
        return [line for line in self.chat.session.lines if isinstance(line, Row)]

    def row(self, turn_id: TurnId) -> Row:
        return next(row for row in self.rows if row.turn_id == turn_id)

    async def beats(self, count: int = 1) -> None:
        """Wait for so many."""
        until = self.clock.beats + count
        while self.clock.beats < until:  # noqa: ASYNC110  # it is the clock
            await asyncio.sleep(0)


@asynccontextmanager
async def room_with(
    planner: Planner,
    noise: Iterator[np.ndarray],
    *,
    returns: float | None = None,
    cancels: bool = True,
    tell: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[Room]:
    """Somebody's free hands, the usual ears and Piper's Joe; with an echo canceller or without."""
    clock, at_work, sounding = RoomClock(), AtWork(), Sounding()
    speaker = RoomSpeaker(sounding.put)
    microphone = RoomMicrophone(clock, speaker, at_work, noise=noise, returns=returns)
    async with (
        open_equipment(VoiceSettings(), screen=FetchBar(), tell=tell) as gear,
        chat_over(planner, clock) as chat,
    ):
        recogniser = WatchedRecogniser(gear.recogniser, at_work)
        live = LiveConversation(
            chat,
            microphone=EchoFreeMicrophone(microphone, sounding) if cancels else microphone,
            speaker=speaker,
            detector=gear.detector,
            recogniser=recogniser,
            voices=[WatchedVoice(voice, at_work) for voice in gear.voices],
            gate=EchoGate(),
            language=gear.language,
            clock=clock,
            tell=tell,
            changed=lambda: None,
        )
        life = asyncio.create_task(live.run())
        live.hands_free(on=True)
        try:
            yield Room(chat, live, microphone, speaker, clock, gear, recogniser, at_work)
        finally:
            life.cancel()
            await asyncio.wait([life])
