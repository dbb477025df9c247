"""A conversation by voice as it is lived: who speaks, who listens, and who cuts in on whom.

Whoever speaks while Pace does has its sound held at once; the reply is cut only if what they said
is a turn. Sound that is nobody's words, or Pace's own, leaves no trace.
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from datetime import datetime, timedelta
from enum import StrEnum

from pace.asked import Words
from pace.chat import RowStatus
from pace.doors.faults import fault_sentence
from pace.doors.open_chat import OpenChat
from pace.doors.voice.asking import AskingAloud
from pace.doors.voice.listening import Listening, Utterance
from pace.doors.voice.turns import USUAL_LANGUAGE, SpokenTurns
from pace.errors import MicrophoneError, PaceError, RecogniserError, SpeakerError
from pace.journal.rows import TurnSource
from pace.memory.turn import TurnId, is_blank
from pace.ports import Clock
from pace.speech.answers_aloud import is_stop
from pace.speech.earcons import closing_tone
from pace.speech.echo import is_echo
from pace.speech.echo_gate import EchoGate
from pace.speech.ports import Heard, Microphone, Recogniser, Sound, Speaker, SpeechDetector, Voice
from pace.speech.sound import SILENCE_DBFS, level
from pace.speech.turn_taking import CHUNK, Sign

SILENCE_LIMIT = timedelta(seconds=60)
"""The open microphone closes after so long without a turn."""
CUT_INS_LIMIT = 5
"""After so many spoken turns in a row that began over Pace's own voice, it may be hearing itself:
hands-free ends."""
# Opening a loudspeaker may take longer than a reply: a moment of silence wakes it when the person
# begins to speak, at the rate of Piper's middling voices.
_WAKING = Sound(bytes(2), 22_050)
# A room and a recogniser bring Pace's own words back for so long after they sounded.
_ECHO_LASTS = timedelta(seconds=1.5)


class VoiceState(StrEnum):
    """The one word that a screen shows."""

    OFF = "off"
    LISTENING = "listening"
    HEARING = "hearing"
    THINKING = "thinking"
    SPEAKING = "speaking"


class LiveConversation:
    """Listens and speaks in one chat, for as long as `run` runs.

    `language` is what the recogniser is told; None lets it find out. `tell` gets sentences for the
    person, `changed` is called when anything that a screen shows is new, as `level` is with each
    chunk. What a person does comes by `talk`, `hands_free`, `type` and `stop`.
    """

    def __init__(
        self,
        chat: OpenChat,
        *,
        microphone: Microphone,
        speaker: Speaker,
        detector: SpeechDetector,
        recogniser: Recogniser,
        voices: Sequence[Voice],
        gate: EchoGate,
        language: Callable[[], str | None],
        clock: Clock,
        tell: Callable[[str], None],
        changed: Callable[[], None],
    ) -> None:
        self.level = SILENCE_DBFS
        """How loud the microphone is, in dBFS."""
        self.words = ""
        """What was recognised of what is being said."""
        self.is_hands_free = False
        self._chat = chat
        self._microphone = microphone
        self._speaker = speaker
        self._gate = gate
        self._clock = clock
        self._tell = tell
        self._changed = changed
        self._listening = Listening(
            detector, recogniser, language=language, tell=self._signed, show=self._recognised
        )
        self._turns = SpokenTurns(chat, speaker, voices, clock=clock, trouble=tell, changed=changed)
        self._asking = AskingAloud(chat, self._turns, tell=tell, changed=self._open_or_close)
        self._group: asyncio.TaskGroup | None = None
        self._lives = asyncio.Event()
        self._opened = asyncio.Event()
        # Opening a microphone may take seconds, in which words would be lost.
        self._is_heard = False
        self._is_talking = self._is_held = self._is_released = False
        self._accepted: TurnId | None = None
        self._sign: Sign | None = None
        self._is_cutting_in, self._cut_ins = False, 0
        self._began_at = self._done_at = clock.now()
        # From the end of one turn to the beginning of the next.
        self._changing = asyncio.Lock()
        self._ahead: asyncio.Task[None] | None = None
        self._turn: asyncio.Task[None] | None = None
        self._taken: Words | None = None
        self._quiet = timedelta()
        self._language = USUAL_LANGUAGE

    # --- what a screen shows

    @property
    def state(self) -> VoiceState:
        """What goes on."""
        if self._listening.is_hearing:
            return VoiceState.HEARING
        if self._is_replying and not self._asking.is_waiting:
            return VoiceState.SPEAKING if self._is_sounding else VoiceState.THINKING
        return VoiceState.LISTENING if self.is_open and self._is_heard else VoiceState.OFF

    @property
    def is_open(self) -> bool:
        """Whether the microphone is."""
        return self._opened.is_set()

    # --- what a person does

    def talk(self, *, held: bool = False) -> None:
        """Listen for one turn, cutting in on a reply. While it is `held` no pause ends the turn."""
        if self._is_replying:
            self._speaker.pause()
        self._quiet, self._cut_ins = timedelta(), 0
        self._is_talking, self._is_held, self._is_released = True, held, False
        self._listening.is_held = held
        self._open_or_close()

    def end_talk(self) -> None:
        """What was said until now is the turn."""
        self._is_held = self._listening.is_held = False
        self._is_released = self._is_talking
        if not self._opened.is_set():
            self._is_talking = self._is_released = False

    def hands_free(self, *, on: bool) -> None:
        """Leave the microphone open, or close it."""
        self.is_hands_free, self._quiet, self._cut_ins = on, timedelta(), 0
        if not on:
            self._is_talking = False
        self._open_or_close()

    async def type(self, words: Words) -> None:
        """Send typed words, once this runs; a reply that sounds is cut at once."""
        await self._lives.wait()
        self._cut_ins = 0
        async with self._changing:
            await self._cut()
            self._begin(words, self._language)

    async def stop(self) -> bool:
        """Cut the reply at once; False if there is none."""
        if not self._is_replying:
            return False
        await self._cut()
        return True

    # --- life

    async def run(self) -> None:
        """Listen and speak until cancelled; a reply that sounds then is kept as far as heard."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            self._lives.set()
            while True:
                await self._opened.wait()
                await self._listen()

    async def _listen(self) -> None:
        """Hear what the microphone gives, until it is closed."""
        try:
            async with aclosing(self._microphone.chunks()) as chunks:
                async for chunk in chunks:
                    if not self._opened.is_set():
                        break
                    self._is_heard = True
                    await self._hear(chunk)
        except MicrophoneError as error:
            self._is_talking = self.is_hands_free = False
            self._asking.give_up_listening()
            self._tell(str(error))
            self._opened.clear()
        finally:
            await self._listening.drop()
            await self._came_to_nothing()
            self.level, self._is_heard = SILENCE_DBFS, False
            self._changed()

    def _open_or_close(self) -> None:
        if self.is_hands_free or self._is_talking or self._asking.is_listening:
            self._opened.set()
        else:
            self._opened.clear()
        self._changed()

    # --- what is heard

    async def _hear(self, chunk: bytes) -> None:
        self.level = level(chunk)
        is_own = not self._gate.passes(self.level, self._speaker.level)
        try:
            utterance = await self._listening.hear(chunk, is_own=is_own)
            if self._is_released and self._sign is not Sign.ENDED:
                utterance = await self._listening.finish()
                self._sign = Sign.ENDED
        except RecogniserError as error:
            self._tell(str(error))
            utterance, self._sign = None, Sign.ENDED
        sign, self._sign = self._sign, None
        if sign is Sign.BEGAN:
            self._accepted = TurnId(str(uuid.uuid4()))
            await self._chat.companion.accept(self._chat.thread_id, self._accepted)
            self._wake_speaker()
        elif sign is Sign.ENDED:
            await self._ended(utterance)
        self._pass_time()
        self._changed()

    def _wake_speaker(self) -> None:
        if self._group is not None and not self._is_replying:
            self._group.create_task(self._play_waking(), name="wake speaker")

    async def _play_waking(self) -> None:
        with suppress(SpeakerError):  # the reply tells it
            await self._speaker.play(_WAKING)

    def _signed(self, sign: Sign) -> None:
        """A sign of the person's speech, at once: nothing is louder than they are."""
        self._sign = sign
        if sign is Sign.BEGAN:
            self._began_at = self._clock.now()
            self._is_cutting_in = self._is_replying and self._is_sounding
            if self._is_replying and not self._asking.is_waiting:
                self._speaker.pause()
        elif sign is Sign.WENT_ON:
            self._give_up_ahead()
        elif sign is Sign.ENDED:
            self._done_at = self._clock.now()

    def _recognised(self, heard: Heard, has_paused: bool) -> None:  # noqa: FBT001  # a callback's
        self.words = heard.text
        self._changed()
        if has_paused and not self._is_replying and self._group is not None:
            ahead = self._chat.companion.write_ahead(self._chat.thread_id, heard.text.strip())
            self._give_up_ahead()
            self._ahead = self._group.create_task(ahead, name="write ahead")

    def _give_up_ahead(self) -> None:
        """These were not all of the words; the reply that was begun to them is none."""
        if self._ahead is not None:
            self._ahead.cancel()
            self._ahead = None

    async def _ended(self, utterance: Utterance | None) -> None:
        """Somebody is done: is it a turn, an answer, a word to stop, or nothing?"""
        was_asked = self._is_talking and not self.is_hands_free
        self._end_talking()
        if utterance is None or self._is_own(utterance.text):
            await self._came_to_nothing()
            if was_asked:
                self._tell("No words were heard.")
            return
        self._language = utterance.language
        if self._asking.is_waiting:
            self._asking.hear(utterance)
            await self._came_to_nothing()
        elif self._is_replying and is_stop(utterance.text, utterance.language):
            await self._came_to_nothing(goes_on=False)
            await self._cut()
        else:
            await self._said(utterance)

    async def _said(self, utterance: Utterance) -> None:
        turn_id = self._accepted or TurnId(str(uuid.uuid4()))
        self.words, self._accepted = "", None
        async with self._changing:
            before = self._taken if self._is_replying else None
            await self._cut()
            words = Words(
                text=self._whole(before, utterance.text), source=TurnSource.VOICE, turn_id=turn_id
            )
            self._begin(words, utterance.language, pause=utterance.pause, done_at=self._done_at)
        self._count_cut_in()

    def _count_cut_in(self) -> None:
        """However well Pace knows its own words: nothing goes round in a circle unattended."""
        self._cut_ins = self._cut_ins + 1 if self._is_cutting_in else 0
        if self.is_hands_free and self._cut_ins >= CUT_INS_LIMIT:
            self.hands_free(on=False)
            self._tell("Pace was cut in on again and again and may hear itself: hands-free is off.")

    def _whole(self, before: Words | None, text: str) -> str:
        """Whoever goes on before anything was answered or done adds to what they said."""
        if before is None or before.source is not TurnSource.VOICE:
            return text
        row = self._chat.session.row(before.turn_id)
        if row is None or row.status is not RowStatus.FAILED:
            return text
        self._chat.session.remove(before.turn_id)
        return f"{before.text} {text}"

    def _is_own(self, text: str) -> bool:
        """Whether it is what Pace said itself, while it sounded or just before."""
        own, until = self._turns.sounded
        if until is not None and self._began_at - until > _ECHO_LASTS:
            return False
        return is_echo(text, own)

    async def _came_to_nothing(self, *, goes_on: bool = True) -> None:
        """There was no turn in it: the thread is as it was, and the sound goes on."""
        turn_id, self._accepted = self._accepted, None
        self.words = ""
        self._give_up_ahead()
        if turn_id is not None:
            await self._chat.companion.withdraw(self._chat.thread_id, turn_id)
        if goes_on and self._is_replying:
            self._speaker.resume()

    def _end_talking(self) -> None:
        """One turn was all that was asked for, unless hands are free."""
        self._is_talking = self._is_held = self._is_released = False
        self._listening.is_held = False
        self._open_or_close()

    def _pass_time(self) -> None:
        """Count the time in which nobody says anything, by what the microphone gave."""
        if self._listening.is_hearing:
            return
        self._asking.pass_time(CHUNK)
        self._quiet = timedelta() if self._is_replying else self._quiet + CHUNK
        is_waited_for = self._is_held or self._asking.is_listening
        if self._quiet >= SILENCE_LIMIT and not is_waited_for:
            self.hands_free(on=False)
            self._tell("Nobody spoke for a minute, so the microphone was closed.")
            if self._group is not None:
                self._group.create_task(self._sound_closing(), name="tone")

    async def _sound_closing(self) -> None:
        with suppress(SpeakerError):  # it was told in words, too
            await self._speaker.play(closing_tone())
            await self._speaker.wait_silent()

    # --- what is replied

    @property
    def _is_replying(self) -> bool:
        return self._turn is not None and not self._turn.done()

    @property
    def _is_sounding(self) -> bool:
        return self._turns.reply is not None and self._turns.reply.has_sounded

    def _begin(
        self,
        words: Words,
        language: str,
        *,
        pause: timedelta | None = None,
        done_at: datetime | None = None,
    ) -> None:
        if self._group is None or is_blank(words.text):
            return
        self._taken = words
        self._ahead = None  # the turn's own from now on
        take = self._take(words, language, pause, done_at)
        self._turn = self._group.create_task(take, name="spoken turn")
        # Only then is it over for a screen.
        self._turn.add_done_callback(lambda _: self._changed())
        self._changed()

    async def _take(
        self, words: Words, language: str, pause: timedelta | None, done_at: datetime | None
    ) -> None:
        asking = asyncio.create_task(self._asking.run(words.turn_id), name="ask aloud")
        try:
            await self._turns.take(words, language=language, pause=pause, done_at=done_at)
        except PaceError as error:
            self._tell(str(error))
        except Exception as error:  # noqa: BLE001  # the conversation outlives a fault
            self._tell(fault_sentence(error))
        finally:
            asking.cancel()
            await asyncio.wait([asking])
            self._changed()

    async def _cut(self) -> None:
        """Be silent now; the reply is what was heard of it. An open question is a no."""
        turn = self._turn
        if turn is None or turn.done():
            return
        if self._turns.reply is not None:
            self._turns.reply.stop()
        if not self._chat.stop():
            turn.cancel()
        await asyncio.wait([turn])
