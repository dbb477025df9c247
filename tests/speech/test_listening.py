"""From chunks of sound to what somebody said, over stand-ins."""

import asyncio

import pytest

from pace.doors.voice.listening import Listening, Utterance
from pace.errors import RecogniserError
from pace.speech.ports import CHUNK_SAMPLES, Heard
from pace.speech.turn_taking import Sign
from pace.testing import Gate, ScriptedDetector, ScriptedRecogniser

CHUNK = b"\1\0" * CHUNK_SAMPLES
LOUD, QUIET = [0.9], [0.0]


def listening(
    detector: ScriptedDetector, recogniser: ScriptedRecogniser, signs: list[Sign] | None = None
) -> Listening:
    told = [] if signs is None else signs
    return Listening(detector, recogniser, language=lambda: "en", tell=told.append)


async def heard(ear: Listening, chunks: int) -> list[Utterance]:
    """What was said in so many chunks; the loop goes on between them, as a microphone lets it."""
    said = []
    for _ in range(chunks):
        if (utterance := await ear.hear(CHUNK)) is not None:
            said.append(utterance)
        await asyncio.sleep(0)
    return said


async def test_what_is_said_is_known_when_its_pause_is_over() -> None:
    """It was recognised at the first short pause, once, with the chunks before it began."""
    signs: list[Sign] = []
    with ScriptedRecogniser("Hello there.") as recogniser:
        ear = listening(ScriptedDetector(*QUIET * 20, *LOUD * 20, *QUIET * 40), recogniser, signs)
        (utterance,) = await heard(ear, 80)
    assert (utterance.text, utterance.language) == ("Hello there.", "en")
    assert signs == [Sign.BEGAN, Sign.PAUSED, Sign.ENDED]
    assert len(recogniser.sounds[0].samples) > 30 * len(CHUNK)


async def test_an_unfinished_sentence_is_waited_for() -> None:
    """Longer than a whole one: what was recognised says how long."""
    quiet = 25  # 0.8 s
    for text, ends in (("I went home.", True), ("I went to the", False)):
        with ScriptedRecogniser(text) as recogniser:
            ear = listening(ScriptedDetector(*LOUD * 20, *QUIET * 99), recogniser)
            assert bool(await heard(ear, 20 + quiet)) is ends


async def test_whoever_goes_on_is_recognised_as_a_whole() -> None:
    """B139: what was made of the first part is thrown away, and no part is lost."""
    gate = Gate()
    with ScriptedRecogniser("I need", "I need to reset my door sensor.", gate=gate) as recogniser:
        detector = ScriptedDetector(*LOUD * 10, *QUIET * 8, *LOUD * 10, *QUIET * 40)
        ear = listening(detector, recogniser)
        before = await heard(ear, 28)
        gate.open()
        (utterance,) = await heard(ear, 60)
    assert before == []
    assert recogniser.stopped == 1
    assert utterance.text == "I need to reset my door sensor."
    assert len(recogniser.sounds[1].samples) > 28 * len(CHUNK)


async def test_what_is_no_speech_is_nothing() -> None:
    """B134: a fan and a click, of which a recogniser made something."""
    phantom = Heard(
        text="Thank you for watching!",
        language="en",
        no_speech=0.9,
        log_probability=-1.4,
        compression=1.0,
    )
    with ScriptedRecogniser(phantom, "Thank you.") as recogniser:
        detector = ScriptedDetector(*LOUD * 10, *QUIET * 60, *LOUD * 10, *QUIET * 60)
        said = await heard(listening(detector, recogniser), 140)
    assert [utterance.text for utterance in said] == ["Thank you."]


async def test_the_end_of_sound_ends_what_is_said() -> None:
    """Without a pause behind it."""
    with ScriptedRecogniser("Goodbye.") as recogniser:
        ear = listening(ScriptedDetector(*LOUD * 10), recogniser)
        assert await heard(ear, 10) == []
        utterance = await ear.finish()
        assert await ear.finish() is None
    assert utterance is not None
    assert utterance.text == "Goodbye."


async def test_a_recogniser_that_fails_loses_one_turn_alone() -> None:
    """What is said next is heard."""
    with ScriptedRecogniser(RecogniserError("It failed."), "Again.") as recogniser:
        detector = ScriptedDetector(*LOUD * 10, *QUIET * 60, *LOUD * 10, *QUIET * 60)
        ear = listening(detector, recogniser)
        with pytest.raises(RecogniserError):
            await heard(ear, 70)
        said = await heard(ear, 140)
    assert [utterance.text for utterance in said] == ["Again."]


async def test_what_is_dropped_is_forgotten() -> None:
    """In the middle of a word, and while it is recognised."""
    with ScriptedRecogniser("Secret.", gate=Gate()) as recogniser:
        detector = ScriptedDetector(*LOUD * 10, *QUIET * 8)
        ear = listening(detector, recogniser)
        assert await heard(ear, 18) == []
        await ear.drop()
        assert await heard(ear, 60) == []
    assert recogniser.stopped == 1
    assert detector.resets == 1


async def test_its_own_sound_is_nobodys_speech() -> None:
    """However sure the detector is: no sign, and nothing to recognise; nor does it prolong."""
    signs: list[Sign] = []
    with ScriptedRecogniser("Hello there.") as recogniser:
        ear = listening(ScriptedDetector(*LOUD * 99), recogniser, signs)
        for _ in range(20):
            assert await ear.hear(CHUNK, is_own=True) is None
        assert (signs, ear.is_hearing) == ([], False)
        assert await heard(ear, 10) == []
        own = [await ear.hear(CHUNK, is_own=True) for _ in range(8)]
        await asyncio.sleep(0)
        own += [await ear.hear(CHUNK, is_own=True) for _ in range(30)]
    assert [utterance.text for utterance in own if utterance is not None] == ["Hello there."]
