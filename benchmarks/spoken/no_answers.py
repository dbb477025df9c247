"""Whether anything that is no answer is taken for one, where Pace has asked for a yes or a no.

Run: python benchmarks/spoken/no_answers.py [--only N]

Spoken: each sentence of tests/speech/no_answers.txt, by Piper's Joe where it speaks the language
and else by espeak-ng. Sounds: claps, coughs, knocks, hums and noise, 60 of them. What the
recogniser (base) makes of them goes the way of an answer: dropped if it is a phantom, looked up in
the list of answers otherwise. A consent is a yes.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from room import own_home, spoken

from pace.doors.cli.fetching import FetchBar
from pace.doors.voice.equipment import Equipment, open_equipment
from pace.ports import Approval
from pace.settings import VoiceSettings
from pace.speech.answers_aloud import answer_heard, answer_to
from pace.speech.phantoms import is_phantom
from pace.speech.plain_words import plain_words
from pace.speech.ports import RATE, Sound
from pace.speech.voices.choosing import voice_for

_SENTENCES = Path(__file__).parents[2] / "tests" / "speech" / "no_answers.txt"
_SOUNDS = 60


def sounds(seed: int = 1) -> Iterator[Sound]:
    """Short ones that no voice made."""
    random = np.random.default_rng(seed)
    for number in range(_SOUNDS):
        at = np.arange(int(RATE * random.uniform(0.15, 1.2))) / RATE
        noise = random.standard_normal(len(at))
        pitch = random.uniform(80, 400)
        made = (
            noise * np.exp(-at * 40),
            noise * np.exp(-at * 8) * (1 + np.sin(2 * np.pi * pitch * at)),
            np.sin(2 * np.pi * pitch * at) * np.exp(-at * 25),
            np.sin(2 * np.pi * pitch * at) + 0.3 * np.sin(4 * np.pi * pitch * at),
            noise * 0.3,
        )[number % 5]
        yield _padded(made / np.max(np.abs(made)) * random.uniform(0.05, 0.8))


def _padded(made: np.ndarray) -> Sound:
    around = np.zeros(RATE // 4)
    whole = np.concatenate([around, made, around])
    return Sound(np.round(whole * 32767).astype("<i2").tobytes())


async def taken_for(gear: Equipment, sound: Sound) -> tuple[Approval | None, str]:
    """The answer that is made of a sound, and its words."""
    heard = await gear.recogniser.recognise(sound, language=gear.language())
    if is_phantom(heard):
        return None, ""
    return answer_heard(heard.text, heard.language, heard.log_probability), heard.text


async def run(only: int | None) -> bool:
    """Print what they were taken for; whether there was no consent."""
    lines = _SENTENCES.read_text(encoding="utf-8").splitlines()[:only]
    async with open_equipment(VoiceSettings(), screen=FetchBar(), tell=print) as gear:
        counted = {"sentences": Counter[str](), "sounds": Counter[str]()}
        for line in lines:
            language, _, text = line.partition("|")
            voice = voice_for(language, gear.voices)
            if voice is None or not plain_words(text):
                counted["sentences"]["cannot be spoken"] += 1
                continue
            if answer_to(text.rstrip("?"), language) is not None:
                counted["sentences"]["a question in writing alone"] += 1
                continue
            sound = await spoken(voice, text, language=language)
            count(counted["sentences"], *await taken_for(gear, sound), f"{language}: {text}")
        for number, sound in enumerate(sounds()):
            count(counted["sounds"], *await taken_for(gear, sound), f"sound {number}")
    for name, each in counted.items():
        print(f"{name:10}" + ", ".join(f"{kind} {n}" for kind, n in sorted(each.items())))
    return not any(each["consent"] for each in counted.values())


def count(counted: Counter[str], answer: Approval | None, heard: str, said: str) -> None:
    """Count it; a consent is shown with its words."""
    match answer:
        case None:
            counted["no answer" if heard else "dropped"] += 1
        case Approval.NO:
            counted["no"] += 1
        case _:
            counted["consent"] += 1
            print(f"consent: {said!r} was heard as {heard!r}", flush=True)


def main() -> None:
    """Listen to them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, help="so many sentences")
    asked = parser.parse_args()
    with own_home():
        raise SystemExit(0 if asyncio.run(run(asked.only)) else 1)


if __name__ == "__main__":
    main()
