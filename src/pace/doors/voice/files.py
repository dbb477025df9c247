"""Files in place of devices: a sound file that is heard, and one that replies are written to."""

from collections.abc import AsyncIterator

from pace.errors import SettingsError, SpeakerError
from pace.speech.ports import CHUNK_SAMPLES, SAMPLE_BYTES, Sound
from pace.speech.sound import SILENCE_DBFS, WavFile

_CHUNK_BYTES = CHUNK_SAMPLES * SAMPLE_BYTES


async def chunks_of(sound: Sound) -> AsyncIterator[bytes]:
    """The chunks of a sound of RATE, as fast as they are asked for; the last one in silence."""
    for start in range(0, len(sound.samples), _CHUNK_BYTES):
        yield sound.samples[start : start + _CHUNK_BYTES].ljust(_CHUNK_BYTES, b"\0")


class FileSpeaker:
    """Plays into a file, or into nothing; what it is given has sounded at once."""

    def __init__(self, file: WavFile | None) -> None:
        self._file = file
        self.played = 0.0
        """Seconds since the last `stop`."""
        self.level = SILENCE_DBFS
        """Nothing of it is heard in the room."""

    async def play(self, sound: Sound) -> None:
        """Write it down. Raises SpeakerError."""
        if self._file is not None:
            try:
                self._file.append(sound)
            except SettingsError as error:
                raise SpeakerError(str(error)) from error
        self.played += sound.seconds

    async def wait_silent(self) -> None:
        """Nothing waits to be heard."""

    def pause(self) -> None:
        """There is nothing to hold."""

    def resume(self) -> None:
        """There was nothing held."""

    def stop(self) -> None:
        """Count anew."""
        self.played = 0.0

    async def aclose(self) -> None:
        """The file is closed by whoever opened it."""
