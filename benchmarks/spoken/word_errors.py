"""How many words the recognisers get wrong, by voice and noise.

Run: python benchmarks/spoken/word_errors.py [--only N]

Fifty sentences with names, numbers and dates, spoken by Piper's Joe and by espeak-ng, clean and in
noise that is 10 dB softer than the voice. The error rate is the usual one: words put in, left out
and changed, for each word said. Both sides are compared as Pace itself would say them, so that "7"
and "seven", "$3.50" and "three dollars and fifty cents" are the same; figures in a row count as one
word, and case, signs and American spelling do not count. The voices are given what Pace gives them.
Processor seconds are those of one sentence.
"""

import argparse
import asyncio
import time
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field

import numpy as np

from pace.folders import Folders
from pace.speech.catalogue import BASE, JOE, TINY_EN
from pace.speech.for_the_ear import for_the_ear
from pace.speech.models import SpeechModels
from pace.speech.plain_words import plain_words
from pace.speech.ports import Recogniser, Sound, Voice
from pace.speech.recognisers.faster_whisper import FasterWhisperRecogniser
from pace.speech.sound import at_rate
from pace.speech.voices.finding import system_voice
from pace.speech.voices.piper import PiperVoice

_SOFTER_DB = 10
_SAME = {"metres": "meters", "kilometres": "kilometers", "mr": "mister", "mrs": "missus"}
SENTENCES = (
    "My sister Ottilie was born on 3 May 1987.",
    "Call Doctor Banerjee at 5550147 before noon.",
    "The train to Bergen leaves at 7:45 from platform 12.",
    "We paid $63.50 for the two tickets.",
    "Anna Kowalski moved to Gdansk in 2019.",
    "The meeting with Mister Okafor is on Tuesday, 14 October.",
    "There were 248 people at the wedding.",
    "Please write down the number 48151623.",
    "Lake Como is 146 square kilometres large.",
    "My flight to Lisbon is on 22 December at 6:15.",
    "Sofia has three cats and one very old dog.",
    "The rent went up by 7% last year.",
    "Hannah's birthday is the 29th of February.",
    "I ran 12 kilometres in 64 minutes on Sunday.",
    "The museum in Vienna opens at 10 and closes at 18:30.",
    "Professor Lindqvist taught in Uppsala for 31 years.",
    "The bread needs 500 grams of flour and 320 grams of water.",
    "Our house at 17 Garden Street was built in 1924.",
    "Mario and Giulia will arrive on Friday evening.",
    "It was 19 degrees below zero in Montreal.",
    "Set an alarm for half past six tomorrow morning.",
    "The password hint is the name of my first teacher, Missus Hale.",
    "Peter lent me 250 euros in March.",
    "The ferry to Tallinn takes two hours and fifteen minutes.",
    "Room 409 is on the fourth floor, next to the lift.",
    "My grandmother Ingrid turned 93 last Wednesday.",
    "The book has 612 pages and I am on page 48.",
    "Doctor Nguyen said to take one tablet every eight hours.",
    "In 1969 two people walked on the moon.",
    "The next election is on 5 November.",
    "Could you remind Fatima to bring the blue folder?",
    "The bill from the dentist was $1,240.",
    "We will be in Kyoto from 2 April to 9 April.",
    "Tom owes Lucy 15 pounds and 20 pence.",
    "The tower is 324 metres high.",
    "Bus 26 goes to the airport every 20 minutes.",
    "My new address is 8 Harbour Road, Bristol.",
    "The concert by Clara Schumann's trio starts at 20:00.",
    "They adopted Rex on New Year's Day 2021.",
    "About two thirds of the seats were empty.",
    "Order number 7734 has not arrived yet.",
    "The recipe is for 4 people, but we are 6.",
    "Lieutenant Ramirez retired in August 2004.",
    "It takes 90 seconds to boil one cup of water.",
    "The river Danube flows through 10 countries.",
    "Johanna is allergic to peanuts and to penicillin.",
    "The warranty ends on 30 June 2027.",
    "I weigh 71 kilos and my brother weighs 84.",
    "Read me the third chapter, starting with the second paragraph.",
    "The code for the gate is 2 9 0 6.",
)


