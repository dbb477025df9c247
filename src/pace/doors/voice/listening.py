"""Makes turns of what a microphone hears: where somebody speaks, until they are done, what is said.

Recognition begins with the first short pause, and is thrown away if the person goes on; so by the
time they are known to be done, their words are known, too.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from pace.errors import RecogniserError
from pace.speech.pauses import ending_pause
from pace.speech.phantoms import is_phantom
from pace.speech.ports import CHUNK_SAMPLES, RATE, Heard, Recogniser, Sound, SpeechDetector
from pace.speech.turn_taking import CHUNK, Sign, TurnTaking

# The detector is sure only some chunks after the first sound: these were part of the first word.
_CHUNKS_BEFORE = 12
# Of somebody who does not pause, so much is shown by then. It is rare, since a recogniser that is
# at work when they are done keeps them waiting.
_SHOWN_EVERY = 4 * RATE // CHUNK_SAMPLES
_NEVER = timedelta.max


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said, how many seconds of sound it was, and after which pause it was taken.

    `log_probability` is how sure the recogniser is: the mean over its tokens.
    """

    text: str = field(repr=False)
    language: str
    seconds: float
    log_probability: float
    pause: timedelta = timedelta()


class Listening:
    """Hears one person, chunk by chunk. `tell` gets every sign at once, for whoever shows it.

    `language` is asked at each recognition; None lets the recogniser find out. `show` gets what was
    recognised so far, as often as that is known anew, and whether the person has paused: then these
    may be all of their words.
    """

    def __init__(
        self,
        detector: SpeechDetector,
        recogniser: Recogniser,
        *,
        language: Callable[[], str | None],
        tell: Callable[[Sign], None],
        show: Callable[[Heard, bool], None] | None = None,
    ) -> None:
        self.is_held = False
        """Whether no pause ends what is being said."""
        self._detector = detector
        self._recogniser = recogniser
        self._language = language
        self._tell = tell
        self._show = show
        self._taking = TurnTaking()
        self._before: deque[bytes] = deque(maxlen=_CHUNKS_BEFORE)
        self._sound = bytearray()
        self._recognising: asyncio.Task[Heard] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._unpaused = 0

    @property
    def is_hearing(self) -> bool:
        """Whether somebody is speaking, or pausing in their turn."""
        return self._taking.is_speaking

    async def hear(self, chunk: bytes, *, is_own: bool = False) -> Utterance | None:
        """Take in the next chunk; gives what was said once somebody is done, unless it was nothing.

        A chunk that `is_own` sound, come back from the loudspeaker, is nobody's speech. Raises
        RecogniserError; what was being said is then lost.
        """
        if self.is_held:
            self._taking = self._taking.with_ending_pause(_NEVER)
        else:
            self._know_more()
        probability = self._detector.probability(chunk)
        taking, sign = self._taking.heard(0.0 if is_own else probability)
        pause = taking.quiet * CHUNK if taking.is_speaking else (self._taking.quiet + 1) * CHUNK
        self._taking = taking
        if taking.is_speaking or sign is Sign.ENDED:
            self._sound += chunk
        else:
            self._before.append(chunk)
        if sign is None:
            self._look_at_times()
            return None
        self._unpaused = 0
        self._tell(sign)
        if sign is Sign.BEGAN:
            self._sound = bytearray(b"".join((*self._before, chunk)))
            self._before.clear()
        elif sign is Sign.PAUSED:
            self._recognising = asyncio.create_task(self._recognised_now(), name="recognise")
        elif sign is Sign.WENT_ON:
            await self._give_up()
        else:
            return await self._utterance(pause)
        return None

    async def finish(self) -> Utterance | None:
        """No more will be heard: what was said without a pause at its end, if anything was."""
        if not self._taking.is_speaking:
            return None
        pause = self._taking.quiet * CHUNK
        self._taking = self._taking.ended()
        self._tell(Sign.ENDED)
        return await self._utterance(pause)

    async def drop(self) -> None:
        """Forget what is being said."""
        await self._give_up()
        self._taking = TurnTaking()
        self._sound.clear()
        self._before.clear()
        self._detector.reset()

    # --- inside

    def _know_more(self) -> None:
        """Once the words so far are known, so is how long a pause ends them."""
        task = self._recognising
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return
        heard = task.result()
        pause = ending_pause(heard.text, heard.language)
        self._taking = self._taking.with_ending_pause(pause)

    async def _recognised(self) -> Heard:
        return await self._recogniser.recognise(
            Sound(bytes(self._sound)), language=self._language()
        )

    async def _recognised_now(self) -> Heard:
        heard = await self._recognised()
        self._tell_words(heard, has_paused=True)
        return heard

    def _tell_words(self, heard: Heard, *, has_paused: bool) -> None:
        if self._show is not None and heard.text and not is_phantom(heard):
            self._show(heard, has_paused)

    def _look_at_times(self) -> None:
        """Recognise what somebody said so far who speaks on and on, for the screen alone."""
        if self._show is None or not self._taking.is_speaking or self._taking.has_paused:
            return
        self._unpaused += 1
        if self._unpaused % _SHOWN_EVERY == 0 and self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="look")

    async def _look(self) -> None:
        with suppress(RecogniserError):  # the whole words will tell it
            self._tell_words(await self._recognised(), has_paused=False)
        self._looking = None

    async def _utterance(self, pause: timedelta) -> Utterance | None:
        seconds = Sound(bytes(self._sound)).seconds
        task, self._recognising = self._recognising, None
        try:
            heard = await (task or self._recognised())
        finally:
            self._sound.clear()
            self._detector.reset()
            await self._give_up()
        if is_phantom(heard):
            return None
        return Utterance(heard.text.strip(), heard.language, seconds, heard.log_probability, pause)

    async def _give_up(self) -> None:
        """End whatever is recognised; nobody asks for it any more."""
        tasks = [task for task in (self._recognising, self._looking) if task is not None]
        self._recognising = self._looking = None
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled():
                task.exception()
