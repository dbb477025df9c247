"""Speaks a reply sentence by sentence while it is written, and knows how much of it was heard."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from pace.errors import SpeakerError, VoiceError
from pace.ports import Clock, Finished, PlannerEvent, Reasoned, TextDelta
from pace.speech.ports import Sound, Speaker, Voice
from pace.speech.sound import silence_behind
from pace.speech.spoken_sentences import SpokenSentence, SpokenSentences, written_until

# What of its own speech a microphone may still bring back, in sentences.
_SPOKEN_KNOWN = 4


@dataclass(slots=True)
class Beginnings:
    """When a reply's first word was written, its first clause was given to the voice, and sounded.

    None is for what has not come yet, or never does.
    """

    word: datetime | None = None
    clause: datetime | None = None
    sound: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Interjected:
    """Something of Pace's own to be said between two sentences; `over` is set once it sounded."""

    sentence: SpokenSentence
    over: asyncio.Event


@dataclass(slots=True)
class _Sounding:
    """A sentence and where its sound stands among all that the speaker gets, in seconds."""

    sentence: SpokenSentence
    start: float
    seconds: float = 0.0
    silence: float = 0.0
    """At its end: Piper's is a third of a second, in which a word would be."""

    def add(self, sound: Sound) -> None:
        silence = silence_behind(sound)
        self.silence = silence if silence < sound.seconds else self.silence + silence
        self.seconds += sound.seconds

    def share(self, played: float) -> float:
        """How much of its words has sounded when the speaker has played so far."""
        words = self.seconds - self.silence or self.seconds
        return (played - self.start) / words


