"""How soon Pace is silent when somebody cuts in, and whether the reply ends where its sound did.

Run: python benchmarks/spoken/cut_ins.py [--times 20] [--seed 1]

Twenty times in each way, at a random moment of a long reply: by speaking with free hands, by the
word "Stop", by Escape, by typing. Piper speaks for both sides in a room of memory, detector and
recogniser (base) are the real ones, and the loudspeaker comes back 20 dB softer. For speech, the
time is that from its first sound until the loudspeaker holds. What was recorded of the reply is
compared with the words that the recogniser hears in exactly what had sounded.
"""

import argparse
import asyncio
import random
import statistics
from dataclasses import dataclass, field

from room import BEAT, RoomClock, RoomMicrophone, RoomSpeaker, chat_over, hiss, own_home, spoken

from pace.asked import Words
from pace.chat import Row, RowStatus
from pace.doors.cli.fetching import FetchBar
from pace.doors.open_chat import OpenChat
from pace.doors.voice.equipment import Equipment, open_equipment
from pace.doors.voice.live import LiveConversation
from pace.settings import VoiceSettings
from pace.speech.devices.echo_cancelling import EchoFreeMicrophone, Sounding
from pace.speech.echo_gate import EchoGate
from pace.speech.plain_words import plain_words
from pace.speech.ports import Sound
from pace.testing import ScriptedPlanner

REPLY = (
    "We walked along the river until the sun went down. Then an old man with a small dog showed us "
    "the way to the bridge. Behind it stood a house with green windows and a garden full of roses. "
    "Nobody was at home, so we sat on the steps and ate our bread and cheese. After a while the "
    "rain began, first softly and then harder, and we ran back to the station without a coat."
)
_QUESTION = "Wait a moment, which river do you mean?"
_STOP = "Stop."
_EARLIEST, _LATEST = 0.6, 14.0
_WAYS = ("speech", "stop", "escape", "typed")
_LONGEST = 30.0
_AIM = 0.2


@dataclass
class Counted:
    """What was measured of one way to cut in."""

    seconds: list[float] = field(default_factory=list)
    apart: list[int] = field(default_factory=list)
    missed: int = 0


@dataclass
class Room:
    """All that a cut-in needs."""

    chat: OpenChat
    live: LiveConversation
    microphone: RoomMicrophone
    speaker: RoomSpeaker
    clock: RoomClock
    gear: Equipment
    sounds: dict[str, Sound]

    @property
    def rows(self) -> list[Row]:
        return [line for line in self.chat.session.lines if isinstance(line, Row)]

    async def beats(self, count: int = 1) -> None:
        until = self.clock.beats + count
        while self.clock.beats < until:  # noqa: ASYNC110  # it is the clock
            await asyncio.sleep(0.002)

    async def cut_in(self, way: str, after: float, counted: Counted) -> None:
        """One cut-in, and what came of it."""
        await self.live.type(Words(text="Tell me about your walk."))
        while self.speaker.played < after:
            await self.beats()
        row, began = self.rows[-1], self.clock.beats
        match way:
            case "escape":
                await self.live.stop()
            case "typed":
                await self.live.type(Words(text="Which one?"))
            case _:
                self.microphone.say(self.sounds[way])
                while not self.speaker.is_paused and row.is_open:
                    await self.beats()
                    if (self.clock.beats - began) * BEAT.total_seconds() > _LONGEST:
                        break
        counted.seconds.append((self.clock.beats - began) * BEAT.total_seconds())
        while row.is_open:
            await self.beats()
        if row.status is not RowStatus.INTERRUPTED:
            counted.missed += 1
        else:
            counted.apart.append(await self.words_apart(row))
        await self.over()

    async def words_apart(self, row: Row) -> int:
        """How many words the recorded reply is longer than what had sounded of it."""
        heard = await self.gear.recogniser.recognise(Sound(self.speaker.last), language="en")
        return len(plain_words(row.reply_text)) - len(plain_words(heard.text))

    async def over(self) -> None:
        """Until nobody speaks."""
        await self.beats(20)
        await self.live.stop()
        while self.chat.session.open_row is not None:
            await self.live.stop()
            await self.beats()
        await self.beats(70)
        await self.chat.begin_anew()


async def run(times: int, seed: int) -> bool:
    """Print a line for each way; whether all was as it should."""
    chance = random.Random(seed)  # noqa: S311  # moments, no secrets
    clock = RoomClock()
    sounding = Sounding()
    speaker = RoomSpeaker(sounding.put)
    microphone = RoomMicrophone(clock, speaker, noise=hiss(-65), returns=-20)
    is_good = True
    async with (
        open_equipment(VoiceSettings(), screen=FetchBar(), tell=print) as gear,
        chat_over(ScriptedPlanner(*[REPLY] * 1000), clock) as chat,
    ):
        live = LiveConversation(
            chat,
            microphone=EchoFreeMicrophone(microphone, sounding),
            speaker=speaker,
            detector=gear.detector,
            recogniser=gear.recogniser,
            voices=gear.voices,
            gate=EchoGate(),
            language=gear.language,
            clock=clock,
            tell=lambda _: None,
            changed=lambda: None,
        )
        sounds = {
            "speech": await spoken(gear.voices[0], _QUESTION),
            "stop": await spoken(gear.voices[0], _STOP),
        }
        room = Room(chat, live, microphone, speaker, clock, gear, sounds)
        life = asyncio.create_task(live.run())
        print(f"seed {seed}, {times} times each; silent after (ms)")
        print(
            f"{'way':8}{'median':>8}{'most':>7}{'missed':>8}{'within a word':>15}{'furthest':>10}"
        )
        for way in _WAYS:
            counted = Counted()
            for _ in range(times):
                live.hands_free(on=True)
                await room.beats(3)
                await room.cut_in(way, chance.uniform(_EARLIEST, _LATEST), counted)
            is_good &= tell(way, counted)
        life.cancel()
        await asyncio.wait([life])
    return is_good


def tell(way: str, counted: Counted) -> bool:
    """Print the line; whether each was heard and ended within a word."""
    near = sum(abs(each) <= 1 for each in counted.apart)
    print(
        f"{way:8}{1000 * statistics.median(counted.seconds):8.0f}"
        f"{1000 * max(counted.seconds):7.0f}{counted.missed:8}"
        f"{f'{near} of {len(counted.apart)}':>15}{max(counted.apart, key=abs, default=0):10}",
        flush=True,
    )
    return not counted.missed and near == len(counted.apart)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with own_home():
        raise SystemExit(0 if asyncio.run(run(asked.times, asked.seed)) else 1)


if __name__ == "__main__":
    main()
