"""Sound between the event loop and a device's thread, which knows how much of it has sounded."""

import threading
from collections import deque
from dataclasses import dataclass, field

from pace.speech.ports import SAMPLE_BYTES
from pace.speech.sound import SILENCE_DBFS, level


@dataclass(frozen=True, slots=True)
class _Block:
    """What a device took at once: so many samples, of which these are sound and not filling."""

    samples: int
    sound: bytes = field(repr=False)


class WaitingSound:
    """Sound of one rate. A device takes from it; what it took last is still in its buffer.

    What is put in is taken sample by sample in its order, whatever pauses come between.
    """

    def __init__(self, rate: int, *, buffered_seconds: float, is_paused: bool = False) -> None:
        self.rate = rate
        self.is_paused = is_paused
        """Whether silence is taken in place of what waits."""
        self._buffered = round(buffered_seconds * rate)
        self._lock = threading.Lock()
        self._pieces: deque[memoryview] = deque()
        self._blocks: deque[_Block] = deque()
        self._sounded = 0

    def put(self, samples: bytes) -> None:
        """Let it sound after all that waits."""
        whole = memoryview(samples)[: len(samples) // SAMPLE_BYTES * SAMPLE_BYTES]
        if whole:
            with self._lock:
                self._pieces.append(whole)

    def take(self, count: int) -> bytes:
        """So many samples for the device; silence where there is no sound."""
        with self._lock:
            sound = b"" if self.is_paused else self._taken(count * SAMPLE_BYTES)
            self._blocks.append(_Block(count, sound))
            held = sum(block.samples for block in self._blocks)
            while held - self._blocks[0].samples >= self._buffered and len(self._blocks) > 1:
                passed = self._blocks.popleft()
                held -= passed.samples
                self._sounded += len(passed.sound)
        return sound.ljust(count * SAMPLE_BYTES, b"\0")

    def _taken(self, size: int) -> bytes:
        taken = bytearray()
        while self._pieces and len(taken) < size:
            piece = self._pieces.popleft()
            room = size - len(taken)
            taken += piece[:room]
            if len(piece) > room:
                self._pieces.appendleft(piece[room:])
        return bytes(taken)

    def drop(self) -> None:
        """Forget all of it, and what has sounded."""
        with self._lock:
            self._pieces.clear()
            self._blocks.clear()
            self._sounded = 0

    @property
    def waiting(self) -> float:
        """How many seconds no device has taken."""
        with self._lock:
            return self._seconds(sum(len(piece) for piece in self._pieces))

    @property
    def sounded(self) -> float:
        """How many seconds have left the device's buffer, too."""
        with self._lock:
            return self._seconds(self._sounded)

    @property
    def is_silent(self) -> bool:
        """Whether all of it has sounded."""
        with self._lock:
            return not self._pieces and not any(block.sound for block in self._blocks)

    @property
    def level(self) -> float:
        """Of what the device took last, the loudest, in dBFS."""
        with self._lock:
            sounds = [block.sound for block in self._blocks]
        return max((level(sound) for sound in sounds), default=SILENCE_DBFS)

    def _seconds(self, size: int) -> float:
        return size / SAMPLE_BYTES / self.rate
