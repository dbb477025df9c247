"""Takes turns whose replies are spoken: by the voice of the language, with what it waited for."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pace.asked import TurnReport, Words
from pace.chat import SpokenTimes
from pace.doors.open_chat import OpenChat
from pace.doors.switching import remote_sentence
from pace.doors.voice.speaking import Beginnings, SpokenReply
from pace.ports import Clock, PlannerEvent
from pace.speech.for_the_ear import for_the_ear
from pace.speech.ports import Speaker, Voice
from pace.speech.voices.choosing import voice_for

# Where nobody recognised a language yet.
USUAL_LANGUAGE = "en"


class SpokenTurns:
    """Turns of one chat, spoken through one speaker; `trouble` gets sentences about what fails.

    `voices` are asked in their order which of them speaks a language. `changed` is told when a
    reply begins to sound.
    """

    def __init__(
        self,
        chat: OpenChat,
        speaker: Speaker,
        voices: Sequence[Voice],
        *,
        clock: Clock,
        trouble: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        self.reply: SpokenReply | None = None
        """The one that is being spoken."""
        self._chat = chat
        self._speaker = speaker
        self._voices = tuple(voices)
        self._clock = clock
        self._trouble = trouble
        self._changed = changed
        self._voiceless: set[str] = set()
        self._last_spoken: Sequence[str] = ()
        self._silent_since: datetime | None = None
        self._named = ""

    @property
    def sounded(self) -> tuple[Sequence[str], datetime | None]:
        """What was spoken last, and when it ended; None while it sounds."""
        if self.reply is not None and self.reply.lately:
            return tuple(self.reply.lately), None
        return self._last_spoken, self._silent_since

    async def take(
        self,
        words: Words,
        *,
        language: str,
        pause: timedelta | None = None,
        done_at: datetime | None = None,
    ) -> TurnReport:
        """Take a turn; it is over when its reply has sounded. Raises as `OpenChat.say` does.

        Of spoken words `pause` followed their end until the person was taken to be done, which was
        at `done_at`.
        """
        said_at = self._clock.now()

        def began() -> None:
            times = _times(reply.beginnings, said_at, done_at or said_at, pause or timedelta())
            if times is not None:
                self._chat.session.timed(words.turn_id, times)
            self._changed()

        reply = SpokenReply(
            self._speaker,
            None if self._chat.session.is_muted else self.voice(language),
            language=language,
            clock=self._clock,
            trouble=self._trouble,
            began=began,
            preface=self._where_words_go(),
        )
        self.reply = reply
        speaking = asyncio.create_task(reply.run(), name="speak")

        async def say(event: PlannerEvent) -> None:
            await reply.say(event)

        try:
            return await self._chat.say(replace(words, playback=reply), say)
        finally:
            reply.stop()
            await asyncio.wait([speaking])
            self.reply = None
            self._last_spoken, self._silent_since = tuple(reply.lately), self._clock.now()

    def voice(self, language: str) -> Voice | None:
        """Who speaks a language; where nobody does, that is said once."""
        voice = voice_for(language, self._voices)
        if voice is None and language not in self._voiceless:
            self._voiceless.add(language)
            self._trouble(f"No voice here speaks the language {language}, so replies are text.")
        return voice

    def _where_words_go(self) -> str:
        """A tier that leaves the machine is named aloud, once and whenever it is another one."""
        where = remote_sentence(self._chat.settings)
        if where == self._named:
            return ""
        self._named = where
        return for_the_ear(where, USUAL_LANGUAGE) if where else ""


def _times(
    begun: Beginnings, said_at: datetime, done_at: datetime, pause: timedelta
) -> SpokenTimes | None:
    if begun.word is None or begun.clause is None or begun.sound is None:
        return None
    return SpokenTimes(
        pause=pause,
        recognised=said_at - done_at,
        read=begun.word - said_at,
        written=begun.clause - begun.word,
        voiced=begun.sound - begun.clause,
    )
