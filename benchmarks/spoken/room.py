"""A room of memory for benchmarks: its clock, its microphone and its loudspeaker go by one beat.

With each chunk of the microphone, 32 ms, as much of what waits in the loudspeaker sounds. A beat is
as long as in life, or as short as the machine can, where nobody minds.
"""

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.folders import Folders
from pace.planners.tiers import OpenedPlanner
from pace.ports import Planner
from pace.settings_file import SettingsFile
from pace.speech.ports import CHUNK_SAMPLES, RATE, SAMPLE_BYTES, Sound, Voice
from pace.speech.sound import SILENCE_DBFS, at_rate, level

CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES
BEAT = timedelta(seconds=CHUNK_SAMPLES / RATE)
_FULL = 32768


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
        """Since the last `stop`; in `last` is what had sounded before it."""
        self.last = b""
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

    def resume(self) -> None:
        self.is_paused = False

    def stop(self) -> None:
        self.is_paused = False
        self.last, self.sounded = bytes(self.sounded), bytearray()
        self._waiting.clear()
        self._changed.set()

    async def aclose(self) -> None:
        """There is no device."""


class RoomMicrophone:
    """Hears whoever speaks, the noise of the room, and, if told so, the loudspeaker.

    `returns` is how much louder the loudspeaker comes back than it sounds, in dB, 100 ms later. A
    beat takes its time only while `takes_time` says so.
    """

    def __init__(
        self,
        clock: RoomClock,
        speaker: RoomSpeaker,
        *,
        noise: Iterator[np.ndarray],
        returns: float | None = None,
        takes_time: Callable[[], bool] = lambda: True,
    ) -> None:
        self._clock = clock
        self._speaker = speaker
        self._noise = noise
        self._returns = returns
        self._takes_time = takes_time
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
            if self._takes_time():
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


async def spoken(voice: Voice, text: str) -> Sound:
    """At the microphone's rate, without the silence before the first word."""
    async with aclosing(voice.speak(text, language="en")) as pieces:
        made = [piece async for piece in pieces]
    whole = at_rate(Sound(b"".join(piece.samples for piece in made), made[0].rate))
    loud = np.flatnonzero(np.abs(np.frombuffer(whole.samples, "<i2")) > _FULL // 50)
    return Sound(whole.samples[int(loud[0]) * SAMPLE_BYTES :])


@contextmanager
def own_home() -> Iterator[Path]:
    """A home of the benchmark's own, with the models of the usual one."""
    models = Folders.of().models
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
