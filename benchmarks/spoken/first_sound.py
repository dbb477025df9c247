"""From the end of a person's speech to the first sound of the reply, in a running conversation.

Run: python benchmarks/spoken/first_sound.py [--model default|tiny] [--recogniser base|tiny.en]
     [--turns 36] [--no-early-start]

Piper speaks the questions into a microphone of memory, in real time; recogniser, model and voice
are the real ones, and a loudspeaker of memory takes as long as the sound does. The first six turns
only make the conversation; of the others the median and the 95th percentile are printed, whole and
part by part. Each reply is heard out, and 1.5 s later the person speaks again. Without the early
start nothing is recognised, and so nothing is written, before the person is known to be done.
"""

import argparse
import asyncio
import statistics
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta

from room import BEAT, CHUNK_BYTES, own_home, spoken

from pace.chat import Row, SpokenTimes
from pace.clock import SystemClock
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.voice.equipment import Equipment, open_equipment
from pace.doors.voice.live import LiveConversation, VoiceState
from pace.settings_file import SettingsFile
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import Heard, Recogniser, Sound
from pace.speech.sound import SILENCE_DBFS, at_rate

_SETTLING = 6
# After a reply has sounded, before a person speaks again.
_THINKS = 1.5
_INSTRUCTIONS = "You are Pace, a friendly companion. Answer in one or two short sentences."
QUESTIONS = (
    "Which city in Italy is best for a first visit?",
    "How many days should I stay there?",
    "What should I eat in the evening?",
    "Is it far from there to the sea?",
    "What do people drink with their breakfast?",
    "How do I say good evening in Italian?",
    "Which month has the best weather?",
    "Do I need a car to get around?",
    "What can I do with two small children?",
    "Where could I buy some good cheese?",
    "How much money should I take for a week?",
    "What is the most famous painting there?",
)


class SpokenMicrophone:
    """Gives silence in real time, and whatever is put into it in its place."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def say(self, sound: Sound) -> None:
        self._waiting += at_rate(sound).samples

    @property
    def is_done(self) -> bool:
        return not self._waiting

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due += BEAT.total_seconds()
            await asyncio.sleep(max(0.0, due - loop.time()))
            chunk = bytes(self._waiting[:CHUNK_BYTES]).ljust(CHUNK_BYTES, b"\0")
            del self._waiting[:CHUNK_BYTES]
            yield chunk


class LateRecogniser:
    """Another one, which begins once the person is done."""

    def __init__(self, inner: Recogniser) -> None:
        self.name = inner.name
        self._inner = inner
        self._live: LiveConversation | None = None

    def wait_for(self, live: LiveConversation) -> None:
        self._live = live

    async def recognise(
        self, sound: Sound, *, language: str | None = None, words: bool = False
    ) -> Heard:
        while self._live is not None and self._live.state is VoiceState.HEARING:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return await self._inner.recognise(sound, language=language, words=words)

    async def aclose(self) -> None:
        """The inner one is another's."""


class MemorySpeaker:
    """Takes as long as the sound does, and makes none."""

    level = SILENCE_DBFS

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began = self._until = self._loop.time()

    @property
    def played(self) -> float:
        return min(self._loop.time(), self._until) - self._began

    async def play(self, sound: Sound) -> None:
        now = self._loop.time()
        if now > self._until:
            self._began += now - self._until
            self._until = now
        self._until += sound.seconds

    async def wait_silent(self) -> None:
        while (left := self._until - self._loop.time()) > 0:  # noqa: ASYNC110  # it is a clock
            await asyncio.sleep(left)

    def pause(self) -> None:
        """Nobody cuts in here."""

    def resume(self) -> None:
        """Nobody cuts in here."""

    def stop(self) -> None:
        self._began = self._until = self._loop.time()

    async def aclose(self) -> None:
        """There is no device."""


async def run(asked: argparse.Namespace) -> None:
    """Hold the conversation, and print what was waited for."""
    flags = {"planner.model": asked.model, "voice.recogniser": asked.recogniser}
    flags["planner.instructions"] = _INSTRUCTIONS
    file = SettingsFile.open(flags)
    async with (
        open_equipment(file.current.voice, screen=FetchBar(), tell=print) as gear,
        OpenChat(file, screen=FetchBar()) as chat,
    ):
        sounds = [await spoken(gear.voices[0], question) for question in QUESTIONS]
        tell(await talked(chat, gear, sounds, asked), asked)


async def talked(
    chat: OpenChat, gear: Equipment, sounds: list[Sound], asked: argparse.Namespace
) -> list[SpokenTimes]:
    microphone, speaker = SpokenMicrophone(), MemorySpeaker()
    late = LateRecogniser(gear.recogniser)
    live = LiveConversation(
        chat,
        microphone=microphone,
        speaker=speaker,
        detector=gear.detector,
        recogniser=late if asked.no_early_start else gear.recogniser,
        voices=gear.voices,
        gate=EchoGate(is_open=True),
        language=gear.language,
        clock=SystemClock(),
        tell=print,
        changed=lambda: None,
    )
    late.wait_for(live)
    life = asyncio.create_task(live.run())
    times = []
    try:
        for turn in range(asked.turns):
            live.talk()
            await asyncio.sleep(0.3)
            microphone.say(sounds[turn % len(sounds)])
            row = await replied(chat, turn)
            if row.spoken is not None and turn >= _SETTLING:
                times.append(row.spoken)
                print(f"{turn + 1:3} {row.spoken.total.total_seconds():.2f} s", flush=True)
            await heard_out(chat)
            await asyncio.sleep(_THINKS)
    finally:
        life.cancel()
        await asyncio.wait([life])
    return times


async def replied(chat: OpenChat, before: int) -> Row:
    """The turn that is being answered, once its reply sounds."""
    while True:
        rows = [line for line in chat.session.lines if isinstance(line, Row)]
        if len(rows) > before and (rows[-1].spoken is not None or not rows[-1].is_open):
            return rows[-1]
        await asyncio.sleep(0.02)  # as fine as is told


async def heard_out(chat: OpenChat) -> None:
    """Wait until no reply sounds."""
    while chat.session.open_row is not None:  # noqa: ASYNC110  # as fine as is told
        await asyncio.sleep(0.05)


def tell(times: list[SpokenTimes], asked: argparse.Namespace) -> None:
    """Print the table."""
    print(f"{asked.model}, {asked.recogniser}, {len(times)} turns; seconds")
    print(f"{'':14}{'median':>8}{'95 %':>8}")
    parts: dict[str, Callable[[SpokenTimes], timedelta]] = {
        "all": lambda each: each.total,
        "pause": lambda each: each.pause,
        "recognised": lambda each: each.recognised,
        "read": lambda each: each.read,
        "first clause": lambda each: each.written,
        "sound": lambda each: each.voiced,
    }
    for name, part in parts.items():
        seconds = sorted(part(each).total_seconds() for each in times)
        most = seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))]
        print(f"{name:14}{statistics.median(seconds):8.2f}{most:8.2f}")


def main() -> None:
    """Hold it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=("default", "tiny"), default="default")
    parser.add_argument("--recogniser", choices=("base", "tiny.en"), default="base")
    parser.add_argument("--turns", type=int, default=36)
    parser.add_argument("--no-early-start", action="store_true")
    asked = parser.parse_args()
    with own_home():
        asyncio.run(run(asked))


if __name__ == "__main__":
    main()
