"""How soon Pace is silent when somebody cuts in, and whether the reply ends where its sound did.

Run: python benchmarks/spoken/cut_ins.py [--times 20] [--seed 1]

Twenty times in each way, at a random moment of a long reply: by speaking with free hands, by the
button and then speaking, by the word "Stop", by Escape, by typing. Piper speaks for both sides in a
room of memory, detector and recogniser (base) are the real ones, and the loudspeaker comes back
20 dB softer. For speech, the time is that from its first sound until the loudspeaker holds. What
was recorded of the reply is compared with the words that had ended by then, by the recogniser's own
times of them.
"""

import argparse
import asyncio
import random
import statistics
from dataclasses import dataclass, field

from room import Room, hiss, own_home, room_with, spoken

from pace.asked import Words
from pace.chat import Row, RowStatus
from pace.memory.turn import TurnId
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
_SAID = {"speech": _QUESTION, "button": _QUESTION, "stop": "Stop."}
_EARLIEST, _LATEST = 0.6, 14.0
_WAYS = ("speech", "button", "stop", "escape", "typed")


@dataclass
class Counted:
    """What was measured of one way to cut in."""

    seconds: list[float] = field(default_factory=list)
    apart: list[int] = field(default_factory=list)
    missed: int = 0


async def cut_in(room: Room, way: str, after: float, counted: Counted) -> None:
    """One cut-in, and what came of it."""
    await room.live.type(Words(text="Tell me about your walk."))
    while room.speaker.played < after:
        await room.beats()
    turn_id, loop = room.rows[-1].turn_id, asyncio.get_running_loop()
    sound = await spoken(room.gear.voices[0], _SAID[way]) if way in _SAID else None
    with room.at_work:
        began = loop.time()
        if way == "button":
            room.live.talk()
        if sound is not None:
            room.microphone.say(sound)
            await silent(room, turn_id)
        elif way == "escape":
            await room.live.stop()
        else:
            await room.live.type(Words(text="Which one?"))
    counted.seconds.append(room.speaker.silent_at - began)
    while room.row(turn_id).is_open:
        await room.beats()
    row = room.row(turn_id)
    if row.status is RowStatus.INTERRUPTED:
        counted.apart.append(await words_apart(room, row))
    else:
        counted.missed += 1
    await over(room)


async def silent(room: Room, turn_id: TurnId) -> None:
    """Until the loudspeaker holds its sound, or all has sounded."""
    while not room.speaker.is_paused and room.row(turn_id).is_open:
        await room.beats()


async def words_apart(room: Room, row: Row) -> int:
    """How many words the recorded reply is longer than what had sounded of it."""
    sounded, rest = room.speaker.cut
    heard = await room.recogniser.recognise(Sound(sounded + rest), language="en", words=True)
    until = Sound(sounded).seconds
    words = sum(len(plain_words(word.text)) for word in heard.words if word.end <= until)
    return len(plain_words(row.reply_text)) - words


async def over(room: Room) -> None:
    """Until nobody speaks; then another conversation."""
    await room.beats(20)
    while room.chat.session.open_row is not None:
        await room.live.stop()
        await room.beats()
    await room.beats(70)
    await room.chat.begin_anew()


async def run(times: int, seed: int) -> bool:
    """Print a line for each way; whether all was as it should."""
    chance = random.Random(seed)  # noqa: S311  # moments, no secrets
    is_good = True
    async with room_with(ScriptedPlanner(*[REPLY] * 1000), hiss(-65), returns=-20) as room:
        print(f"seed {seed}, {times} times each; silent after (ms)")
        print(
            f"{'way':8}{'median':>8}{'most':>7}{'missed':>8}{'within a word':>15}{'furthest':>10}"
        )
        for way in _WAYS:
            counted = Counted()
            for _ in range(times):
                room.live.hands_free(on=True)
                await cut_in(room, way, chance.uniform(_EARLIEST, _LATEST), counted)
            is_good &= tell(way, counted)
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
