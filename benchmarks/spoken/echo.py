"""How well a person is heard over Pace's own voice, come back from a loudspeaker.

Run: python benchmarks/spoken/echo.py

Piper speaks as Pace and, higher, as a person who cuts in three times; rooms are simulated, as in
tests/speech/test_echo_gate.py, with a clean and a distorting loudspeaker. For the echo gate alone,
and for the canceller with the gate behind it, as `pace voice` has them: how often Pace's own voice
was taken for somebody's speech, and how many of the cut-ins were heard, by how much louder than the
echo they were, after how long. The canceller's processor time is printed last.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import numpy as np

from pace.folders import Folders
from pace.speech.catalogue import JOE
from pace.speech.detecting import SileroSpeechDetector
from pace.speech.devices.echo_cancelling import EchoCanceller
from pace.speech.echo_gate import EchoGate
from pace.speech.models import SpeechModels
from pace.speech.ports import CHUNK_SAMPLES, RATE, Sound
from pace.speech.sound import at_rate, level
from pace.speech.turn_taking import Sign, TurnTaking
from pace.speech.voices.piper import PiperVoice

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from speech.test_echo_gate import room

_SECOND = RATE // CHUNK_SAMPLES
_PACE = (
    "The train to Boston leaves at nine, and you change once, in Hartford, for twenty minutes.",
    "I would take the early one, which is less full, and the river looks better before noon.",
    "A light shade of green is a good idea for the kitchen; just cover the floor first!",
    "Think of three things: the tickets, the weather, and somebody who waters the plants.",
)
_PERSON = (
    "Wait, I meant the evening train.",
    "Stop, what about Thursday?",
    "No, not the kitchen, the hall.",
)
_CUTS_IN_AT = (8, 13, 18)
_HIGHER = 1.18
_GAINS, _DELAYS_MS, _LOUDER = (-30, -10, 0), (20, 100, 250), (-6, 0, 6)
_NOISE = -65
_DISTORTS = 3


def dbfs(sound: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(sound**2)))


async def spoken(voice: PiperVoice, text: str) -> np.ndarray:
    async with aclosing(voice.speak(text, language="en")) as pieces:
        made = [piece async for piece in pieces]
    whole = at_rate(Sound(b"".join(piece.samples for piece in made), made[0].rate))
    return np.frombuffer(whole.samples, "<i2") / 32768


async def speakers() -> AsyncIterator[list[np.ndarray]]:
    voice = PiperVoice(await SpeechModels(Folders.of().models).fetch(JOE) / JOE.main.file)
    async with aclosing(voice):
        yield [await spoken(voice, text) for text in _PACE]
        yield [
            np.interp(np.arange(0, len(said), _HIGHER), np.arange(len(said)), said)
            for said in [await spoken(voice, text) for text in _PERSON]
        ]


def chunks(sound: np.ndarray) -> Iterator[bytes]:
    whole = np.clip(np.round(sound * 32768), -32768, 32767).astype("<i2")
    for at in range(0, len(whole) - CHUNK_SAMPLES + 1, CHUNK_SAMPLES):
        yield whole[at : at + CHUNK_SAMPLES].tobytes()


def begins(heard: np.ndarray, sounding: np.ndarray, canceller: EchoCanceller | None) -> list[float]:
    """When somebody was taken to begin to speak, in seconds."""
    gate, detector, taking, found = EchoGate(), SileroSpeechDetector(), TurnTaking(), []
    for at, (chunk, given) in enumerate(zip(chunks(heard), chunks(sounding), strict=False)):
        cleaned = chunk if canceller is None else canceller.clean(chunk, given)
        passes = gate.passes(level(cleaned), level(given))
        probability = detector.probability(cleaned)
        taking, sign = taking.heard(probability if passes else 0.0)
        if sign is Sign.BEGAN:
            found.append(at / _SECOND)
    return found


def tell(name: str, pace: np.ndarray, person: list[np.ndarray], *, cancels: bool) -> None:
    own = 0
    after: dict[int, list[float]] = {louder: [] for louder in _LOUDER}
    tried = 0
    for distorts in (False, True):
        played = np.tanh(_DISTORTS * pace) / _DISTORTS if distorts else pace
        for gain in _GAINS:
            for delay in _DELAYS_MS:
                echo = room(played, gain=gain, delay_ms=delay, noise=_NOISE)
                own += len(begins(echo, pace, EchoCanceller() if cancels else None))
                tried += len(person)
                for louder in _LOUDER:
                    heard = echo.copy()
                    for at, said in zip(_CUTS_IN_AT, person, strict=True):
                        here = heard[at * RATE :][: len(said)]
                        here += said * 10 ** ((dbfs(pace) + gain + louder - dbfs(said)) / 20)
                    found = begins(heard, pace, EchoCanceller() if cancels else None)
                    for at, said in zip(_CUTS_IN_AT, person, strict=True):
                        within = [when - at for when in found if 0 <= when - at < len(said) / RATE]
                        after[louder] += within[:1]
    print(f"{name:20}{own:6}", end="")
    for louder in _LOUDER:
        late = after[louder]
        when = f", {statistics.median(late) * 1000:.0f} ms" if late else ""
        print(f"{f'{len(late)} of {tried}{when}':>19}", end="")
    print(flush=True)


async def main() -> None:
    """Print the table."""
    pace_says, person = [made async for made in speakers()]
    pause = np.zeros(RATE // 4)
    pace = np.concatenate([piece for said in pace_says for piece in (said, pause)])
    print(f"{'':20}{'own':>6}" + "".join(f"{f'{louder:+} dB':>19}" for louder in _LOUDER))
    tell("gate", pace, person, cancels=False)
    tell("canceller and gate", pace, person, cancels=True)
    canceller, began = EchoCanceller(), time.process_time()
    for chunk in chunks(pace):
        canceller.clean(chunk, chunk)
    used = time.process_time() - began
    print(f"canceller: {100 * used / (len(pace) / RATE):.1f} % of a core")


if __name__ == "__main__":
    asyncio.run(main())