@dataclass
class Counted:
    """What was counted of one recogniser, with one voice, clean or not."""

    errors: int = 0
    words: int = 0
    seconds: list[float] = field(default_factory=list)


def said(text: str) -> list[str]:
    """The words of a text as they are spoken."""
    words: list[str] = []
    for word in plain_words(for_the_ear(text, "en")):
        if word.isdigit() and words and words[-1].isdigit():
            words[-1] += word
        else:
            words.append(_SAME.get(word, word))
    return words


def errors(wanted: list[str], got: list[str]) -> int:
    """The least number of words put in, left out or changed (Levenshtein 1966)."""
    row = list(range(len(got) + 1))
    for at, word in enumerate(wanted, 1):
        before, row[0] = row[0], at
        for place, other in enumerate(got, 1):
            before, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, before + (word != other)),
            )
    return row[-1]


def noisy(sound: Sound, *, seed: int) -> Sound:
    """In the noise of a fan: softer towards the high tones."""
    values = np.frombuffer(sound.samples, "<i2").astype(float)
    white = np.fft.rfft(np.random.default_rng(seed).standard_normal(len(values)))
    noise = np.fft.irfft(white / np.sqrt(1 + np.arange(len(white))), len(values))
    noise *= np.sqrt(np.mean(values**2) / np.mean(noise**2)) * 10 ** (-_SOFTER_DB / 20)
    mixed = np.clip(np.round(values + noise), -32768, 32767).astype("<i2")
    return Sound(mixed.tobytes(), sound.rate)


async def spoken(voice: Voice, text: str) -> Sound:
    """At the recognisers' rate."""
    async with aclosing(voice.speak(for_the_ear(text, "en"), language="en")) as pieces:
        made = [piece async for piece in pieces]
    return at_rate(Sound(b"".join(piece.samples for piece in made), made[0].rate))


async def heard(recogniser: Recogniser, sound: Sound, text: str, counted: Counted) -> None:
    """Count one sentence."""
    began = time.process_time()
    got = await recogniser.recognise(sound, language="en")
    counted.seconds.append(time.process_time() - began)
    wanted = said(text)
    counted.words += len(wanted)
    counted.errors += errors(wanted, said(got.text))


async def run(only: int) -> None:
    """Print a line for each recogniser and voice."""
    models = SpeechModels(Folders.of().models)
    async with AsyncExitStack() as stack:
        voices: dict[str, Voice] = {
            "Joe (Piper)": PiperVoice(await models.fetch(JOE) / JOE.main.file),
        }
        if (platform := await system_voice()) is not None:
            voices[platform.name] = platform
        for voice in voices.values():
            stack.push_async_callback(voice.aclose)
        ears = {model.name: model for model in (BASE, TINY_EN)}
        print(f"{'recogniser':12}{'voice':14}{'clean':>8}{'noise':>8}{'seconds':>9}")
        for name, model in ears.items():
            recogniser = FasterWhisperRecogniser(await models.fetch(model), name)
            stack.push_async_callback(recogniser.aclose)
            for speaker, voice in voices.items():
                clean, noise = Counted(), Counted()
                for number, text in enumerate(SENTENCES[:only]):
                    sound = await spoken(voice, text)
                    await heard(recogniser, sound, text, clean)
                    await heard(recogniser, noisy(sound, seed=number), text, noise)
                seconds = sum(clean.seconds + noise.seconds) / (2 * len(clean.seconds))
                rates = "".join(f"{each.errors / each.words:8.1%}" for each in (clean, noise))
                print(f"{name:12}{speaker:14}{rates}{seconds:9.2f}", flush=True)


def main() -> None:
    """Count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, default=len(SENTENCES), help="so many sentences")
    asyncio.run(run(parser.parse_args().only))


if __name__ == "__main__":
    main()
