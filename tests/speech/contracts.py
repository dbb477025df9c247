"""What every recogniser and every voice keeps to, whatever it is made of."""

import asyncio
from contextlib import aclosing

import pytest

from pace.errors import RecogniserError
from pace.speech.ports import RATE, SAMPLE_BYTES, Recogniser, Sound, Voice
from pace.speech.sound import at_rate, level

SILENCE = Sound(bytes(2 * RATE * SAMPLE_BYTES))


class RecogniserContract:
    """Inherit it, and give fixtures `recogniser`, and `said`: a sound and a word that is in it."""

    async def test_what_was_said_comes_back(
        self, recogniser: Recogniser, said: tuple[Sound, str]
    ) -> None:
        """A clear sentence is recognised, and the recogniser is sure that somebody spoke."""
        sound, word = said
        heard = await recogniser.recognise(sound, language="en")
        assert word in heard.text.lower()
        assert heard.no_speech < 0.5
        assert heard.log_probability > -1.0
        assert heard.compression < 2.4
        assert heard.words == ()

    async def test_a_language_is_told(
        self, recogniser: Recogniser, said: tuple[Sound, str]
    ) -> None:
        """Where none is named, the one that was spoken is named in the answer."""
        assert (await recogniser.recognise(said[0])).language == "en"

    async def test_words_stand_in_their_order(
        self, recogniser: Recogniser, said: tuple[Sound, str]
    ) -> None:
        """Asked for, words come with places within the sound that never go back."""
        sound, word = said
        heard = await recogniser.recognise(sound, language="en", words=True)
        places = [place for each in heard.words for place in (each.start, each.end)]
        assert places == sorted(places)
        assert 0 <= places[0] <= places[-1] <= sound.seconds + 0.1
        assert any(word in each.text.lower() for each in heard.words)
        assert all(0 <= each.probability <= 1 for each in heard.words)

    async def test_silence_is_no_speech(self, recogniser: Recogniser) -> None:
        """Of silence comes no text, or a mark that nobody spoke."""
        heard = await recogniser.recognise(SILENCE, language="en")
        assert not heard.text or heard.no_speech > 0.5

    async def test_no_sound_has_no_words(self, recogniser: Recogniser) -> None:
        """An empty sound is answered with an empty text."""
        assert not (await recogniser.recognise(Sound(b""), language="en")).text

    async def test_a_cancelled_call_hinders_no_other(
        self, recogniser: Recogniser, said: tuple[Sound, str]
    ) -> None:
        """After calls that were given up at work and in the queue, the next is answered rightly."""
        sound, word = said
        calls = [asyncio.create_task(recogniser.recognise(SILENCE)) for _ in range(3)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        assert all(call.cancelled() for call in calls)
        assert word in (await recogniser.recognise(sound, language="en")).text.lower()

    async def test_an_unknown_language_is_refused(self, recogniser: Recogniser) -> None:
        """A language that nobody speaks is named in the error."""
        with pytest.raises(RecogniserError, match="'xx'"):
            await recogniser.recognise(SILENCE, language="xx")


async def sounds(voice: Voice, text: str) -> list[Sound]:
    async with aclosing(voice.speak(text, language="en")) as pieces:
        return [piece async for piece in pieces]


def seconds(pieces: list[Sound]) -> float:
    return sum(piece.seconds for piece in pieces)


class VoiceContract:
    """Inherit it, and give fixtures: `voice` speaks English, often, and `hasty` at speed 2."""

    async def test_a_text_has_sound(self, voice: Voice) -> None:
        """A sentence takes about the time that a person needs, and is no silence."""
        pieces = await sounds(voice, "The train leaves at nine in the morning.")
        assert 1 < seconds(pieces) < 6
        assert all(len(piece.samples) % SAMPLE_BYTES == 0 for piece in pieces)
        assert level(b"".join(piece.samples for piece in pieces)) > -40

    async def test_what_holds_no_words_makes_no_sound(self, voice: Voice) -> None:
        """A full stop, a line end or nothing at all is passed over."""
        for text in ("", ".", " \n", "...", "?!", "—"):
            assert await sounds(voice, text) == []

    async def test_each_text_has_its_own_sound(self, voice: Voice) -> None:
        """A long text after a short one, and the other way round, lose and keep nothing."""
        short, long = "Yes.", "It will be sunny in the morning, and there may be rain at night."
        lengths = [seconds(await sounds(voice, text)) for text in (short, long, short)]
        assert lengths[0] < lengths[1] / 2
        assert lengths[2] < lengths[1] / 2
        assert lengths[1] > 2

    async def test_a_text_of_many_lines_is_one_text(self, voice: Voice) -> None:
        """Line ends are spaces, and none of them ends it."""
        pieces = await sounds(voice, "One moment, please.\r\n\n.\nI am looking for\u2028it.")
        assert seconds(pieces) > 1.5

    async def test_a_voice_that_is_stopped_speaks_the_next_text_alone(self, voice: Voice) -> None:
        """Closed after its first piece, the rest of a text is in no other one's sound."""
        long = "This goes on for quite a while, and nobody wants to hear it. " * 4
        async with aclosing(voice.speak(long, language="en")) as pieces:
            await anext(pieces)
        assert 0.1 < seconds(await sounds(voice, "Yes.")) < 1.5

    async def test_a_text_that_nobody_hears_is_not_spoken(self, voice: Voice) -> None:
        """A sound that is closed before its first piece hinders no other."""
        await voice.speak("Never heard by anybody.", language="en").aclose()
        assert 0.1 < seconds(await sounds(voice, "Yes.")) < 1.5

    async def test_two_texts_at_once_are_not_mixed(self, voice: Voice) -> None:
        """Whoever asks while it speaks has a sound of their own, of the usual length."""
        both = await asyncio.gather(
            sounds(voice, "Yes."),
            sounds(voice, "It will be sunny in the morning, and there may be rain at night."),
        )
        assert seconds(both[0]) < 1.5
        assert seconds(both[1]) > 2

    async def test_twice_the_speed_takes_half_the_time(self, voice: Voice, hasty: Voice) -> None:
        """A long text is over about twice as soon, pauses and all."""
        text = "It will be sunny in the morning, and there may be rain at night"
        usual, short = seconds(await sounds(voice, text)), seconds(await sounds(hasty, text))
        assert 0.35 < short / usual < 0.7

    async def test_a_sentence_does_not_run_into_the_next(self, voice: Voice) -> None:
        """Behind its end stand 0.2 s of silence, also if a quote ends with it."""
        for text in ("The train leaves at nine.", "She said: «Wait!»"):
            pieces = await sounds(voice, text)
            silence = round(0.2 * pieces[0].rate) * SAMPLE_BYTES
            samples = b"".join(piece.samples for piece in pieces)
            assert not any(samples[-silence:])

    async def test_signs_of_any_kind_do_no_harm(self, voice: Voice) -> None:
        """Brackets, quotes, a lone surrogate, zero bytes and other scripts are spoken or left."""
        for text in ("[[raw]] one", "\ud800 two", "a\0b", '"; rm -rf /', "-v three", "日本語"):
            await sounds(voice, text)
        assert seconds(await sounds(voice, "Yes.")) > 0.1

    async def test_its_sound_can_be_heard_at_our_rate(self, voice: Voice) -> None:
        """Another rate changes nothing about how long it is."""
        pieces = await sounds(voice, "Good morning.")
        whole = Sound(b"".join(piece.samples for piece in pieces), pieces[0].rate)
        assert at_rate(whole).seconds == pytest.approx(whole.seconds, abs=0.01)

    async def test_a_closed_voice_may_be_closed_again(self, voice: Voice) -> None:
        """Closing twice is no fault."""
        await voice.aclose()
        await voice.aclose()