class SpokenReply:
    """One reply's sound; a `Playback`. `run` speaks it, and ends when all of it has sounded.

    Without a voice, or once it fails, the text is all there is: it counts as heard when it is
    written. `preface` is said before it and is no part of it. `trouble` gets a sentence about a
    failing voice or speaker.
    """

    def __init__(
        self,
        speaker: Speaker,
        voice: Voice | None,
        *,
        language: str,
        clock: Clock,
        trouble: Callable[[str], None],
        began: Callable[[], None] | None = None,
        preface: str = "",
    ) -> None:
        self.beginnings = Beginnings()
        self.lately: deque[str] = deque(maxlen=_SPOKEN_KNOWN)
        """The sentences that were given to the voice last, as they sound."""
        self._clock = clock
        self._began = began
        self._speaker = speaker
        self._voice = voice
        self._language = language
        self._trouble = trouble
        self._sentences = SpokenSentences(language)
        self._waiting: asyncio.Queue[SpokenSentence | _Interjected | None] = asyncio.Queue()
        self._sounding: list[_Sounding] = []
        self._written = 0
        self._heard: int | None = None
        self._over = asyncio.Event()
        self._played_before = speaker.played
        if preface:
            self._waiting.put_nowait(SpokenSentence(preface, "", 0, 0))

    # --- what was heard

    @property
    def heard(self) -> int:
        """How many characters of the reply have sounded, up to the end of a word."""
        if self._heard is not None:
            return self._heard
        if self._voice is None or self._over.is_set():
            return self._written
        played = self._speaker.played - self._played_before
        until = 0
        for each in self._sounding:
            if played < each.start + each.seconds:
                share = each.share(played)
                heard = written_until(each.sentence, share) if share > 0 else 0
                return max(heard, until)
            until = each.sentence.end
        return until

    @property
    def has_sounded(self) -> bool:
        """Whether any of it was given to the speaker."""
        return bool(self._sounding)

    async def wait_over(self) -> None:
        """All is written: wait until it has sounded, or none of it will any more."""
        self._put(self._sentences.end())
        self._waiting.put_nowait(None)
        await self._over.wait()

    # --- what is written

    async def say(self, event: PlannerEvent) -> None:
        """Hear what the planner writes."""
        match event:
            case TextDelta(text):
                self.beginnings.word = self.beginnings.word or self._clock.now()
                self._written += len(text)
                self._put(self._sentences.feed(text))
            case Reasoned(kept):
                # None of it was meant for the person; what has sounded cannot be taken back.
                self._begin_again()
                self._written = len(kept)
                self._put(self._sentences.feed(kept))
            case Finished():
                # What was done may be told behind it.
                self._put(self._sentences.so_far())
            case _:
                pass

    def interject(self, spoken: str) -> asyncio.Event:
        """Say something that is no part of the reply, after what is written; set when it sounded.

        Where nothing sounds, nothing is waited for.
        """
        over = asyncio.Event()
        if self._voice is None or self._over.is_set() or self._heard is not None:
            over.set()
            return over
        self._put(self._sentences.so_far())
        sentence = SpokenSentence(spoken, "", self._written, self._written)
        self._waiting.put_nowait(_Interjected(sentence, over))
        return over

    def _put(self, sentences: list[SpokenSentence]) -> None:
        for sentence in sentences:
            self._waiting.put_nowait(sentence)

    def _begin_again(self) -> None:
        self._speaker.stop()
        self._played_before = self._speaker.played
        self._sentences = SpokenSentences(self._language)
        self._sounding.clear()
        while not self._waiting.empty():
            self._waiting.get_nowait()

    # --- what sounds

    async def run(self) -> None:
        """Speak until the end of the reply, or until `stop`."""
        try:
            while (waiting := await self._waiting.get()) is not None and self._heard is None:
                if isinstance(waiting, _Interjected):
                    await self._interject(waiting)
                else:
                    await self._speak(waiting)
            if self._heard is None and self._sounding:
                await self._speaker.wait_silent()
        except (VoiceError, SpeakerError) as error:
            self._voice = None
            self._trouble(str(error))
        finally:
            self._over.set()
            while not self._waiting.empty():
                if isinstance(waiting := self._waiting.get_nowait(), _Interjected):
                    waiting.over.set()

    async def _interject(self, waiting: _Interjected) -> None:
        try:
            await self._speak(waiting.sentence)
            if self._heard is None:
                await self._speaker.wait_silent()
        finally:
            waiting.over.set()

    async def _speak(self, sentence: SpokenSentence) -> None:
        voice = self._voice
        if voice is None or not sentence.spoken:
            return
        is_reply = sentence.end > sentence.start
        if is_reply:
            self.beginnings.clause = self.beginnings.clause or self._clock.now()
        self.lately.append(sentence.spoken)
        before = self._sounding[-1] if self._sounding else None
        sounding = _Sounding(sentence, before.start + before.seconds if before else 0.0)
        self._sounding.append(sounding)
        made: asyncio.Queue[Sound | None] = asyncio.Queue()
        making = asyncio.create_task(self._make(voice, sounding, made), name="voice")
        try:
            while (sound := await made.get()) is not None and self._heard is None:
                if is_reply:
                    self._note_sound()
                await self._speaker.play(sound)
            if self._heard is None:
                await making
        finally:
            making.cancel()
            await asyncio.wait([making])

    async def _make(
        self, voice: Voice, sounding: _Sounding, made: asyncio.Queue[Sound | None]
    ) -> None:
        """Have a sentence's sound made ahead of the speaker, so that its length is known early."""
        spoken = sounding.sentence.spoken
        try:
            async with aclosing(voice.speak(spoken, language=self._language)) as sounds:
                async for sound in sounds:
                    sounding.add(sound)
                    made.put_nowait(sound)
        finally:
            made.put_nowait(None)

    def _note_sound(self) -> None:
        if self.beginnings.sound is None:
            self.beginnings.sound = self._clock.now()
            if self._began is not None:
                self._began()

    def stop(self) -> None:
        """Be silent at once; what has sounded until now stays known."""
        if self._heard is not None or self._over.is_set():
            return
        self._heard = self.heard
        self._speaker.stop()
        self._waiting.put_nowait(None)
