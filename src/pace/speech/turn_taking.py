"""Tells from the detector's probabilities when somebody begins to speak, pauses, and is done.

A frozen value: each chunk of CHUNK_SAMPLES gives the next one, and a sign where there is one. How
long a pause ends a turn is said from outside, since it hangs on what was said so far.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from pace.speech.ports import CHUNK_SAMPLES, RATE

CHUNK = timedelta(seconds=CHUNK_SAMPLES / RATE)
# Speech begins above the one and ends below the other, so that a breath ends nothing; both are the
# detector's own (Silero VAD, utils_vad.py: threshold 0.5, negative threshold 0.15 below it).
_IS_SPEECH, _IS_SILENCE = 0.5, 0.35
# Clicks and knocks are shorter than a syllable.
_SHORTEST_SPEECH = 3
_FIRST_PAUSE = timedelta(milliseconds=96)
"""After so long the words are recognised, and replied to ahead where that may be: by the time that
somebody is known to be done, much of that is over. A stop within a word is mostly shorter; where it
is not, a recognition is thrown away."""
_LONGEST_TURN = timedelta(seconds=120)
USUAL_PAUSE = timedelta(milliseconds=700)
"""What ends a turn of which nothing is known yet."""


class Sign(StrEnum):
    """What became clear with a chunk."""

    BEGAN = "began"
    PAUSED = "paused"
    WENT_ON = "went on"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaking:
    """How far somebody has come with what they say.

    `ending_pause` ends the turn, unless somebody goes on before. `spoken` chunks passed since it
    began; `loud` and `quiet` count the chunks in a row that were speech, and that were silence.
    """

    ending_pause: timedelta = USUAL_PAUSE
    is_speaking: bool = False
    has_paused: bool = False
    spoken: int = 0
    loud: int = 0
    quiet: int = 0

    def heard(self, probability: float) -> tuple["TurnTaking", Sign | None]:
        """Take in how likely the next chunk is speech."""
        loud = self.loud + 1 if probability >= _IS_SPEECH else 0
        if not self.is_speaking:
            if loud < _SHORTEST_SPEECH:
                return replace(self, loud=loud), None
            return replace(self, is_speaking=True, spoken=loud, loud=loud, quiet=0), Sign.BEGAN
        quiet = 0 if probability >= _IS_SPEECH else self.quiet + (probability < _IS_SILENCE)
        now = replace(self, spoken=self.spoken + 1, loud=loud, quiet=quiet)
        if self.has_paused and loud >= _SHORTEST_SPEECH:
            # What was known of the words is out of date.
            return replace(now, has_paused=False, ending_pause=USUAL_PAUSE), Sign.WENT_ON
        return now._quiet_for(quiet * CHUNK)

    def _quiet_for(self, pause: timedelta) -> tuple["TurnTaking", Sign | None]:
        if self.spoken * CHUNK >= _LONGEST_TURN:
            return self.ended(), Sign.ENDED
        if not self.has_paused:
            if pause < _FIRST_PAUSE:
                return self, None
            return replace(self, has_paused=True), Sign.PAUSED
        if pause < self.ending_pause:
            return self, None
        return self.ended(), Sign.ENDED

    def with_ending_pause(self, pause: timedelta) -> "TurnTaking":
        """When more is known of what was said: this pause ends the turn."""
        return self if pause == self.ending_pause else replace(self, ending_pause=pause)

    def ended(self) -> "TurnTaking":
        """When nothing of it counts any more: the turn is over, or was given up."""
        return TurnTaking()
