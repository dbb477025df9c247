"""Speaks a reply sentence by sentence while it is written, and knows how much of it was heard."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from pace.errors import SpeakerError, VoiceError
from pace.ports import Finished, PlannerEvent, Reasoned, TextDelta
from pace.speech.ports import Speaker, Voice
from pace.speech.spoken_sentences import SpokenSentence, SpokenSentences, written_until


@dataclass(slots=True)
class _Sounding:
    """A sentence and where its sound stands among all that the speaker gets, in seconds."""

    sentence: SpokenSentence
    start: float
    seconds: float = 0.0


class SpokenReply:
    """One reply's sound; a `Playback`. `run` speaks it, and ends when all of it has sounded.

    Without a voice, or once it fails, the text is all there is: it counts as heard when it is
    written. `trouble` gets a sentence about a failing voice or speaker.
    """

    def __init__(
        self,
        speaker: Speaker,
        voice: Voice | None,
        *,
        language: str,
        trouble: Callable[[str], None],
    ) -> None:
        self._speaker = speaker
        self._voice = voice
        self._language = language
        self._trouble = trouble
        self._sentences = SpokenSentences(language)
        self._waiting: asyncio.Queue[SpokenSentence | None] = asyncio.Queue()
        self._sounding: list[_Sounding] = []
        self._written = 0
        self._heard: int | None = None
        self._over = asyncio.Event()

    # --- what was heard

    @property
    def heard(self) -> int:
        """How many characters of the reply have sounded, up to the end of a word."""
        if self._heard is not None:
            return self._heard
        if self._voice is None or self._over.is_set():
            return self._written
        played = self._speaker.played
        until = 0
        for each in self._sounding:
            if played < each.start + each.seconds:
                share = (played - each.start) / each.seconds
                heard = written_until(each.sentence, share) if share > 0 else 0
                return max(heard, until)
            until = each.sentence.end
        return until

    async def wait_over(self) -> None:
        """Wait until all of it has sounded, or none of it will any more."""
        await self._over.wait()

    # --- what is written

    async def say(self, event: PlannerEvent) -> None:
        """Hear what the planner writes."""
        match event:
            case TextDelta(text):
                self._written += len(text)
                self._put(self._sentences.feed(text))
            case Reasoned(kept):
                # None of it was meant for the person; what has sounded cannot be taken back.
                self._begin_again()
                self._written = len(kept)
                self._put(self._sentences.feed(kept))
            case Finished():
                self._put(self._sentences.end())
                self._waiting.put_nowait(None)
            case _:
                pass

    def _put(self, sentences: list[SpokenSentence]) -> None:
        for sentence in sentences:
            self._waiting.put_nowait(sentence)

    def _begin_again(self) -> None:
        self._speaker.stop()
        self._sentences = SpokenSentences(self._language)
        self._sounding.clear()
        while not self._waiting.empty():
            self._waiting.get_nowait()

    # --- what sounds

    async def run(self) -> None:
        """Speak until the end of the reply, or until `stop`."""
        try:
            while (sentence := await self._waiting.get()) is not None and self._heard is None:
                await self._speak(sentence)
            if self._heard is None:
                await self._speaker.wait_silent()
        except (VoiceError, SpeakerError) as error:
            self._voice = None
            self._trouble(str(error))
        finally:
            self._over.set()

    async def _speak(self, sentence: SpokenSentence) -> None:
        if self._voice is None or not sentence.spoken:
            return
        before = self._sounding[-1] if self._sounding else None
        sounding = _Sounding(sentence, before.start + before.seconds if before else 0.0)
        self._sounding.append(sounding)
        async with aclosing(self._voice.speak(sentence.spoken, language=self._language)) as sounds:
            async for sound in sounds:
                if self._heard is not None:
                    return
                sounding.seconds += sound.seconds
                await self._speaker.play(sound)

    def stop(self) -> None:
        """Be silent at once; what has sounded until now stays known."""
        if self._heard is not None or self._over.is_set():
            return
        self._heard = self.heard
        self._speaker.stop()
        self._waiting.put_nowait(None)
