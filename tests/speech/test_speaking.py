"""A reply's sound, and how much of it was heard, over stand-ins."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from pace.doors.voice.speaking import SpokenReply
from pace.errors import VoiceError
from pace.ports import Finished, FinishReason, Reasoned, TextDelta
from pace.speech.ports import RATE, Sound, Voice
from pace.testing import ManualClock, ManualSpeaker, ScriptedVoice

WRITTEN = "The ferry leaves at noon. It costs nine crowns. Take a coat."
END = Finished(reason=FinishReason.STOP)


class Told(list[str]):
    """Sentences about a voice."""


class TrailingVoice(ScriptedVoice):
    """A second of sound for each sentence, and a second of silence behind it, piece by piece."""

    async def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:  # noqa: ARG002
        for sample in (1000, 0, 0):
            yield Sound(sample.to_bytes(2, "little") * (RATE // (1 if sample else 2)))


@asynccontextmanager
async def speaking(
    speaker: ManualSpeaker, voice: Voice | None, told: Told | None = None
) -> AsyncIterator[SpokenReply]:
    """A reply that is spoken until the block ends."""
    reply = SpokenReply(
        speaker,
        voice,
        language="en",
        clock=ManualClock(),
        trouble=(Told() if told is None else told).append,
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(reply.run())
        yield reply
        reply.stop()


async def settled() -> None:
    """Let the reply go on as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_sentences_sound_while_the_next_are_written() -> None:
    """The first does not wait for the last."""
    voice = ScriptedVoice()
    async with speaking(ManualSpeaker(), voice) as reply:
        await reply.say(TextDelta("The ferry leaves at noon. It costs"))
        await settled()
        assert voice.spoken == ["The ferry leaves at noon."]
        await reply.say(TextDelta(" nine crowns."))
        await reply.say(END)
        await settled()
    assert " ".join(voice.spoken) == "The ferry leaves at noon. It costs nine crowns."


async def test_heard_is_what_has_sounded_up_to_a_whole_word() -> None:
    """Sentence after sentence, wherever the sound has come."""
    speaker = ManualSpeaker()
    async with speaking(speaker, ScriptedVoice()) as reply:
        await reply.say(TextDelta(WRITTEN))
        await reply.say(END)
        await settled()
        ends = [0]
        while speaker.played < speaker.given:
            speaker.played = min(speaker.given, speaker.played + 0.1)
            ends.append(reply.heard)
    assert ends == sorted(ends)
    assert ends[-1] == len(WRITTEN)
    assert all(end == 0 or not WRITTEN[end - 1 : end + 1].isalpha() for end in ends)
    assert len(set(ends)) > 6


async def test_the_silence_behind_a_sentence_holds_no_word() -> None:
    """Its last word was heard once its sound is over, though silence sounds on."""
    speaker = ManualSpeaker()
    async with speaking(speaker, TrailingVoice()) as reply:
        await reply.say(TextDelta(WRITTEN))
        await settled()
        heard = []
        for played in (0.5, 0.9, 1.01, 1.9, 2.9, 3.1):
            speaker.played = played
            heard.append(WRITTEN[: reply.heard].rsplit(maxsplit=1)[-1])
    assert heard == ["ferry", "at", "noon.", "noon.", "nine", "crowns."]


async def test_stopped_it_is_silent_and_stays_at_what_was_heard() -> None:
    """B136: cut in the second sentence."""
    speaker = ManualSpeaker()
    async with speaking(speaker, ScriptedVoice()) as reply:
        await reply.say(TextDelta(WRITTEN))
        await settled()
        speaker.played = 3.6
        reply.stop()
        await reply.wait_over()
        assert WRITTEN[: reply.heard].rstrip() == "The ferry leaves at noon. It costs"
    assert speaker.stops == 1


async def test_without_a_voice_the_text_is_what_was_heard() -> None:
    """It is read, then."""
    async with speaking(ManualSpeaker(), None) as reply:
        await reply.say(TextDelta(WRITTEN))
        assert reply.heard == len(WRITTEN)


async def test_a_voice_that_fails_leaves_the_text() -> None:
    """It is told once, and the turn ends as it would have."""
    told, speaker = Told(), ManualSpeaker()
    async with speaking(speaker, ScriptedVoice(fault=VoiceError("It broke.")), told) as reply:
        await reply.say(TextDelta(WRITTEN))
        await reply.say(END)
        await reply.wait_over()
        assert reply.heard == len(WRITTEN)
    assert told == ["It broke."]


async def test_what_was_reasoning_is_silenced() -> None:
    """What it said ahead of it is said again from its beginning."""
    voice, speaker = ScriptedVoice(), ManualSpeaker()
    async with speaking(speaker, voice) as reply:
        await reply.say(TextDelta("Let me think about this now. "))
        await settled()
        await reply.say(Reasoned())
        await reply.say(TextDelta("Yes."))
        await reply.say(END)
        await settled()
        assert speaker.stops == 1
        assert voice.spoken[-1] == "Yes."
        speaker.played = speaker.given
        assert reply.heard == len("Yes.")


async def test_each_reply_is_heard_from_its_own_beginning() -> None:
    """What sounded before it is none of it."""
    speaker = ManualSpeaker()
    speaker.played = 7.0
    async with speaking(speaker, ScriptedVoice()) as reply:
        await reply.say(TextDelta(WRITTEN))
        await settled()
        assert reply.heard == 0
        speaker.played += 2.5
        assert WRITTEN[: reply.heard] == "The ferry leaves at noon."


async def test_what_is_asked_comes_behind_what_is_written() -> None:
    """Also where no sentence ended yet; and of the reply, the question is no part."""
    voice, speaker = ScriptedVoice(), ManualSpeaker()
    async with speaking(speaker, voice) as reply:
        await reply.say(TextDelta("I will ring"))
        await settled()
        assert voice.spoken == []
        over = reply.interject("Yes or no?")
        await settled()
        assert voice.spoken == ["I will ring.", "Yes or no?"]
        assert not over.is_set()
        speaker.played = speaker.given
        speaker.silent.open()
        await over.wait()
        assert reply.heard == len("I will ring")


async def test_a_question_that_cannot_sound_is_waited_for_by_nobody() -> None:
    """Neither without a voice nor after the reply was stopped."""
    async with speaking(ManualSpeaker(), None) as reply:
        assert reply.interject("Yes or no?").is_set()
    async with speaking(ManualSpeaker(), ScriptedVoice()) as reply:
        await reply.say(TextDelta(WRITTEN))
        waiting = reply.interject("Yes or no?")
        await settled()
        reply.stop()
        await waiting.wait()
        assert reply.interject("Yes or no?").is_set()
