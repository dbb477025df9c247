"""Makes turns of what a microphone hears: where somebody speaks, until they are done, what is said.

Recognition begins with the first short pause, and is thrown away if the person goes on; so by the
time they are known to be done, their words are known, too.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pace.speech.pauses import ending_pause
from pace.speech.phantoms import is_phantom
from pace.speech.ports import Heard, Recogniser, Sound, SpeechDetector
from pace.speech.turn_taking import Sign, TurnTaking

# The detector is sure only some chunks after the first sound: these were part of the first word.
_CHUNKS_BEFORE = 12


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said, and how much sound it was, in seconds."""

    text: str = field(repr=False)
    language: str
    seconds: float


class Listening:
    """Hears one person, chunk by chunk. `tell` gets every sign at once, for whoever shows it.

    `language` is asked at each recognition; None lets the recogniser find out.
    """

    def __init__(
        self,
        detector: SpeechDetector,
        recogniser: Recogniser,
        *,
        language: Callable[[], str | None],
        tell: Callable[[Sign], None],
    ) -> None:
        self._detector = detector
        self._recogniser = recogniser
        self._language = language
        self._tell = tell
        self._taking = TurnTaking()
        self._before: deque[bytes] = deque(maxlen=_CHUNKS_BEFORE)
        self._sound = bytearray()
        self._recognising: asyncio.Task[Heard] | None = None

    async def hear(self, chunk: bytes) -> Utterance | None:
        """Take in the next chunk; gives what was said once somebody is done, unless it was nothing.

        Raises RecogniserError; what was being said is then lost.
        """
        self._know_more()
        self._taking, sign = self._taking.heard(self._detector.probability(chunk))
        if self._taking.is_speaking or sign is Sign.ENDED:
            self._sound += chunk
        else:
            self._before.append(chunk)
        if sign is None:
            return None
        self._tell(sign)
        if sign is Sign.BEGAN:
            self._sound = bytearray(b"".join((*self._before, chunk)))
            self._before.clear()
        elif sign is Sign.PAUSED:
            self._recognising = asyncio.create_task(self._recognised(), name="recognise")
        elif sign is Sign.WENT_ON:
            await self._give_up()
        else:
            return await self._utterance()
        return None

    async def finish(self) -> Utterance | None:
        """No more will be heard: what was said without a pause at its end, if anything was."""
        if not self._taking.is_speaking:
            return None
        self._taking = self._taking.ended()
        self._tell(Sign.ENDED)
        return await self._utterance()

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

    async def _utterance(self) -> Utterance | None:
        seconds = Sound(bytes(self._sound)).seconds
        task, self._recognising = self._recognising, None
        try:
            heard = await (task or self._recognised())
        finally:
            self._sound.clear()
            self._detector.reset()
        if is_phantom(heard):
            return None
        return Utterance(heard.text.strip(), heard.language, seconds)

    async def _give_up(self) -> None:
        task, self._recognising = self._recognising, None
        if task is None:
            return
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # it was not asked for any more
