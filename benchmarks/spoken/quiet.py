"""Whether anything but a person makes a turn, or cuts a reply: ten minutes each of what is none.

Run: python benchmarks/spoken/quiet.py [--minutes 10] [--only NAME] [--music FILE]

With free hands in a room of memory: silence, the noise of a fan, music, and Pace's own voice as it
comes back, 10 dB softer, with the echo canceller and without. Detector, canceller, gate, recogniser
(base) and voice (Piper's Joe) are the real ones. Somebody types every half minute and Pace replies
aloud, so that there is something to cut; to its own voice it speaks all the time. Counted are
spoken turns, replies that were cut, how often sound was held, how often the recogniser was asked,
and the replies. The music is any sound file; without one, chords that change, with a drum.
"""

import argparse
import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path

import miniaudio
import numpy as np
from room import BEAT, Room, hiss, own_home, room_with

from pace.asked import Words
from pace.chat import RowStatus
from pace.journal.rows import TurnSource
from pace.speech.ports import CHUNK_SAMPLES, RATE
from pace.testing import ScriptedPlanner

REPLIES = (
    "The bread needs about thirty minutes in the oven. Take it out when the crust is brown.",
    "Lake Como is north of Milan. The train takes an hour, and there is a boat to every village.",
    "It will rain in the afternoon. Take a coat with you, and perhaps another pair of shoes.",
    "Your sister called twice. She wants to know whether you will bring the salad on Sunday.",
)
_EVERY = 30.0
_RETURNS = -10.0
_HISS, _FAN, _MUSIC = -65.0, -38.0, -25.0
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Heard:
    """What fills the room."""

    noise: Iterator[np.ndarray]
    returns: float | None = _RETURNS
    cancels: bool = True
    speaks_always: bool = False


@dataclass
class Counted:
    """What came of it."""

    turns: int = 0
    cut: int = 0
    held: int = 0
    asked: int = 0
    replies: int = 0


def silence() -> Iterator[np.ndarray]:
    """Nothing at all, as a muted microphone gives it."""
    while True:
        yield np.zeros(CHUNK_SAMPLES)


def fan() -> Iterator[np.ndarray]:
    """Noise that is softer towards the high tones, a hum at 100 Hz, and a blade that passes."""
    noise, random = np.zeros(CHUNK_SAMPLES), np.random.default_rng(2)
    for chunk in count():
        at = (np.arange(CHUNK_SAMPLES) + chunk * CHUNK_SAMPLES) / RATE
        white = np.fft.rfft(random.standard_normal(2 * CHUNK_SAMPLES))
        noise = np.fft.irfft(white / np.sqrt(1 + np.arange(len(white))))[:CHUNK_SAMPLES]
        noise *= (1 + 0.3 * np.sin(2 * np.pi * 11 * at)) / np.std(noise)
        yield loud(noise + 0.4 * np.sin(2 * np.pi * 100 * at), _FAN)


def music(file: Path | None) -> Iterator[np.ndarray]:
    """A piece of music, again and again."""
    played = _chords() if file is None else _decoded(file)
    chunks = played[: len(played) // CHUNK_SAMPLES * CHUNK_SAMPLES].reshape(-1, CHUNK_SAMPLES)
    yield from cycle(chunks)


def _decoded(file: Path) -> np.ndarray:
    decoded = miniaudio.decode_file(
        str(file),
        output_format=miniaudio.SampleFormat.SIGNED16,
        nchannels=1,
        sample_rate=RATE,
    )
    return loud(np.asarray(decoded.samples, dtype=float), _MUSIC)


def _chords() -> np.ndarray:
    """Eight bars: a chord of plucked tones each half second, and a drum."""
    step = RATE // 2
    at = np.arange(step) / RATE
    random = np.random.default_rng(3)
    bars = []
    for root in (220, 262, 196, 247, 220, 294, 165, 196) * 2:
        tones = sum(np.sin(2 * np.pi * root * part * at) for part in (1, 1.25, 1.5, 2, 3))
        drum = random.standard_normal(step) * np.exp(-at * 60)
        bars.append(tones * np.exp(-at * 3) + drum)
    return loud(np.concatenate(bars), _MUSIC)


def loud(samples: np.ndarray, dbfs: float) -> np.ndarray:
    return samples / np.sqrt(np.mean(samples**2)) * 10 ** (dbfs / 20)


async def live_through(heard: Heard, minutes: float) -> Counted:
    """So many minutes of it."""
    planner = ScriptedPlanner(*REPLIES * 200)
    counted = Counted()
    async with room_with(
        planner, heard.noise, returns=heard.returns, cancels=heard.cancels
    ) as room:
        until = room.clock.beats + round(minutes * _SECONDS / BEAT.total_seconds())
        watching = asyncio.create_task(watch(room, counted))
        while room.clock.beats < until:
            began = room.clock.beats
            await room.live.type(Words(text="Go on."))
            await over(room)
            waits = 1.0 if heard.speaks_always else _EVERY
            spent = (room.clock.beats - began) * BEAT.total_seconds()
            await room.beats(round(max(1.0, waits - spent) / BEAT.total_seconds()))
        watching.cancel()
        await asyncio.wait([watching])
        counted.asked = room.recogniser.calls
        counted.replies = sum(row.source is TurnSource.CHAT for row in room.rows)
        counted.turns = sum(row.source is TurnSource.VOICE for row in room.rows)
        counted.cut = sum(
            row.status is not RowStatus.ANSWERED
            for row in room.rows
            if row.source is TurnSource.CHAT and not row.is_open
        )
    return counted


async def watch(room: Room, counted: Counted) -> None:
    """Count how often the sound is held; keep the microphone open, as people who came back do."""
    was_held = False
    while True:
        await room.beats()
        counted.held += room.speaker.is_paused and not was_held
        was_held = room.speaker.is_paused
        if not room.live.is_hands_free:
            room.live.hands_free(on=True)


async def over(room: Room) -> None:
    """Until nothing is replied."""
    await room.beats(5)
    while room.chat.session.open_row is not None:
        await room.beats()


async def run(asked: argparse.Namespace) -> bool:
    """Print a line for each; whether there was no turn and no cut."""
    kinds = {
        "silence": Heard(silence()),
        "hiss": Heard(hiss(_HISS)),
        "fan": Heard(fan()),
        "music": Heard(music(asked.music)),
        "own voice": Heard(hiss(_HISS), speaks_always=True),
        "own voice, no canceller": Heard(hiss(_HISS), cancels=False, speaks_always=True),
    }
    print(f"{asked.minutes:g} minutes each")
    print(f"{'':24}{'turns':>6}{'cut':>5}{'held':>6}{'asked':>7}{'replies':>9}")
    is_good = True
    for name, heard in kinds.items():
        if asked.only in {None, name}:
            counted = await live_through(heard, asked.minutes)
            print(
                f"{name:24}{counted.turns:6}{counted.cut:5}{counted.held:6}{counted.asked:7}"
                f"{counted.replies:9}",
                flush=True,
            )
            is_good &= counted.turns == counted.cut == 0
    return is_good


def main() -> None:
    """Live through them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--only", help="one of them")
    parser.add_argument("--music", type=Path, help="a sound file: ogg, mp3, flac or wav")
    asked = parser.parse_args()
    with own_home():
        raise SystemExit(0 if asyncio.run(run(asked)) else 1)


if __name__ == "__main__":
    main()
