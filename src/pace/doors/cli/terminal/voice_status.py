"""One word for the state, and how loud the microphone has been in the last second."""

from collections import deque

from pace.doors.cli.terminal.look import Look
from pace.doors.voice.live import VoiceState
from pace.speech.sound import SILENCE_DBFS

_COLUMNS = 12
# A quiet room is about -60 dBFS, a close voice about -15.
_QUIETEST, _LOUDEST = -60.0, -12.0
_BLOCKS, _ASCII_BLOCKS = "▁▂▃▄▅▆▇█", ".:-=+*#@"
_OPEN, _CLOSED = "●", "○"
_ASCII_OPEN, _ASCII_CLOSED = "*", "o"
_WIDEST_WORD = max(len(state.value) for state in VoiceState)


class VoiceStatus:
    """The line of the state; the level moves through it from right to left."""

    def __init__(self, look: Look) -> None:
        is_ascii = look.signs.bar == "|"
        self._blocks = _ASCII_BLOCKS if is_ascii else _BLOCKS
        self._marks = (_ASCII_CLOSED, _ASCII_OPEN) if is_ascii else (_CLOSED, _OPEN)
        self._levels: deque[float] = deque([SILENCE_DBFS] * _COLUMNS, maxlen=_COLUMNS)

    def told(self, state: VoiceState, level: float, *, is_open: bool) -> str:
        """The line as it is now; the mark before it tells whether the microphone is open."""
        self._levels.append(level if is_open else SILENCE_DBFS)
        bars = "".join(self._block(one) for one in self._levels) if is_open else ""
        return f"{self._marks[is_open]} {state.value:<{_WIDEST_WORD}}  {bars}".rstrip()

    def _block(self, level: float) -> str:
        share = (level - _QUIETEST) / (_LOUDEST - _QUIETEST)
        at = round(share * (len(self._blocks) - 1))
        return self._blocks[min(max(at, 0), len(self._blocks) - 1)]
