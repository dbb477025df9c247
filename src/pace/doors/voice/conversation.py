"""A spoken conversation: what is heard becomes a turn of the one chat, and its reply is spoken."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from pace.asked import TurnReport, Words
from pace.doors.open_chat import OpenChat
from pace.doors.voice.listening import Listening, Utterance
from pace.doors.voice.turns import USUAL_LANGUAGE, SpokenTurns
from pace.journal.rows import TurnSource
from pace.ports import Clock
from pace.speech.ports import Speaker, Voice


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
        clock: Clock,
        trouble: Callable[[str], None],
    ) -> None:
        self._listening = listening
        self._turns = SpokenTurns(
            chat, speaker, voices, clock=clock, trouble=trouble, changed=_unseen
        )

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
        words = Words(text=utterance.text, source=TurnSource.VOICE)
        report = await self._turns.take(words, language=utterance.language or USUAL_LANGUAGE)
        return SpokenTurn(utterance, report)


def _unseen() -> None:
    """Nobody watches a reply begin."""
