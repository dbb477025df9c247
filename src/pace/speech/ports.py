"""What a spoken conversation needs of the world: a detector, a recogniser, a voice, two devices.

Sound is held in memory alone; nothing here writes it anywhere.
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

RATE = 16_000
"""Samples a second of what is heard: detectors and recognisers are made for this rate."""
CHUNK_SAMPLES = 512
"""Samples that are looked at together: 32 ms."""
SAMPLE_BYTES = 2


@dataclass(frozen=True, slots=True)
class Sound:
    """Mono sound: signed 16-bit samples, little-endian, `rate` of them a second."""

    samples: bytes = field(repr=False)
    rate: int = RATE

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / SAMPLE_BYTES / self.rate


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word with where it stands in the sound, in seconds, and how sure the recogniser is."""

    text: str = field(repr=False)
    start: float
    end: float
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What a recogniser made of a sound; the text is empty if it made nothing of it.

    `language` is an ISO 639-1 code. `no_speech` is the probability, from 0 to 1, that nobody
    spoke; `log_probability` the mean over its tokens; `compression` how often the text repeats
    itself, as the ratio of its size to that of its compressed form.
    """

    text: str = field(repr=False)
    language: str
    no_speech: float
    log_probability: float
    compression: float
    words: tuple[HeardWord, ...] = field(default=(), repr=False)


class SpeechDetector(Protocol):
    """Tells speech from other sound, chunk by chunk; it remembers what came before."""

    def probability(self, chunk: bytes) -> float:
        """How likely somebody speaks in the next CHUNK_SAMPLES samples, from 0 to 1."""
        ...

    def reset(self) -> None:
        """Forget what came before."""
        ...


class Recogniser(Protocol):
    """Makes words of sound. Raises RecogniserError and nothing else."""

    @property
    def name(self) -> str:
        """As it is set and shown."""
        ...

    async def recognise(
        self, sound: Sound, *, language: str | None = None, words: bool = False
    ) -> Heard:
        """What is said in a sound of RATE; in this language, if one is named.

        With `words`, each word comes with its place and its probability. A cancelled call keeps
        nothing.
        """
        ...

    async def aclose(self) -> None:
        """Let go of the model."""
        ...


class Voice(Protocol):
    """Speaks text of some languages. Raises VoiceError and nothing else."""

    @property
    def name(self) -> str:
        """As it is set and shown."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """The ISO 639-1 codes of the languages it speaks."""
        ...

    def speak(self, text: str, *, language: str) -> AsyncGenerator[Sound, None]:
        """The sound of a text, piece by piece; closing it stops the voice."""
        ...

    async def aclose(self) -> None:
        """End what speaks."""
        ...


class Microphone(Protocol):
    """Gives what is heard, from when it is opened until it is closed.

    Raises MicrophoneError and nothing else.
    """

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Chunks of CHUNK_SAMPLES at RATE, as they are heard; closing it releases the device."""
        ...


class Speaker(Protocol):
    """Plays sound, piece after piece. Raises SpeakerError and nothing else."""

    @property
    def played(self) -> float:
        """How many seconds have sounded since the last `stop`."""
        ...

    @property
    def level(self) -> float:
        """How loud in dBFS is what sounds now; SILENCE_DBFS where nothing does."""
        ...

    async def play(self, sound: Sound) -> None:
        """Have a piece sound after those before it; waits while many of them are waiting."""
        ...

    async def wait_silent(self) -> None:
        """Wait until all pieces have sounded, or were dropped by `stop`."""
        ...

    def pause(self) -> None:
        """Be silent at once, and keep what did not sound."""
        ...

    def resume(self) -> None:
        """Go on where it was paused."""
        ...

    def stop(self) -> None:
        """Be silent at once, and drop what did not sound; `played` begins anew."""
        ...

    async def aclose(self) -> None:
        """Let go of the device."""
        ...
