"""A spoken conversation: what is heard becomes a turn of the one chat, and its reply is spoken."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from pace.asked import TurnReport, Words
from pace.doors.open_chat import OpenChat
from pace.doors.voice.listening import Listening, Utterance
from pace.doors.voice.speaking import SpokenReply
from pace.journal.rows import TurnSource
from pace.ports import PlannerEvent
from pace.speech.ports import Speaker, Voice
from pace.speech.voices.choosing import voice_for

# Where nobody recognised a language yet.
_USUAL_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """What was said and what became of it."""

    utterance: Utterance
    report: TurnReport


class SpokenConversation:
    """Takes spoken turns, one after the other; `trouble` gets a sentence if a voice fails.

    `voices` are asked in their order which of them speaks a language.
    """

    def __init__(
        self,
        chat: OpenChat,
        listening: Listening,
        speaker: Speaker,
        voices: Sequence[Voice],
        *,
        trouble: Callable[[str], None],
    ) -> None:
        self._chat = chat
        self._listening = listening
        self._speaker = speaker
        self._voices = tuple(voices)
        self._trouble = trouble
        self._voiceless: set[str] = set()

    async def turns(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[SpokenTurn]:
        """Every turn that is heard in these chunks, when its reply has sounded.

        Nothing is heard while Pace speaks. Raises as `OpenChat.say` does, and RecogniserError.
        """
        async for chunk in chunks:
            if (utterance := await self._listening.hear(chunk)) is not None:
                yield await self._taken(utterance)
        if (utterance := await self._listening.finish()) is not None:
            yield await self._taken(utterance)

    async def _taken(self, utterance: Utterance) -> SpokenTurn:
        language = utterance.language or _USUAL_LANGUAGE
        voice = self._voice(language)
        reply = SpokenReply(self._speaker, voice, language=language, trouble=self._trouble)
        words = Words(text=utterance.text, source=TurnSource.VOICE, playback=reply)
        speaking = asyncio.create_task(reply.run(), name="speak")

        async def say(event: PlannerEvent) -> None:
            await reply.say(event)

        try:
            report = await self._chat.say(words, say)
        finally:
            reply.stop()
            await asyncio.wait([speaking])
        return SpokenTurn(utterance, report)

    def _voice(self, language: str) -> Voice | None:
        voice = voice_for(language, self._voices)
        if voice is None and language not in self._voiceless:
            self._voiceless.add(language)
            self._trouble(f"No voice here speaks the language {language}, so replies are text.")
        return voice
