"""Tells by loudness alone whether somebody speaks over Pace's own voice, come back as an echo.

It is for a microphone that hears the loudspeaker: no headphones, no echo cancellation. What it
knows is how loud the loudspeaker comes back, which it learns while Pace speaks.
"""

from collections import deque

from pace.speech.ports import CHUNK_SAMPLES, RATE

_A_SECOND = RATE // CHUNK_SAMPLES
# Sound comes back at most 0.3 s after it was given to the device; the room rings a little longer.
_LATELY = round(0.4 * _A_SECOND)
# Below this level, the loudspeaker cannot be told from silence in any room.
_SOUNDS_FROM = -60.0
# Above the expected echo by so much is somebody else: chunks of echo vary by 2 dB in themselves,
# and a person at the expected level of the echo adds only 3 dB to it.
_MARGIN = 6.0
# So many such chunks in a row; a single one is a click.
_IN_A_ROW = 2
# Whoever was let through is let through for 0.2 s more, since words have quiet places.
_HELD = round(0.2 * _A_SECOND)
# Until it is known, the echo is taken to be louder than what sounds, as a microphone near the
# loudspeaker hears it; this guess sinks with each second of sound, as what was heard replaces it.
_FIRST_GUESS = 6.0
_GUESS_SINKS = 16.0 / _A_SECOND
_LOWEST_GUESS = -70.0
# The loudest of so much sound is what is expected; the room or the volume may change.
_REMEMBERED = 10 * _A_SECOND
# One chunk raises what is expected by no more: a person who was let through hardly counts, and a
# volume that was turned up is known after a second or two.
_RISES = 0.1
# Only loud moments tell: in the others, noise is louder than the echo.
_TELLS_FROM = 12.0
_LOUDEST_FADES = 1.0 / _A_SECOND


class EchoGate:
    """Lets pass what may be a person; asked once for each chunk, in order.

    `is_open` is for headphones and for a cancelled echo: everything passes.
    """

    def __init__(self, *, is_open: bool = False) -> None:
        self._is_open = is_open
        self._sounding: deque[float] = deque(maxlen=_LATELY)
        self._heard: deque[float] = deque(maxlen=2 * _A_SECOND)
        self._returns: deque[float] = deque(maxlen=_REMEMBERED)
        self._guess = _FIRST_GUESS
        self._loudest = _SOUNDS_FROM
        self._above = 0
        self._held = 0

    def passes(self, heard_dbfs: float, sounding_dbfs: float) -> bool:
        """Whether the chunk may be somebody's speech, by its level and that of what sounds now."""
        self._sounding.append(sounding_dbfs)
        self._heard.append(heard_dbfs)
        if self._is_open:
            return True
        lately = max(self._sounding)
        if lately < _SOUNDS_FROM:
            self._above = self._held = 0
            return True
        expected = self._expected()
        is_above = heard_dbfs > max(lately + expected, min(self._heard)) + _MARGIN
        self._above = self._above + 1 if is_above else 0
        self._held = _HELD if self._above >= _IN_A_ROW else max(0, self._held - 1)
        self._learn(heard_dbfs - lately, lately, expected)
        return self._held > 0

    def _expected(self) -> float:
        """How much louder the microphone hears than what sounds, at most."""
        return max(self._guess, max(self._returns, default=self._guess))

    def _learn(self, returned: float, lately: float, expected: float) -> None:
        self._loudest = max(lately, self._loudest - _LOUDEST_FADES)
        if lately < self._loudest - _TELLS_FROM:
            return
        self._returns.append(min(returned, expected + _RISES))
        self._guess = max(_LOWEST_GUESS, self._guess - _GUESS_SINKS)
